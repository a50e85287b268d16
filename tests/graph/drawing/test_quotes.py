"""Quotations are word for word, short enough, and hold what they are quoted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.drawing.quotes import LONGEST_CHARS, Quote, Quotes
from offbook.types import Source
from tests.graph.drawing.graphs import CHINESE, LIGHTHOUSE, document

TEXTS = st.text(st.sampled_from("ab N.!?。“”\n\t 🕯́"), max_size=1500)


def quoted(text: str, start: int, end: int, *subjects: tuple[str, ...]) -> Quote:
    made = document("a.txt", text)
    return Quotes([made]).quote(Source(made.id, "c", start, end), *subjects)


def where(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        (LIGHTHOUSE, "Mara Quill", "Mara Quill keeps the lighthouse of Skerry Point."),
        (LIGHTHOUSE, "Dr. Fenwick", "Old Dr. Fenwick taught Mara to read the sky."),
        (CHINESE, "颦儿", "宝玉见了颦儿，便说：“这个妹妹我曾见过的。”"),
        (CHINESE, "园中", "林姑娘在园中葬花。"),
    ],
)
def test_a_mention_is_quoted_in_its_sentence(text, name, sentence):
    quote = quoted(text, *where(text, name))
    assert quote.text == sentence
    assert quote.mark is not None
    assert quote.text[slice(*quote.mark)] == name
    assert (quote.cut_before, quote.cut_after) == (False, False)


def test_a_mention_across_what_is_taken_for_a_boundary_keeps_both_sides():
    text = "They met Mr. Y.\nQuill at noon. Then rain."
    assert quoted(text, *where(text, "Y.\nQuill")).text == "They met Mr. Y.\nQuill at noon."


@pytest.mark.parametrize(
    ("names", "text", "mark"),
    [
        ((("Mara Quill", "Mara"), ("Tobias",)), "Mara has not forgiven\nTobias.", (0, 4)),
        ((("Nobody",),), "Mara Quill keeps the lighthouse of Skerry Point.", None),
        # Case does not hide it, and a part of a name counts where the whole is not there.
        (
            (("the harbour company",), ("Mara Quill", "Auntie Quill")),
            "The Harbour Company owns the lighthouse; it pays Mara\nin paraffin and promises.",
            None,
        ),
    ],
)
def test_of_a_whole_chunk_the_sentence_is_quoted_that_names_most(names, text, mark):
    quote = quoted(LIGHTHOUSE, 0, len(LIGHTHOUSE), *names)
    assert (quote.text, quote.mark) == (text, mark)


def test_a_name_that_is_wrapped_over_two_lines_is_found_and_marked():
    text = "One. Two. In the grey morning, long after the storm, there came Mara\nQuill. Four."
    quote = quoted(text, 0, len(text), ("Mara Quill",))
    assert quote.mark is not None
    assert quote.text[slice(*quote.mark)] == "Mara\nQuill"


def test_a_sentence_that_runs_on_is_cut_at_words_around_the_mention():
    text = "word " * 400 + "Quill " + "word " * 400
    quote = quoted(text, *where(text, "Quill"))
    assert (quote.cut_before, quote.cut_after) == (True, True)
    assert LONGEST_CHARS - 100 < len(quote.text) <= LONGEST_CHARS
    assert set(quote.text.split()) == {"word", "Quill"}
    assert quote.mark is not None
    assert quote.text[slice(*quote.mark)] == "Quill"


def test_a_place_without_words_has_an_empty_quotation():
    assert quoted("One.\n\n\nTwo.", 4, 6) == Quote("a.txt", "", 4)
    assert quoted("One.", 900, 950) == Quote("a.txt", "", 4)
    assert quoted("", 0, 0) == Quote("a.txt", "", 0)


def test_an_unknown_document_is_no_empty_quotation():
    with pytest.raises(KeyError):
        Quotes([]).quote(Source("gone", "c", 0, 1))


@given(TEXTS, st.data())
def test_a_quotation_is_word_for_word_and_its_mark_lies_inside(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 700)))
    names = data.draw(st.lists(st.sampled_from(["N", "a b", "b.", ""]), max_size=2))
    quote = quoted(text, start, end, tuple(names))
    assert text[quote.start : quote.start + len(quote.text)] == quote.text
    assert len(quote.text) <= LONGEST_CHARS
    assert bool(quote.text) or not text[start:end].strip()
    if quote.mark is not None:
        low, high = quote.mark
        assert 0 <= low < high <= len(quote.text)


@given(TEXTS, st.data())
def test_a_short_mention_is_in_its_quotation(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    quote = quoted(text, start, end)
    if text[start:end].strip() and quote.mark is not None:
        assert (quote.start + quote.mark[0], quote.start + quote.mark[1]) == (start, end)
