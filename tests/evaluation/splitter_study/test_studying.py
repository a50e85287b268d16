"""The splitter study: laws that hold for any texts, and one case by hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.documents.chunking import CHUNKINGS, make_splitter
from offbook.evaluation.splitter_study.evidence import Evidence, covered
from offbook.evaluation.splitter_study.measures import (
    StudyCharacter,
    StudyQuestion,
    StudySplitter,
)
from offbook.evaluation.splitter_study.reading import as_document
from offbook.evaluation.splitter_study.studying import study, within_budget
from offbook.language.tokens import count_tokens
from offbook.models.builtin import BuiltinEmbedder, embed_texts

TEXT = (
    "# Ada Byrne\n\nAda keeps the light on Skerry Rock.\n\n## Lamp\n\nThe lamp burns whale oil.\n"
    "It must be trimmed at dusk.\n\n## Brother\n\nTom drowned in the gale of 1880.\n"
)
WORDS = st.sampled_from(
    "lamp oil gale boat stranger silver watch rock light brother net harbour rope".split()  # noqa: SIM905
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words) + ".")


def plain(name, label=None):
    return StudySplitter(label or name, lambda embedder: make_splitter(name))


def ada(*questions, text=TEXT):
    return StudyCharacter("Ada", (as_document("ada.md", text),), tuple(questions))


def asked(*texts):
    return [StudyQuestion(f"q{n}", text) for n, text in enumerate(texts)]


def run(characters, splitters, **more):
    return asyncio.run(study(characters, splitters, [BuiltinEmbedder()], **more))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(SENTENCES, min_size=1, max_size=12),
    st.lists(SENTENCES, min_size=1, max_size=4),
    st.sampled_from(["fixed", "recursive", "markdown", "ats", "acts", "graph"]),
    st.integers(1, 60),
)
def test_cosines_are_cosines_and_the_budget_is_never_exceeded(text, questions, name, budget):
    splitter = StudySplitter(
        name, lambda _: make_splitter(name, {"size": 60} if name == "markdown" else None)
    )
    found = run([ada(*asked(*questions), text="\n\n".join(text))], [splitter], budget_tokens=budget)
    (row,) = found.rows
    for cosines in row.cosines["Ada"]:
        assert all(-1.0 <= cosine <= 1.0 for cosine in cosines)
        assert list(cosines) == sorted(cosines, reverse=True)
        assert len(cosines) <= 3
    assert row.at_budget.tokens.mean is not None
    assert row.at_budget.tokens.mean <= budget
    assert row.chunks >= 1


@given(
    st.lists(st.integers(1, 50), max_size=30),
    st.integers(0, 200),
    st.randoms(use_true_random=False),
)
def test_within_a_budget_nothing_that_would_fit_is_left_out(tokens, budget, random):
    order = list(range(len(tokens)))
    random.shuffle(order)
    kept = within_budget(order, tokens, budget)
    spent = sum(tokens[place] for place in kept)
    assert spent <= budget
    assert [place for place in order if place in set(kept)] == kept
    left = [tokens[place] for place in order if place not in set(kept)]
    assert all(each > budget - spent for each in left)


def test_equal_chunks_give_equal_rows():
    questions = asked("What burns in the lamp?", "When did Tom drown?")
    found = run([ada(*questions)], [plain("acts", "one"), plain("acts", "other")])
    one, other = found.rows
    assert replace(other, splitter="one") == one


def test_again_it_is_the_same_to_the_last_digit():
    questions = asked("What burns in the lamp?", "When did Tom drown?")
    splitters = [plain(name) for name in ("fixed", "markdown", "acts")]
    first, second = (run([ada(*questions)], splitters).as_json() for _ in range(2))
    assert first == second


def test_a_case_by_hand():
    start = TEXT.index("The lamp burns whale oil.")
    gold = (Evidence("ada.md", start, start + len("The lamp burns whale oil.")),)
    question = StudyQuestion("q", "What oil does the lamp burn?", gold)
    found = run([ada(question)], [plain("markdown")], top=1)
    (row,) = found.rows
    document = as_document("ada.md", TEXT)
    chunks = make_splitter("markdown").split(document)
    vectors = embed_texts([chunk.text_with_headings for chunk in chunks])
    cosines = vectors @ embed_texts([question.text])[0]
    assert row.cosines["Ada"] == ((pytest.approx(float(cosines.max()), abs=1e-6),),)
    best = chunks[int(cosines.argmax())]
    assert "whale oil" in best.text
    assert row.top.tokens.mean == count_tokens(best.text_with_headings)
    assert (row.top.hits.mean, row.top.coverage.mean) == (1.0, 1.0)
    assert row.top.similarity.sum_of_variances.mean == 0.0
    assert found.gold == 1
    assert found.ridgelines() == [("markdown", [row.cosines["Ada"][0][0]])]


def test_sums_are_over_characters():
    questions = asked("What burns in the lamp?", "When did Tom drown?")
    one = ada(*questions)
    both = run([one, replace(one, name="Twin")], [plain("acts")]).rows[0].top.similarity
    single = run([one], [plain("acts")]).rows[0].top.similarity
    assert both.sum_of_means.mean == pytest.approx(2 * single.sum_of_means.mean)
    assert both.sum_of_means.n == 2 * single.sum_of_means.n


def test_a_question_without_a_direction_is_left_out_and_told():
    found = run([ada(*asked("Who are you?", "What burns in the lamp?"))], [plain("acts")])
    assert found.questions == 2
    assert found.rows[0].top.chunks.n == 1
    assert any("no direction has 1 question" in note for note in found.notes)


def test_where_nothing_fits_the_budget_the_question_found_nothing():
    found = run([ada(*asked("What burns in the lamp?"))], [plain("markdown")], budget_tokens=1)
    measure = found.rows[0].at_budget
    assert measure.similarity.sum_of_means.mean is None
    assert measure.similarity.sum_of_means.missing == 1
    assert measure.tokens.mean == 0.0


def test_all_splitters_are_studied_the_semantic_one_by_the_embedder():
    class Counting(BuiltinEmbedder):
        kinds: list[str] = []  # noqa: RUF012

        async def embed(self, texts, kind):
            self.kinds.append(kind)
            return await super().embed(texts, kind)

    def make(name):
        def made(embedder):
            embed = lambda texts: embed_texts(texts)  # noqa: E731
            return make_splitter(name, None, embed)

        return StudySplitter(name, made)

    characters = [ada(*asked("What burns in the lamp?"))]
    found = asyncio.run(study(characters, [make(name) for name in CHUNKINGS], [Counting()]))
    assert [row.splitter for row in found.rows] == list(CHUNKINGS)
    assert Counting.kinds.count("query") == 1


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=4),
)
def test_coverage_is_a_share_of_the_gold_characters(gold, context):
    passages, pieces = (
        [Evidence("d", start, start + length) for start, length in each] for each in (gold, context)
    )
    found, share = covered(passages, pieces)
    wanted = set().union(*(range(p.start, p.end) for p in passages))
    there = set().union(*(range(p.start, p.end) for p in pieces)) if pieces else set()
    assert share == pytest.approx(len(wanted & there) / len(wanted))
    halves = [len(set(range(p.start, p.end)) & there) >= (p.end - p.start) / 2 for p in passages]
    assert found == any(halves)


def test_another_document_covers_nothing():
    assert covered([Evidence("a", 0, 5)], [Evidence("b", 0, 5)]) == (False, 0.0)
    assert np.isclose(covered([Evidence("a", 0, 4)], [Evidence("a", 2, 9)])[1], 0.5)
