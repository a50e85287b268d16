"""The passages of the profile: a beginning of every document, the budget divided fairly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.ingestion.profile import beginnings
from offbook.language.tokens import count_tokens
from offbook.types import Document


def document(name: str, text: str) -> Document:
    return Document(name, name, text, "")


@given(st.lists(st.text("ab c.\n字", max_size=300), max_size=6), st.integers(0, 400))
def test_beginnings_keep_the_order_and_the_budget(texts, budget):
    found = [document(str(n), text) for n, text in enumerate(texts)]
    begun = beginnings(found, budget)
    assert [b.document for b in begun] == sorted((b.document for b in begun), key=int)
    assert all(texts[int(b.document)].startswith(b.text) and b.text for b in begun)
    assert sum(count_tokens(b.text) for b in begun) <= budget
    if sum(map(count_tokens, texts)) <= budget:
        told = [b.text.strip() for b in begun if b.text.strip()]
        assert told == [text.strip() for text in texts if text.strip()]


def test_what_a_short_document_leaves_goes_to_the_others():
    short, long = document("short", "One."), document("long", "word " * 500)
    tokens = {b.document: count_tokens(b.text) for b in beginnings([long, short], 100)}
    assert tokens["short"] == count_tokens("One.")
    assert tokens["long"] >= 100 - tokens["short"] - 2
