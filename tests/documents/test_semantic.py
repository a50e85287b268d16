from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from offbook.documents.semantic import SemanticSplitter
from offbook.errors import ConfigurationError
from tests.documents.texts import (
    assert_covers,
    assert_exact,
    assert_within_sections,
    document,
    messy_texts,
)


def by_first_letter(texts: list[str]) -> NDArray[np.float32]:
    """A unit vector an alphabet letter: sentences about the same thing begin alike here."""
    vectors = np.zeros((len(texts), 128), dtype=np.float32)
    for row, text in enumerate(texts):
        vectors[row, ord(text[0]) % 128] = 1
    return vectors


def test_it_cuts_where_the_meaning_changes():
    text = "# H\nApples are red. Apples fall. Boats swim. Boats sink. Cats sleep."
    splitter = SemanticSplitter(by_first_letter, percentile=40, neighbours=0)
    made = splitter.split(document(text))
    assert [chunk.text for chunk in made] == [
        "Apples are red. Apples fall.",
        "Boats swim. Boats sink.",
        "Cats sleep.",
    ]
    assert {chunk.headings for chunk in made} == {("H",)}


def test_neighbours_are_embedded_with_a_sentence():
    seen: list[list[str]] = []

    def embed(texts: list[str]) -> NDArray[np.float32]:
        seen.append(texts)
        return by_first_letter(texts)

    SemanticSplitter(embed).split(document("A b. C d. E f.\n\n# H\nG h."))
    assert seen == [["A b. C d.", "A b. C d. E f.", "C d. E f.", "G h."]]


def test_no_chunk_is_longer_than_the_size():
    made = SemanticSplitter(by_first_letter, size=50).split(document("Word " * 100))
    assert max(len(chunk.text) for chunk in made) <= 50


@given(messy_texts)
def test_the_laws_of_every_splitter(text: str):
    made = SemanticSplitter(by_first_letter, percentile=50).split(document(text))
    assert_exact(made, text)
    assert_covers(made, text, sections_only=True)
    assert_within_sections(made, text)


def test_a_blank_document_embeds_nothing():
    def embed(texts: list[str]) -> NDArray[np.float32]:
        raise AssertionError(texts)

    assert SemanticSplitter(embed).split(document("  ")) == []


def test_parameters_are_told():
    splitter = SemanticSplitter(by_first_letter, percentile=90, neighbours=2, size=100)
    assert splitter.parameters(document("x")) == {
        "percentile": 90,
        "neighbours": 2,
        "size": 100,
        "unit": "characters",
    }


@pytest.mark.parametrize("values", [{"percentile": 101}, {"neighbours": -1}, {"size": 0}])
def test_settings_out_of_range_are_refused(values: dict[str, Any]):
    with pytest.raises(ConfigurationError):
        SemanticSplitter(by_first_letter, **values)
