from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.sections import bodies, sections, trimmed
from tests.documents.texts import messy_texts


def shape(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(part.headings, text[part.body_start : part.body_end]) for part in sections(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "intro\n# A\na\n## B\nb\n#### C\nc\n## D\n# E\ne\n",
            [
                ((), "intro"),
                (("A",), "a"),
                (("A", "B"), "b"),
                (("A", "B", "C"), "c"),
                (("A", "D"), ""),
                (("E",), "e"),
            ],
        ),
        ("### deep\nx\n# top\ny", [(("deep",), "x"), (("top",), "y")]),
        (
            "Name\n====\nbody\n\nPart\n---\nmore\n# A\nSub\n--\nend",
            [
                (("Name",), "body"),
                (("Name", "Part"), "more"),
                (("A",), ""),
                (("A", "Sub"), "end"),
            ],
        ),
        ("#no\n    # code\n####### seven\nx # y\n\\# z", None),
        ("---\ntitle: X\n---\n# A\nx", [((), "---\ntitle: X\n---"), (("A",), "x")]),
        # A rule at the beginning is not front matter.
        ("---\n# A\nx\n\n---\ny", [((), "---"), (("A",), "x\n\n---\ny")]),
        ("```a``` b\n# A\nx", [((), "```a``` b"), (("A",), "x")]),
        ("```\n# no\n```\n# A\nx", [((), "```\n# no\n```"), (("A",), "x")]),
        ("~~~\n# no", None),
        *(
            (f"{before}\n---\nafter", None)
            for before in ("- item", "> quote", "| a | b |", "1. one", "line one\nline two")
        ),
    ],
)
def test_headings_are_those_of_commonmark(
    text: str, expected: list[tuple[tuple[str, ...], str]] | None
):
    """None: there is no heading in it."""
    assert shape(text) == (expected or [((), text)])


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("#  a   b  ##  \n# c#\n#\td\n   # e #f\n## ###\n", ["a b", "c#", "d", "e #f", ""]),
        # The first fence opens with three marks, so four close it.
        ("# A\n```md\n# no\n~~~\n```` \n# B\n~~~\n# no\n```\n# no\n~~~\n# C\n", list("ABC")),
        # It opens with four, so three do not close it.
        ("# A\n````\n# no\n```\n# no\n````\n# B\n", list("AB")),
        ("# A\n```\n# no\n# no", ["A"]),
        ("# A\r\nx\r\n\r\nB\r\n---\r\ny\r\n#\r\nz", ["A", "B", ""]),
    ],
)
def test_titles_are_without_marks_and_code_holds_none(text: str, titles: list[str]):
    assert [part.headings[-1] for part in sections(text)] == titles


def test_titles_with_hundreds_of_blanks():
    text = ("# x" + " " * 800 + "y\n") * 50
    found = sections(text)
    assert [part.headings for part in found] == [("x y",)] * 50
    assert text[found[3].title_start : found[3].title_end] == "x" + " " * 800 + "y"


def test_bodies_give_titles_only_where_nothing_stands_under_them():
    text = "# A\n## B\n### C\n# D\nd\n# E\n"
    assert [(path, text[start:end]) for path, start, end in bodies(sections(text))] == [
        (("A", "B", "C"), "C"),
        (("D",), "d"),
        (("E",), "E"),
    ]


def test_nothing_comes_of_blank_text():
    assert sections("") == sections(" \n\t\n") == []
    assert list(bodies(sections("#\n##\n"))) == []


@given(messy_texts)
def test_sections_partition_the_text(text: str):
    found = sections(text)
    last = 0
    rest = []
    for part in found:
        assert last <= part.title_start <= part.title_end <= part.body_start <= part.body_end
        body = text[part.body_start : part.body_end]
        assert body == body.strip()
        rest.append(text[last : part.title_start] + text[part.title_end : part.body_start])
        last = part.body_end
        if part.level:
            title = text[part.title_start : part.title_end]
            assert part.headings[-1] == " ".join(title.split())
    rest.append(text[last:])
    # Between titles and bodies stand only blanks, marks of headings and underlines.
    assert re.fullmatch(r"[\s#=-]*", "".join(rest))


@given(st.text(" \n\tab\u3000", max_size=40), st.integers(0, 20), st.integers(0, 20))
def test_trimmed_is_strip_with_offsets(text: str, start: int, length: int):
    end = min(start + length, len(text))
    start = min(start, end)
    first, last = trimmed(text, start, end)
    assert text[first:last] == text[start:end].strip()
