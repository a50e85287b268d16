"""Texts for the tests of this package: strategies, documents, invariants of chunks."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from offbook.documents.sections import bodies, sections
from offbook.types import Chunk, Document

PIECES = [
    *("a", "bc", "Word ", "two words ", "  ", ". ", "? ", "… ", "\n", "\n", "\n\n", "\n# H\n"),
    *(
        "\n## x y\n",
        "\n###### q ##\n",
        "。",
        "中文字",
        "「早い」",
        "dr. ",
        "No. 5 ",
        "\n- ",
        "x" * 9,
    ),
    *("\t", "'", " " * 30, "\n---\n", "Title\n===\n", "\n```\n", "한국어 ", "é", "e\u0301"),
    *("\U0001f600", "\r\n", "\u3000"),
]

messy_texts = st.lists(st.sampled_from(PIECES), max_size=90).map("".join)
"""Texts made of everything that splitters stumble over."""


def document(text: str, name: str = "persona.md") -> Document:
    return Document(id="d1", name=name, text=text, digest="")


def assert_exact(made: Sequence[Chunk], text: str) -> None:
    """Offsets are exact, bodies trimmed, ordinals and ids in order and distinct."""
    for ordinal, chunk in enumerate(made):
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text
        assert chunk.text == chunk.text.strip()
        assert chunk.ordinal == ordinal
    assert len({chunk.id for chunk in made}) == len(made)


def assert_covers(made: Sequence[Chunk], text: str, *, sections_only: bool) -> None:
    """Nothing but white space is lost: of the sections' bodies, or of the whole text."""
    covered = bytearray(len(text))
    for chunk in made:
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    stretches = (
        [(start, end) for _, start, end in bodies(sections(text))]
        if sections_only
        else [(0, len(text))]
    )
    for start, end in stretches:
        lost = [at for at in range(start, end) if not covered[at] and not text[at].isspace()]
        assert not lost, text[start:end]


def assert_within_sections(made: Sequence[Chunk], text: str, *, with_headings: bool = True) -> None:
    """Every chunk lies in one section and carries its heading path."""
    stretches = list(bodies(sections(text)))
    for chunk in made:
        (home,) = [part for part in stretches if part[1] <= chunk.start and chunk.end <= part[2]]
        assert chunk.headings == (home[0] if with_headings else ())
