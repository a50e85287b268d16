"""Does the character know what it cannot know: verdicts on labelled questions.

FILE has rows with persona, question, scope (in or out) and kind. Each persona whose document lies
in the folder of --profiles (NAME.md) is made from it in a temporary home and ingested for --method;
each of its questions is recalled with the configured models, and the verdict is read: `out` counts
as out of scope, `in` and `partly` do not (how often it was `partly` is told apart).

Reported: how many rows, and how many were not scored because the persona has no document; for each
kind of out-of-scope question how many of them were found and the balanced accuracy (the mean of
that share and the share of in-scope questions that were let through) against the in-scope
questions that name an entity and against all in-scope ones; the false alarms on both sets. In-scope
questions are those of FILE and of every --in-scope FILE. A question names an entity where a word
that is not its first, and is no part of the persona's name, no pronoun, month or day, begins with a
capital. The share that was found is also told by why the gold puts a question out of scope: a later
date, another world, or by absence alone, where the rules say `in`, since a contemporary whom no
text mentions may be known all the same; `known` is gold that is wrong, since the persona lives
after it. A kind with such gold has a balanced accuracy without both, too, `by_date_or_world`.
Intervals are 95 % by bootstrap over questions (2,000 draws, seeded).
Personas are split in half by the CRC-32 of their name (even: development), and each half is
reported apart.

--lower-case puts the same questions in lower case. --without-listed takes everything that FILE's
questions mention out of the offline backend's dated list, with all that stands beside it there.
--direct asks the offline rules without a graph, for quick runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from zlib import crc32

import numpy as np

from offbook.prompts.question import QuestionInputs
from offbook.retrieval.beyond import last_year_of, unmentioned_words
from offbook.rules import dated
from offbook.rules.question import analyse_question
from offbook.text.clauses import tokens_of
from offbook.text.grammar import LANGUAGES, MONTHS_AND_DAYS
from offbook.text.words import search_terms, words

HELP: Final = "verdicts in or out of scope, by kind of question"
DRAWS: Final = 2_000
_PROFILE_OF: Final = re.compile(r"entity \['(.*?)'.*?\] occurs in the profile of (\w+)")
_OTHER_WORLDS: Final = frozenset({"Hermione"})
"""Whose names belong to a world of its own, which is otherwise ours of today."""
_OF_OLDER_TIMES: Final = frozenset({"Cleopatra"})
"""Whose document is asked of by those who lived at the end of the same age: Alexander, Egypt."""
_OF_ITS_TIME: Final = frozenset(
    {("Newton", "Vienna")}
    | {(who, name) for who in ("Newton", "Beethoven") for name in ("Harry", "Lavender Brown")}
)
"""What there was in the persona's time, though the other profile means another of that name."""
_REASONS: Final = ("dated", "other_world")
PROFILES: Final = Path(__file__).resolve().parents[2] / "shared/data/character_llm/profiles"


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled question."""

    persona: str
    question: str
    out: bool
    kind: str
    named: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and its verdict."""

    row: Row
    verdict: str

    @property
    def is_out(self) -> bool:
        """Whether it was taken for out of scope."""
        return self.verdict == "out"


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts, and the rows without a persona document."""

    judged: Sequence[Judged]
    unscored: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Figures of all personas and of each half."""
        halves = {
            name: _figures([one for one in self.judged if crc32(one.row.persona.encode()) % 2 == n])
            for name, n in (("development", 0), ("held_out", 1))
        }
        return {
            "n": len(self.judged),
            "not_scored": {name: self.unscored.count(name) for name in sorted(set(self.unscored))},
            **_figures(self.judged),
            "by_half": halves,
        }

    def as_table(self) -> str:
        """The same as Markdown, the halves in columns."""
        shape = self.as_json()
        parts = {"all": shape, **shape["by_half"]}
        lines = [f"n = {shape['n']}; without a persona document: {shape['not_scored']}", ""]
        lines += ["| figure | " + " | ".join(parts) + " |", "|---" * (len(parts) + 1) + "|"]
        flat = {name: dict(_flat(part)) for name, part in parts.items()}
        for key in flat["all"]:
            cells = [flat[name].get(key, "") for name in parts]
            lines.append(f"| {key} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def _flat(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("false_alarms", "false_alarms_named"):
        yield key, _cell(figures[key])
    for why, shape in figures["share_out_by_reason"].items():
        yield f"out ({why}): share_out", _cell(shape)
    for kind, shape in figures["kinds"].items():
        for key, figure in shape.items():
            if isinstance(figure, dict):
                yield f"{kind}: {key}", _cell(figure)


def _cell(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return "-"
    low, high = figure["interval"]
    return f"{figure['value']:.3f} [{low:.3f}, {high:.3f}] n={figure['n']}"


def _figures(judged: Sequence[Judged]) -> dict[str, Any]:
    inside = [one for one in judged if not one.row.out]
    named = [one for one in inside if one.row.named]
    kinds: dict[str, Any] = {}
    for kind in sorted({one.row.kind for one in judged}):
        own = [one for one in judged if one.row.kind == kind]
        kinds[kind] = {
            "n": len(own),
            "partly": sum(one.verdict == "partly" for one in own),
            "share_out": _share(own),
        }
        if any(one.row.out for one in own):
            kinds[kind]["balanced_accuracy"] = _balanced(own, inside)
            kinds[kind]["balanced_accuracy_named"] = _balanced(own, named)
            proven = [one for one in own if one.row.why in _REASONS]
            if 0 < len(proven) < len(own):
                kinds[kind]["by_date_or_world"] = _balanced(proven, inside)
                kinds[kind]["by_date_or_world_named"] = _balanced(proven, named)
    by_reason = {
        why: _share([one for one in judged if one.row.why == why])
        for why in (*_REASONS, "absence", "known")
    }
    return {
        "false_alarms": _share(inside),
        "false_alarms_named": _share(named),
        "share_out_by_reason": by_reason,
        "kinds": kinds,
    }


def _share(judged: Sequence[Judged]) -> dict[str, Any]:
    values = np.array([one.is_out for one in judged], dtype=float)
    return _with_interval(len(values), values, 1 - np.ones(0))


def _balanced(outside: Sequence[Judged], inside: Sequence[Judged]) -> dict[str, Any]:
    hits = np.array([one.is_out for one in outside], dtype=float)
    passed = np.array([not one.is_out for one in inside], dtype=float)
    if not len(hits) or not len(passed):
        return {"value": None, "interval": None, "n": len(hits)}
    return _with_interval(len(hits) + len(passed), hits, passed)


def _with_interval(n: int, *groups: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    """The mean of the groups' means, with an interval by drawing within each group."""
    groups = tuple(group for group in groups if len(group))
    if not groups:
        return {"value": None, "interval": None, "n": 0}
    generator = np.random.default_rng(20091)
    draws = np.mean(
        [g[generator.integers(0, len(g), (DRAWS, len(g)))].mean(axis=1) for g in groups], axis=0
    )
    low, high = np.percentile(draws, [2.5, 97.5])
    value = float(np.mean([group.mean() for group in groups]))
    return {
        "value": round(value, 4),
        "interval": [round(float(low), 4), round(float(high), 4)],
        "n": n,
    }


def why_out(persona: str, row: dict[str, Any]) -> str:
    """Why the gold puts a question out of scope, as far as the row tells.

    A later date, another world, or nothing but that the persona's document is silent about somebody
    or something of its time or before it, which is no proof. Cars, planes, films and programming
    are known to a persona of our time.
    """
    if "why" in row:
        return str(row["why"])
    if match := _PROFILE_OF.search(row.get("evidence") or ""):
        silent = match[2] in _OF_OLDER_TIMES or (persona, match[1]) in _OF_ITS_TIME
        return "absence" if silent else "other_world" if match[2] in _OTHER_WORLDS else "dated"
    if row.get("kind") == "cllm_topic4" and persona in _OTHER_WORLDS:
        return "known"
    return "other_world" if row.get("entity") else "dated"


def names_an_entity(persona: str, question: str) -> bool:
    """Whether a word inside a question has a capital that is not the persona's own."""
    own = set(words(persona)) | MONTHS_AND_DAYS | LANGUAGES | {"i"}
    tokens = [token for token in tokens_of(question) if token.is_word]
    return any(
        token.is_capital and not own & set(words(token.text)) and token.low.split("'")[0] != "i"
        for token in tokens[1:]
    )


def load(file: Path) -> list[Row]:
    """The rows of a file that are labelled in or out."""
    found = []
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("scope") not in ("in", "out"):
            continue
        for persona in row.get("personas") or [row.get("persona") or row["character"]]:
            named = names_an_entity(persona, row["question"])
            out = row["scope"] == "out"
            kind = row.get("kind") or row["type"]
            why = why_out(persona, row) if out else ""
            found.append(Row(persona, row["question"], out, kind, named, why))
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py boundary``."""
    parser.add_argument("--profiles", type=Path, default=PROFILES, help="folder of NAME.md")
    parser.add_argument("--in-scope", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--method", default="rolerag")
    parser.add_argument("--model", help="chat.model, and with it the extractor's; see --base-url")
    parser.add_argument("--base-url", help="chat.base_url")
    parser.add_argument("--lower-case", action="store_true")
    parser.add_argument("--without-listed", action="store_true")
    parser.add_argument("--direct", action="store_true", help="the offline rules, without a graph")


def run(arguments: argparse.Namespace) -> Report:
    """Judge all questions whose persona has a document."""
    rows = load(arguments.file)
    for file in arguments.in_scope:
        rows += [row for row in load(file) if not row.out]
    topics = dated.shipped_topics()
    if arguments.without_listed:
        topics = topics.without({row.question for row in rows if row.out})
    judged: list[Judged] = []
    unscored: list[str] = []
    with patch.object(dated, "shipped_topics", lambda: topics):
        for persona in sorted({row.persona for row in rows}):
            own = [row for row in rows if row.persona == persona]
            document = arguments.profiles / f"{persona}.md"
            if not document.exists():
                unscored += [persona] * len(own)
                continue
            asked = [r.question.lower() if arguments.lower_case else r.question for r in own]
            verdicts = (
                judge_directly(persona, document.read_text("utf-8"), asked)
                if arguments.direct
                else asyncio.run(judge_by_recall(persona, document, asked, arguments))
            )
            judged += map(Judged, own, verdicts)
    return Report(judged, unscored)


def judge_directly(persona: str, text: str, questions: Sequence[str]) -> list[str]:
    """Verdicts of the offline rules, which see which words the document has and nothing else."""
    held = frozenset(search_terms(text))
    last = last_year_of(persona, [text])
    verdicts = []
    for question in questions:
        analysis = analyse_question(
            QuestionInputs(
                character=persona,
                profile="",
                question=question,
                unmentioned=unmentioned_words(question, held.__contains__),
                last_year=last,
            )
        )
        known = [entity.known for entity in analysis.entities]
        verdicts.append("in" if all(known) else "partly" if any(known) else "out")
    return verdicts


async def judge_by_recall(
    persona: str, document: Path, questions: Sequence[str], arguments: argparse.Namespace
) -> list[str]:
    """Verdicts of the method's recall, with the configured models."""
    from offbook import Offbook

    chosen = {
        "method": arguments.method,
        "chat__model": arguments.model,
        "chat__base_url": arguments.base_url,
    }
    with tempfile.TemporaryDirectory() as home:
        flags = {"home": home, **{key: value for key, value in chosen.items() if value}}
        async with await Offbook.open(**flags) as book:
            await book.create(persona)
            await book.ingest(persona, [document])
            verdicts: list[str] = []
            for question in questions:
                recall = await book.recall(persona, question)
                if recall.boundary is None:
                    raise SystemExit(f"method {arguments.method!r} does not judge the boundary")
                verdicts.append(recall.boundary.verdict)
            return verdicts
