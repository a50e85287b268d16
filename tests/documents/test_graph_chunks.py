from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.documents.graph_chunks import Atom, GraphSplitter
from offbook.documents.sections import bodies, sections
from offbook.text.tokens import count_tokens
from offbook.types import Chunk
from tests.documents.texts import (
    assert_covers,
    assert_exact,
    document,
)
from tests.sizes import examples

SPLITTER = GraphSplitter()
randoms = st.integers(0, 2**32).map(random.Random)
TALE = "the river ran past old walls where nobody had lived since a storm took every roof"
WORDS = TALE.split()


def draw_sentence(source: random.Random) -> str:
    words = [source.choice(WORDS) for _ in range(source.randint(2, 16))]
    return " ".join([*words, str(source.randint(0, 9999))]).capitalize() + "."


def draw_paragraph(source: random.Random, most: int = 14) -> str:
    return " ".join(draw_sentence(source) for _ in range(source.randint(1, most)))


def draw_document(source: random.Random) -> list[str]:
    """Paragraphs of one length or another, a heading now and then, sometimes an endless line."""
    most = source.choice([2, 8, 14, 30])
    parts = [draw_paragraph(source, most) for _ in range(source.randint(1, 70))]
    for _ in range(source.randint(0, 3)):
        parts.insert(source.randint(0, len(parts)), "## " + draw_sentence(source))
    if source.random() < 0.2:
        parts.insert(source.randint(0, len(parts)), draw_paragraph(source, 300))
    return parts


def draw_edit(source: random.Random, old: str) -> str:
    """A few characters or sentences replaced, deleted or added, within the paragraph."""
    start = source.randint(0, len(old))
    stop = min(len(old), start + source.choice([0, 0, 1, 9, 60, 900]))
    new = source.choice(["", "x", " and so on ", ". ", draw_sentence(source), "語。"])
    return (old[:start] + new + old[stop:]).strip() or "."


def chunks(parts: list[str]) -> list[Chunk]:
    return list(SPLITTER.split(document("\n\n".join(parts))))


def split(parts: list[str]) -> Counter[tuple[tuple[str, ...], str]]:
    return Counter((chunk.headings, chunk.text) for chunk in chunks(parts))


def forced_runs(parts: list[str]) -> bool:
    """Whether the second rule cuts anything in this document."""
    text = "\n\n".join(parts)
    first_rule_only = GraphSplitter()
    first_rule_only._longest = 10**9
    spans = [(chunk.start, chunk.end) for chunk in first_rule_only.split(document(text))]
    return spans != [(chunk.start, chunk.end) for chunk in SPLITTER.split(document(text))]


@settings(max_examples=examples(60))
@given(randoms)
def test_an_edit_within_a_paragraph_changes_at_most_two_chunks(source: random.Random):
    parts = draw_document(source)
    for _ in range(4):
        where = source.randrange(len(parts))
        edited = draw_edit(source, parts[where])
        if parts[where].startswith("#"):
            continue
        # A line that begins or ceases to be cut at its sentences is replaced as a whole.
        if (count_tokens(parts[where]) > 900) == (count_tokens(edited) > 900):
            assert_local(parts, [*parts[:where], edited, *parts[where + 1 :]])
    # The same holds of a paragraph that comes or goes, and of two that are joined.
    where = source.randrange(len(parts))
    more = [*parts[:where], draw_paragraph(source), *parts[where:]]
    assert_local(parts, more)
    assert_local(more, parts)
    joined = " ".join(parts[where : where + 2])
    if "#" not in joined and count_tokens(joined) <= 900:
        assert_local(parts, [*parts[:where], joined, *parts[where + 2 :]])


def assert_local(before: list[str], after: list[str]) -> None:
    if forced_runs(before) or forced_runs(after):
        return
    old, new = split(before), split(after)
    assert (old - new).total() <= 2
    assert (new - old).total() <= 2


def test_the_marked_atom_itself_does_not_count_in_the_gap_before_it():
    """If it did, an edit that shrinks and unmarks it could take two boundaries away."""

    def boundaries(*tokens: tuple[int, bool]) -> list[int]:
        atoms = [
            Atom(at, at + 1, size, 0.0 if mark else 1.0) for at, (size, mark) in enumerate(tokens)
        ]
        return SPLITTER._boundaries(atoms)

    assert boundaries((200, True), (100, False), (400, True), (200, False)) == [3]
    assert boundaries((200, True), (151, False), (400, True), (200, False)) == [1, 3]
    # Too little before the first one, too little behind the last one.
    assert boundaries((149, True), (200, False), (10, True), (150, False)) == []


def test_ids_of_the_other_chunks_stay():
    parts = [f"Paragraph {number} says {number * 7919 % 1009}. " * 9 for number in range(60)]
    before = chunks(parts)
    parts[20] = "An edit. " + parts[20]
    after = chunks(parts)
    assert len(before) >= 8
    assert len({chunk.id for chunk in before} - {chunk.id for chunk in after}) <= 2
    assert before[-1].id == after[-1].id
    assert before[-1].start != after[-1].start


def test_most_chunks_have_300_to_900_tokens():
    parts = [
        " ".join(f"Sentence {number * 31 + part} of paragraph {number}." for part in range(12))
        for number in range(900)
    ]
    made = chunks(parts)
    sizes = [count_tokens(chunk.text) for chunk in made]
    good = sum(300 <= size <= 900 for size in sizes)
    assert good / len(sizes) > 0.6
    assert max(sizes) <= 1800
    assert sum(size < 150 for size in sizes) == 0


@pytest.mark.parametrize(
    "text",
    [
        "- the same line\n" * 3000,
        "Same sentence. " * 3000,
        "ha " * 9000,
        "哈" * 9000,
        "x" * 40000,
    ],
)
def test_repetition_is_cut_by_the_second_rule(text: str):
    made = SPLITTER.split(document(text))
    assert_exact(made, text)
    assert_covers(made, text, sections_only=True)
    sizes = [count_tokens(chunk.text) for chunk in made]
    assert max(sizes) <= 1800
    assert min(sizes) >= 100


def test_one_huge_paragraph_is_cut_at_its_sentences():
    text = " ".join(
        f"Sentence {number} says {number * 7919 % 1009} things." for number in range(900)
    )
    made = SPLITTER.split(document(text))
    assert len(made) > 5
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith(".") for chunk in made)


def test_an_endless_line_without_punctuation_is_cut_by_its_words():
    words = [f"word{number * 7919 % 4001}" for number in range(9000)]
    before = chunks([" ".join(words)])
    assert all(150 <= count_tokens(chunk.text) <= 1800 for chunk in before)
    words[4500] = "edited"
    after = chunks([" ".join(words)])
    assert len({chunk.id for chunk in before} - {chunk.id for chunk in after}) <= 2


def test_short_sections_stay_as_they_are():
    text = "# A\nshort\n# B\nshort too\n"
    assert [chunk.text for chunk in SPLITTER.split(document(text))] == ["short", "short too"]
    assert len(list(bodies(sections(text)))) == 2
    assert SPLITTER.parameters(document(text))["unit"] == "tokens"
