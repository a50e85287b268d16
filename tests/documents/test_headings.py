from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.headings import bodies, sections, trimmed
from tests.documents.texts import messy_texts


def shape(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(part.headings, text[part.body_start : part.body_end]) for part in sections(text)]


def test_paths_run_from_root_to_leaf_and_close_with_equal_or_higher_headings():
    text = "intro\n# A\na\n## B\nb\n#### C\nc\n## D\n# E\ne\n"
    assert shape(text) == [
        ((), "intro"),
        (("A",), "a"),
        (("A", "B"), "b"),
        (("A", "B", "C"), "c"),
        (("A", "D"), ""),
        (("E",), "e"),
    ]


def test_a_document_that_starts_deep_has_no_empty_ancestors():
    assert shape("### deep\nx\n# top\ny") == [(("deep",), "x"), (("top",), "y")]


def test_atx_headings_lose_closing_marks_and_inner_blanks():
    text = "#  a   b  ##  \n# c#\n#\td\n   # e #f\n## ###\n"
    assert [part.headings[-1] for part in sections(text)] == ["a b", "c#", "d", "e #f", ""]


def test_what_looks_like_a_heading_but_is_none():
    text = "#no\n    # code\n####### seven\nx # y\n\\# z\n"
    assert shape(text) == [((), text.rstrip())]


def test_setext_headings():
    text = "Name\n====\nbody\n\nPart\n---\nmore\n# A\nSub\n--\nend"
    assert shape(text) == [
        (("Name",), "body"),
        (("Name", "Part"), "more"),
        (("A",), ""),
        (("A", "Sub"), "end"),
    ]


def test_rules_under_lists_quotes_tables_and_paragraphs_are_no_headings():
    for before in (
        "- item",
        "> quote",
        "| a | b |",
        "1. one",
        "line one\nline two",
        "",
        "    code",
    ):
        text = f"{before}\n---\nafter"
        assert [part.headings for part in sections(text)] == [()], before


def test_fenced_code_holds_no_headings():
    text = "# A\n```md\n# no\n~~~\n```` \n# B\n~~~\n# no\n```\n# no\n~~~\n# C\n"
    # The first fence opens with three marks, so four close it.
    assert [part.headings[-1] for part in sections(text)] == ["A", "B", "C"]


def test_inline_code_of_three_marks_opens_no_fence():
    assert [part.headings for part in sections("```a``` b\n# A\nx")] == [(), ("A",)]


def test_a_fence_on_the_first_line_and_one_that_is_never_closed():
    assert [part.headings for part in sections("```\n# no\n```\n# A\nx")] == [(), ("A",)]
    assert [part.headings for part in sections("# A\n```\n# no\n# no")] == [("A",)]
    assert [part.headings for part in sections("~~~\n# no")] == [()]


def test_front_matter_is_body_text():
    assert shape("---\ntitle: X\n---\n# A\nx")[1] == (("A",), "x")
    assert sections("---\ntitle: X\n---\n# A\nx")[0].headings == ()
    # A rule at the beginning is not front matter.
    assert [part.headings for part in sections("---\n# A\nx\n\n---\ny")] == [(), ("A",)]


def test_windows_line_breaks_do_not_hide_headings():
    text = "# A\r\nx\r\n\r\nB\r\n---\r\ny\r\n#\r\nz"
    assert [part.headings for part in sections(text)] == [("A",), ("A", "B"), ("",)]


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


def test_trimmed_looks_through_long_blank_ends():
    text = "a" + " " * 5000
    assert trimmed(text, 0, len(text)) == (0, 1)
