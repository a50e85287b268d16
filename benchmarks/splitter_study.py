"""Which splitter puts the right passages in front of a question, without any chat model.

SOURCE is a benchmark (`offbook eval list`) or a file of questions. Similarity is AMADEUS's table 1:
of each character the mean and population variance of the cosine of a question with each of its top
chunks, summed over characters. `at budget` is the same with as many chunks as fit the tokens of
`--budget`. A question is a hit where at least half of a gold passage is in the context, `coverage`
is the share of the gold characters that is. Gold passages are rows of `question`, `character`, and
`evidence` (quotes of the documents; white space may differ) or `gold_paragraphs` (ids in
profile_paragraphs.jsonl beside the file). The same input gives the same digits.

    python benchmarks/splitter_study.py character-llm --path FOLDER --gold FILE [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from offbook.app import Offbook
from offbook.documents.readers import read_document
from offbook.errors import OffbookError, UsageError
from offbook.evaluation.benchmark import Question, benchmark
from offbook.evaluation.datasets.loading import load_benchmark
from offbook.evaluation.datasets.reading import Columns, Notes, read_rows
from offbook.evaluation.metrics.retrieval import similarity_table
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.splitter_ranking import (
    BUDGET_TOKENS,
    RankedChunk,
    RankedQuestion,
    StudySubject,
    as_document,
    embedded_questions,
    rank_chunks,
    study_subjects,
    within_budget,
)
from offbook.evaluation.variants import methods_named
from offbook.ingestion.documents import make_splitters
from offbook.models.builtin import BuiltinEmbedder
from offbook.text.encodings import token_counter
from offbook.types import Document

SPLITTERS: Final = ("fixed", "recursive", "markdown", "semantic", "ats", "acts", "graph")
PARAGRAPHS: Final = "profile_paragraphs.jsonl"
FOUND_SHARE: Final = 0.5
FIGURES: Final = {
    "sum_of_means": ".4f",
    "sum_of_variances": ".4f",
    "tokens": ".0f",
    "chunks": ".1f",
    "hits": ".3f",
    "coverage": ".3f",
}
_COLUMNS: Final = {
    "id": ("question_id", "id"),
    "character": ("character", "subject", "role"),
    "question": ("question",),
    "paragraphs": ("gold_paragraphs",),
    "quotes": ("evidence", "gold", "passages"),
}
_IGNORED: Final = ("entities", "answer", "answers", "scope", "kind", "topic", "flags")


class Evidence(NamedTuple):
    """A gold passage: ``document.text[start:end]``; ``document`` is its id."""

    document: str
    start: int
    end: int


Gold = Mapping[tuple[str, str], Sequence[Evidence]]
"""Gold passages by subject and words of the question."""


def covered(gold: Sequence[Evidence], context: Sequence[Evidence]) -> tuple[bool, float]:
    """Say whether a gold passage is found, and which share of all gold characters is there."""
    places = {(e.document, at) for e in context for at in range(e.start, e.end)}
    passages = [{(e.document, at) for at in range(e.start, e.end)} for e in gold]
    found = any(len(each & places) >= FOUND_SHARE * len(each) for each in passages)
    wanted = set().union(*passages)
    return found, len(wanted & places) / len(wanted)


def read_gold(path: Path, subjects: Sequence[StudySubject], notes: Notes) -> Gold:
    """Read gold passages, and find them in the documents."""
    documents = {subject.name: subject.documents for subject in subjects}
    only = subjects[0].name if len(subjects) == 1 else ""
    columns = Columns(_COLUMNS, notes, _IGNORED)
    beside = path.parent / PARAGRAPHS
    rows = read_rows(beside) if beside.exists() else ()
    paragraphs = {str(row.values.get("id")): str(row.values.get("text", "")) for row in rows}
    found: dict[tuple[str, str], Sequence[Evidence]] = {}
    for row in read_rows(path):
        fields = columns.of(row)
        name, question = fields.text("character") or only, fields.text("question")
        if not question or not name:
            raise UsageError(f"{row.place} lacks a column", "give question and character")
        named = fields.texts("paragraphs")
        if absent := [each for each in named if each not in paragraphs]:
            raise UsageError(f"{row.place} names the paragraph {absent[0]!r}", f"not in {beside}")
        quotes = [*fields.texts("quotes"), *(paragraphs[each] for each in named)]
        places = [_find(documents.get(name, ()), quote) for quote in quotes]
        for _ in range(places.count(None)):
            notes.at("gold passages that stand in no document, left out", row.place)
        if gold := tuple(dict.fromkeys(place for place in places if place is not None)):
            found[name, question] = gold
    return found


def _find(documents: Sequence[Document], quote: str) -> Evidence | None:
    """Return where a quote stands first; white space may differ."""
    pattern = re.compile(r"\s+".join(map(re.escape, quote.split())))
    for document in documents if quote.strip() else ():
        if match := pattern.search(document.text):
            return Evidence(document.id, *match.span())
    return None


def measured(
    filled: Sequence[tuple[RankedQuestion, Sequence[RankedChunk]]], gold: Gold
) -> dict[str, Any]:
    """Return what one way of filling the context came to, each figure with n and interval."""
    cosines: dict[str, list[list[float]]] = defaultdict(list)
    values: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for asked, chunks in filled:
        cosines[asked.subject].append([each.cosine for each in chunks])
        values["tokens"].append((float(sum(each.tokens for each in chunks)), asked.subject))
        values["chunks"].append((float(len(chunks)), asked.subject))
        if passages := gold.get((asked.subject, asked.question.text)):
            context = [Evidence(c.chunk.document, c.chunk.start, c.chunk.end) for c in chunks]
            hit, share = covered(passages, context)
            values["hits"].append((float(hit), asked.subject))
            values["coverage"].append((share, asked.subject))
    table = similarity_table(cosines)
    figures = {"sum_of_means": table.sum_of_means, "sum_of_variances": table.sum_of_variances}
    return {name: each.as_json() for name, each in figures.items()} | {
        name: _mean(pairs).as_json() for name, pairs in values.items()
    }


def _mean(pairs: Sequence[tuple[float, str]]) -> Estimate:
    """A mean over questions; where there are several subjects, whole ones are drawn."""
    owners = [owner for _, owner in pairs]
    return estimate([value for value, _ in pairs], owners if len(set(owners)) > 1 else None)


async def study(book: Offbook, asked: argparse.Namespace) -> dict[str, Any]:
    """Cut, embed, rank and measure with every splitter and embedder."""
    notes = Notes()
    is_file = Path(asked.source).exists()
    dataset = load_benchmark(
        benchmark("file" if is_file else asked.source),
        Path(asked.source) if is_file else asked.path,
        {},
        home=book.settings.values.home.expanduser(),
    )
    subjects = study_subjects(
        dataset, dict(_documents(asked.document)), limit=asked.limit, seed=asked.seed
    )
    if not subjects:
        raise UsageError("nobody has a document and a question", "--document CHARACTER=FILE")
    gold = {} if asked.gold is None else read_gold(asked.gold, subjects, notes)
    if asked.limit is None:
        subjects = [replace(each, questions=_with_gold(each, gold)) for each in subjects]
    embedders = [BuiltinEmbedder(), book.runtime().embedder]
    rows: list[dict[str, Any]] = []
    blanks: list[str] = []
    for embedder in {each.name: each for each in embedders}.values():
        vectors = await embedded_questions(subjects, embedder)
        blank = sum(not vector.any() for own in vectors for vector in own)
        blanks += [f"{embedder.name}: {blank} questions without a direction"] if blank else []
        for method in methods_named(asked.splitter or SPLITTERS):
            settings = book.settings.overlaid(method.settings).values
            (splitter,) = make_splitters([method.method], settings, embedder)
            count = token_counter(settings.tokens.encoding)
            ranked = await rank_chunks(subjects, vectors, splitter, embedder, count)
            lengths = {(q.subject, c.chunk.id): float(c.tokens) for q in ranked for c in q.chunks}
            at_budget = [(each, within_budget(each.chunks, asked.budget)) for each in ranked]
            row = {
                "splitter": method.label,
                "embedder": embedder.name,
                "chunks": len(lengths),
                "chunk_tokens": estimate(list(lengths.values())).as_json(),
                "top": measured([(each, each.chunks[: asked.top]) for each in ranked], gold),
                "at_budget": measured(at_budget, gold),
            }
            rows.append(row)
    return {
        "characters": len(subjects),
        "questions": sum(len(subject.questions) for subject in subjects),
        "gold": sum((s.name, q.text) in gold for s in subjects for q in s.questions),
        "top": asked.top,
        "budget_tokens": asked.budget,
        "rows": rows,
        "notes": [*dataset.notes, *notes.listed(len(dataset.questions)), *blanks],
    }


def _documents(named: Sequence[str]) -> Iterator[tuple[str, list[Document]]]:
    files: dict[str, list[Document]] = defaultdict(list)
    for text in named:
        who, equals, file = text.partition("=")
        read = read_document(Path(file if equals else text), Path(file if equals else text).name)
        files[who if equals else Path(text).stem].append(as_document(read.name, read.text))
    yield from files.items()


def _with_gold(subject: StudySubject, gold: Gold) -> tuple[Question, ...]:
    """The questions of a subject, and those of the gold file that the dataset lacks."""
    asked = {question.text for question in subject.questions}
    added = [text for name, text in gold if name == subject.name and text not in asked]
    return (*subject.questions, *(Question(f"gold:{text}", text, subject.name) for text in added))


def as_table(found: Mapping[str, Any]) -> str:
    """Return two blocks of a Markdown table: the top chunks, then the equal budget."""
    lines = []
    titles = {"top": f"top {found['top']}", "at_budget": f"{found['budget_tokens']} tokens"}
    for key, title in titles.items():
        heads = [title, "embedder", "chunks", *(name.replace("_", " ") for name in FIGURES)]
        lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        for row in found["rows"]:
            cells = [_figure(row[key].get(name), form) for name, form in FIGURES.items()]
            head = [row["splitter"], row["embedder"], str(row["chunks"])]
            lines.append("| " + " | ".join([*head, *cells]) + " |")
        lines.append("")
    return "\n".join(lines)


def _figure(value: Mapping[str, Any] | None, form: str) -> str:
    if value is None or value["mean"] is None:
        return "-"
    ends = "" if value.get("low") is None else f" [{value['low']:{form}}, {value['high']:{form}}]"
    return f"{value['mean']:{form}}{ends} (n = {value['n']})"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("--path", type=Path, help="the benchmark's data")
    parser.add_argument("--gold", type=Path, help="gold passages, a question a row")
    parser.add_argument("--document", action="append", default=[], metavar="CHARACTER=FILE")
    parser.add_argument("--splitter", action="append", help="acts[alpha=3]; default: all")
    parser.add_argument("--top", type=int, default=3, help="chunks a question")
    parser.add_argument("--budget", type=int, default=BUDGET_TOKENS, help="tokens a question")
    parser.add_argument("--limit", type=int, help="the most questions a character")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)

    async def body() -> dict[str, Any]:
        async with await Offbook.open() as book:
            return await study(book, asked)

    try:
        found = asyncio.run(body())
    except OffbookError as error:
        sys.exit(f"{error.message}: {error.hint}")
    print(json.dumps(found, indent=2) if asked.json else as_table(found))


if __name__ == "__main__":
    main()
