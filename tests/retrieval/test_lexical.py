"""BM25 over encoded terms: parity with the formula, stored form, opening and asking."""

from __future__ import annotations

import math
import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import StoreFailed
from offbook.retrieval import search
from offbook.retrieval.search import (
    ANALYZER,
    LexicalIndex,
    encode_terms,
    term_number,
)
from offbook.text.words import search_terms

PASSAGES = [
    "The sailor came home to Marseilles.",
    "A letter from the emperor; the letter was burnt.",
    "He dug for years, and an old priest taught him languages, history and mathematics.",
    "",
    "The treasure of Monte Cristo lay in a cave. The cave was deep.",
    "Der Schatz von Monte Cristo. 基督山的宝藏在山洞里。",
]
TERMS = ["cave", "sail", "letter", "priest", "宝藏", "1815"]
TEXTS = st.lists(
    st.lists(st.sampled_from(TERMS), max_size=8).map(" ".join),
    max_size=12,
)


def opened(texts: list[str]) -> LexicalIndex:
    return LexicalIndex.from_blobs(
        [str(i) for i in range(len(texts))], list(map(encode_terms, texts))
    )


def by_the_book(texts: list[str], question: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """BM25 written down term by term."""
    counted = [Counter(search_terms(text)) for text in texts]
    average = sum(c.total() for c in counted) / len(counted)
    scores = []
    for own in counted:
        total = 0.0
        for term in search_terms(question):
            n = sum(term in c for c in counted)
            idf = math.log(1 + (len(counted) - n + 0.5) / (n + 0.5))
            norm = k1 * (1 - b + b * own.total() / average)
            total += idf * own[term] * (k1 + 1) / (own[term] + norm)
        scores.append(total)
    return scores


@pytest.mark.parametrize(
    "question", ["Who taught you languages?", "the cave of the treasure", "letter letter", "宝藏"]
)
def test_scores_are_those_of_the_formula(question):
    assert opened(PASSAGES).scores(question) == pytest.approx(
        by_the_book(PASSAGES, question), rel=1e-5
    )


@given(TEXTS, st.sampled_from(["cave", "letter cave", "宝藏 1815", "nothing of this"]))
def test_scores_lie_between_zero_and_the_highest_score(texts, question):
    index = opened(texts)
    scores, highest = index.scores(question), index.highest_score(question)
    assert len(scores) == len(texts)
    assert (scores >= 0).all()
    assert (scores <= highest * (1 + 1e-5)).all()


@given(TEXTS)
def test_scanning_and_sorted_records_give_the_same_numbers(texts):
    scanning, sorting = opened(texts), opened(texts)
    for _ in range(search._SCANS):
        sorting.scores("cave")
    for question in ("cave", "letter priest", "宝藏", "absent"):
        assert np.array_equal(sorting.scores(question), scanning.scores(question))
        assert sorting.highest_score(question) == scanning.highest_score(question)


def test_terms_are_stored_in_a_form_that_any_program_can_read():
    blob = encode_terms("cave letter cave")
    records = dict(struct.iter_unpack("<IH", blob))
    assert records == {term_number("cave"): 2, term_number("letter"): 1}
    assert list(records) == sorted(records)


def test_the_stored_form_does_not_change_under_one_analyzer_name():
    assert ANALYZER == "words-1"
    assert (
        encode_terms("Edmond Dantès’s cave; caves. 宝藏").hex()
        == "416d7f05020053ed037001006830809301006cae2fbe0100"
    )


def test_a_count_that_does_not_fit_is_held_at_the_largest():
    assert encode_terms("cave " * 70_000) == struct.pack("<IH", term_number("cave"), 0xFFFF)


@pytest.mark.parametrize("blobs", [[b"12345"], [], [b"", b""]])
def test_terms_that_were_cut_off_or_lost_are_refused(blobs):
    with pytest.raises(StoreFailed, match="terms"):
        LexicalIndex.from_blobs(["a"], blobs)


def test_an_empty_index_and_empty_passages_answer_with_nothing():
    assert opened([]).scores("cave").shape == (0,)
    assert opened(["", ""]).scores("cave").tolist() == [0, 0]
    assert opened(PASSAGES).highest_score("of the") == 0
