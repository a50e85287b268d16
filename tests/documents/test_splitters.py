"""The splitters by name: their laws, and what each does differently."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from offbook import registry
from offbook.documents.chunking import make_splitter
from offbook.documents.splitters import FixedSplitter, MarkdownHeaderSplitter, SemanticSplitter
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


@pytest.mark.parametrize("name", registry.names("splitter"))
@given(messy_texts)
def test_the_laws_of_every_splitter(name: str, text: str):
    splitter = make_splitter(name, {}, by_first_letter)
    made = splitter.split(document(text))
    of_sections = name not in ("fixed", "recursive")
    assert_exact(made, text)
    assert_covers(made, text, sections_only=of_sections)
    if of_sections:
        assert_within_sections(made, text, with_headings=name != "ats")
    assert splitter.name == name
    assert {chunk.chunking for chunk in made} <= {name}
    assert splitter.parameters(document(text))["unit"] in ("characters", "tokens")
    assert splitter.split(document(" \n\n")) == []


def test_fixed_token_windows_are_those_of_the_paper():
    words = [f"w{number:03x}" for number in range(1300)]
    made = FixedSplitter().split(document(" ".join(words)))
    assert [len(chunk.text.split()) for chunk in made] == [600, 600, 300]
    assert made[1].text.split()[0] == words[500]
    assert (made[0].chunking, made[0].headings) == ("fixed", ())
    # No last window lies inside the one before.
    made = FixedSplitter().split(document(" ".join(words[:1100])))
    assert [(chunk.text[:4], chunk.text[-4:]) for chunk in made] == [
        ("w000", "w257"),
        ("w1f4", "w44b"),
    ]


@given(messy_texts, st.integers(1, 60))
def test_markdown_chunks_do_not_overlap(text: str, size: int):
    made = MarkdownHeaderSplitter(size).split(document(text))
    assert_covers(made, text, sections_only=True)
    assert all(len(chunk.text) <= size for chunk in made)
    for before, after in itertools.pairwise(made):
        assert before.end <= after.start


def test_markdown_keeps_a_section_whole_while_it_fits():
    made = MarkdownHeaderSplitter().split(document("# A\none\n\ntwo\n## B\nthree"))
    assert [(chunk.headings, chunk.text) for chunk in made] == [
        (("A",), "one\n\ntwo"),
        (("A", "B"), "three"),
    ]


def test_it_cuts_where_the_meaning_changes():
    text = "# H\nApples are red. Apples fall. Boats swim. Boats sink. Cats sleep."
    splitter = SemanticSplitter(by_first_letter, percentile=40, neighbours=0)
    made = splitter.split(document(text))
    assert [chunk.text for chunk in made] == [
        "Apples are red. Apples fall.",
        "Boats swim. Boats sink.",
        "Cats sleep.",
    ]
    made = SemanticSplitter(by_first_letter, size=50).split(document("Word " * 100))
    assert max(len(chunk.text) for chunk in made) <= 50


def test_neighbours_are_embedded_with_a_sentence_and_blank_text_is_not():
    requests: list[list[str]] = []

    def embed(texts: list[str]) -> NDArray[np.float32]:
        requests.append(texts)
        return by_first_letter(texts)

    SemanticSplitter(embed).split(document("A b. C d. E f.\n\n# H\nG h."))
    SemanticSplitter(embed).split(document("  "))
    assert requests == [["A b. C d.", "A b. C d. E f.", "C d. E f.", "G h."]]


def test_the_faithful_graph_chunking_is_the_window_of_the_paper():
    splitter = make_splitter("graph", {"preset": "faithful"})
    assert splitter.name == "graph"
    assert splitter.parameters(document("x")) == {"size": 600, "overlap": 100, "unit": "tokens"}
    assert "most" in make_splitter("graph").parameters(document("x"))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("acts", {"size": 5}, "no setting 'size'"),
        ("fixed", {"size": 0}, "never end"),
        ("fixed", {"size": 5, "overlap": 5}, "never end"),
        ("fixed", {"unit": "words"}, "unit 'words'"),
        ("graph", {"most": 0}, "cannot be made"),
    ],
)
def test_settings_that_do_not_fit_are_refused(name: str, values: dict[str, Any], message: str):
    with pytest.raises(ConfigurationError, match=message) as error:
        make_splitter(name, values)
    assert error.value.hint


def test_the_splitter_by_meaning_refuses_what_does_not_fit():
    with pytest.raises(ConfigurationError, match="nothing to embed"):
        make_splitter("semantic", {})
    for values in ({"percentile": 101}, {"neighbours": -1}, {"size": 0}):
        with pytest.raises(ConfigurationError):
            make_splitter("semantic", values, by_first_letter)
