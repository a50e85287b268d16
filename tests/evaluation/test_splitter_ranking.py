"""Ranking of splitters' chunks: laws that hold for any texts, and one case by hand."""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook import registry
from offbook.documents.chunking import make_splitter
from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Question, Subject, SubjectDocument
from offbook.evaluation.datasets.reading import Notes
from offbook.evaluation.splitter_ranking import (
    RankedChunk,
    as_document,
    embedded_questions,
    rank_chunks,
    study_subjects,
    within_budget,
)
from offbook.models.builtin import BuiltinEmbedder, embed_texts
from offbook.text.tokens import count_tokens
from offbook.types import Chunk

TEXT = (
    "# Ada Byrne\n\nAda keeps the light on Skerry Rock.\n\n## Lamp\n\nThe lamp burns\nwhale oil.\n"
    "It must be trimmed at dusk.\n\n## Brother\n\nTom drowned in the gale of 1880.\n"
)
WORDS = st.sampled_from(
    "lamp oil gale boat stranger silver watch rock light brother net harbour rope".split()  # noqa: SIM905
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words) + ".")
LAMP, TOM = "What burns in the lamp?", "When did Tom drown?"


@pytest.fixture(scope="module")
def benchmark():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
        yield importlib.import_module("splitter_study")


def dataset(*texts, text=TEXT, scope="in"):
    ada = Subject("Ada", documents=(SubjectDocument("ada.md", text),))
    questions = tuple(Question(f"q{n}", each, "Ada", scope) for n, each in enumerate(texts))
    return Dataset("own", "1", "ours", "here", (ada, Subject("Tom")), questions)


def ranked(name, found, embedder=None, embed=None):
    embedder = embedder or BuiltinEmbedder()

    async def body():
        subjects = study_subjects(found)
        vectors = await embedded_questions(subjects, embedder)
        splitter = make_splitter(name, None, embed)
        return await rank_chunks(subjects, vectors, splitter, embedder, count_tokens)

    return asyncio.run(body())


@settings(max_examples=25)
@given(
    st.lists(SENTENCES, min_size=1, max_size=12),
    st.lists(SENTENCES, min_size=1, max_size=4),
    st.sampled_from(["fixed", "recursive", "markdown", "ats", "acts", "graph"]),
)
def test_every_chunk_is_ranked_by_a_cosine(text, questions, name):
    found = ranked(name, dataset(*questions, text="\n\n".join(text)))
    assert [each.question.text for each in found] == questions
    for each in found:
        cosines = [chunk.cosine for chunk in each.chunks]
        assert all(-1.0 <= cosine <= 1.0 for cosine in cosines)
        assert cosines == sorted(cosines, reverse=True)
        assert len({chunk.chunk.id for chunk in each.chunks}) == len(cosines) >= 1


@given(st.lists(st.integers(1, 50), max_size=30), st.integers(0, 200))
def test_within_a_budget_nothing_that_would_fit_is_left_out(tokens, budget):
    chunk = Chunk("c", "d", "acts", 0, 0, 1, (), "x")
    chunks = [RankedChunk(float(place), size, chunk) for place, size in enumerate(tokens)]
    fitting = within_budget(chunks, budget)
    spent = sum(each.tokens for each in fitting)
    assert spent <= budget
    assert [each for each in chunks if each in fitting] == fitting
    left = budget
    for each in chunks:
        if each in fitting:
            left -= each.tokens
        else:
            assert each.tokens > left


def test_a_case_by_hand():
    (each,) = ranked("markdown", dataset("What oil does the lamp burn?"))
    chunks = make_splitter("markdown").split(as_document("ada.md", TEXT))
    vectors = embed_texts([chunk.text_with_headings for chunk in chunks])
    cosines = vectors @ embed_texts([each.question.text])[0]
    best = chunks[int(cosines.argmax())]
    assert each.chunks[0].cosine == pytest.approx(float(cosines.max()), abs=1e-6)
    assert each.chunks[0].chunk == best
    assert "whale oil" in best.text
    assert each.chunks[0].tokens == count_tokens(best.text_with_headings)


def test_questions_out_of_scope_and_subjects_without_texts_are_left_out():
    found = dataset(LAMP, "What is a telephone?")
    first, second = found.questions
    mixed = replace(found, questions=(first, replace(second, scope="out")))
    (ada,) = study_subjects(mixed)
    assert [question.text for question in ada.questions] == [LAMP]
    assert study_subjects(dataset(LAMP, scope="out")) == []


def test_all_splitters_are_ranked_the_semantic_one_by_the_embedder():
    class Counting(BuiltinEmbedder):
        kinds: list[str] = []  # noqa: RUF012

        async def embed(self, texts, kind):
            self.kinds.append(kind)
            return await super().embed(texts, kind)

    for name in registry.names("splitter"):
        assert ranked(name, dataset(LAMP), Counting(), embed_texts)
    assert Counting.kinds.count("query") == len(registry.names("splitter"))


# -- gold passages, in the benchmark ---------------------------------------------------------------


def passages(*pairs):
    return st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), **dict(pairs))


@given(gold=passages(("min_size", 1), ("max_size", 4)), context=passages(("max_size", 4)))
def test_coverage_is_a_share_of_the_gold_characters(benchmark, gold, context):
    wanted, there = (
        [benchmark.Evidence("d", start, start + length) for start, length in each]
        for each in (gold, context)
    )
    is_found, share = benchmark.covered(wanted, there)
    covered = [any(e.start <= at < e.end for e in there) for at in range(60)]
    all_wanted = [any(e.start <= at < e.end for e in wanted) for at in range(60)]
    both = sum(a and b for a, b in zip(covered, all_wanted, strict=True))
    assert share == pytest.approx(both / sum(all_wanted))
    halves = [sum(covered[e.start : e.end]) >= (e.end - e.start) / 2 for e in wanted]
    assert is_found == any(halves)


def test_quotes_are_found_whatever_their_white_space_and_others_are_noted(benchmark, tmp_path):
    rows = [
        {"character": "Ada", "question": LAMP, "evidence": ["lamp burns whale  oil.", "No sea."]}
    ]
    notes = Notes()
    gold = read_gold(benchmark, tmp_path, rows, notes)
    (place,) = gold["Ada", LAMP]
    assert TEXT[place.start : place.end] == "lamp burns\nwhale oil."
    assert any("gold passages that stand in no document" in each for each in notes.listed(1))


def read_gold(benchmark, folder, rows, notes):
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    subjects = study_subjects(dataset(LAMP)) * 2  # of several, a row must name its own
    return benchmark.read_gold(path, subjects, notes)


def test_paragraphs_are_read_from_the_file_beside(benchmark, tmp_path):
    beside = {"id": "p1", "text": "Tom drowned in the gale of 1880."}
    (tmp_path / "profile_paragraphs.jsonl").write_text(json.dumps(beside) + "\n", "utf-8")
    row = {"character": "Ada", "question": TOM, "gold_paragraphs": ["p1"]}
    (place,) = read_gold(benchmark, tmp_path, [row], Notes())["Ada", TOM]
    assert TEXT[place.start : place.end] == beside["text"]
    with pytest.raises(UsageError, match="'p2'"):
        read_gold(benchmark, tmp_path, [{**row, "gold_paragraphs": ["p2"]}], Notes())


@pytest.mark.parametrize("row", [{"character": "Ada"}, {"question": "What?"}])
def test_a_row_without_question_or_character_is_refused(benchmark, tmp_path, row):
    with pytest.raises(UsageError, match="lacks a column"):
        read_gold(benchmark, tmp_path, [row], Notes())


def test_the_study_of_a_file_of_questions(benchmark, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OFFBOOK_HOME", str(tmp_path / "home"))
    (tmp_path / "ada.md").write_text(TEXT, "utf-8")
    (tmp_path / "questions.csv").write_text(f"question,character\n{LAMP},Ada\n", "utf-8")
    row = {"character": "Ada", "question": TOM, "evidence": ["Tom drowned"]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    words = [str(tmp_path / "questions.csv"), "--document", f"Ada={tmp_path / 'ada.md'}"]
    words += ["--gold", str(tmp_path / "gold.jsonl"), "--splitter", "acts,acts[alpha=1.5]"]
    benchmark.main([*words, "--budget", "40", "--json"])
    shape = json.loads(capsys.readouterr().out)
    assert (shape["characters"], shape["questions"], shape["gold"]) == (1, 2, 1)
    assert [each["splitter"] for each in shape["rows"]] == ["acts", "acts[acts.alpha=1.5]"]
    assert shape["rows"][0]["at_budget"]["tokens"]["mean"] <= 40
    assert shape["rows"][0]["top"]["hits"]["n"] == 1
    benchmark.main(words)
    assert capsys.readouterr().out.startswith("| top 3 |")
