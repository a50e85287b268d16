"""Which words the texts use, and where."""

from offbook.language.words import search_terms
from offbook.retrieval.lexical import encode_terms
from offbook.retrieval.text_terms import TextTerms

TEXTS = {
    "a": "Prince Albert came. Apples fell.",
    "b": "A physicist, Einstein, and Albert.",
    "c": "",
}
TERMS = TextTerms(list(TEXTS), [encode_terms(text) for text in TEXTS.values()])


def test_terms_are_held_in_any_form():
    assert all(map(TERMS.holds, search_terms("apple apples albert EINSTEIN")))
    assert not TERMS.holds("lamp")


def test_chunks_that_hold_all_terms_at_once():
    assert TERMS.chunks_with(search_terms("Albert"), 5) == ["a", "b"]
    assert TERMS.chunks_with(search_terms("Albert"), 1) == ["a"]
    assert TERMS.chunks_with(search_terms("Albert Einstein"), 5) == ["b"]
    assert TERMS.chunks_with(search_terms("Albert Camus"), 5) == []
    assert TERMS.chunks_with([], 5) == []


def test_no_chunks_hold_nothing():
    empty = TextTerms([], [])
    assert not empty.holds("word")
    assert empty.chunks_with(["word"], 1) == []
