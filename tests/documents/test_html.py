from __future__ import annotations

from pathlib import Path

import pytest

from offbook.documents.headings import sections
from offbook.documents.html import html_to_markdown
from offbook.errors import UnreadableDocument
from tests.waiting import work_is_linear

PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p {}</style></head><body>
<nav><a href="/">Home</a></nav>
<h1>Ada <em>Lovelace</em></h1>
<p>She wrote <b>notes</b>,<br>see <a href="http://x.example/">here</a> * and_ so on.</p>
<script>alert("# no")</script>
<h2>Work</h2><ul><li>Engine</li><li>Program</li></ul>
<img src="a.png" alt="A picture">
<h2>Rest</h2>


<p>End.</p></body></html>"""


def markdown(source: str) -> str:
    return html_to_markdown(Path("page.html"), source)


def test_headings_stay_headings():
    text = markdown(PAGE)
    assert [part.headings for part in sections(text)] == [
        ("Ada *Lovelace*",),
        ("Ada *Lovelace*", "Work"),
        ("Ada *Lovelace*", "Rest"),
    ]


def test_what_a_page_says_stays_and_what_it_does_goes():
    text = markdown(PAGE)
    assert "She wrote **notes**," in text
    assert "see here * and_ so on." in text
    assert "- Engine\n- Program" in text
    for gone in ("alert", "Home", "http", "p {}", "a.png", "\\", "\n\n\n"):
        assert gone not in text


def test_plain_text_and_paths_are_no_reason_to_warn():
    assert markdown("just text") == "just text\n"
    assert markdown("page.html") == "page.html\n"


def test_tags_nested_without_end_are_refused():
    with pytest.raises(UnreadableDocument, match="nested too deeply"):
        markdown("<div>" * 50_000 + "x")


@pytest.mark.parametrize(
    "unended", ["<a b ", "<a b='", '<a b="', "<a b=c/", "<!--x>", "<![CDATA[x>", "<![if x", "</a "]
)
def test_what_nothing_ends_is_text_and_takes_no_longer_than_text_does(unended):
    def read(times: int) -> None:
        assert "Ada" in markdown("<p>Ada</p> <!-- kept out --> " + unended * times)

    assert work_is_linear(read, 300)


@pytest.mark.parametrize(
    "page",
    [
        "<p>Ada{}world</p>",
        "<pre>Ada{}world</pre>",
        "<ul><li><b>Ada{}</b>{}<code>a{}b</code>world</li></ul>",
        "<table><tr><td>Ada{}world</td></tr></table>]{}>",
        '<p title="a{}b"{}class{}=c>Ada world</p{}>',
    ],
)
def test_runs_of_blanks_take_no_longer_than_text_does(page):
    def read(times: int) -> None:
        for run in (" ", "\t ", " \n"):
            text = markdown(page.replace("{}", run * times))
            assert "Ada" in text
            assert "world" in text

    assert work_is_linear(read, 1_000)


def test_runs_of_blanks_are_one_but_where_they_are_kept():
    code = "<pre> \n\n  if x:\n      y \n </pre>"
    text = markdown(f"<p>Ada \t <b>keeps</b>   a\t\t \n  light</p>{code}")
    assert text == "Ada **keeps** a\nlight\n\n```\n  if x:\n      y\n```\n"
    assert markdown("Ada <pre> \n </pre> keeps") == "Ada\n\nkeeps\n"


def test_what_is_ended_is_no_text_although_something_behind_it_is_not():
    page = (
        "<p>Ada <!-- not this -->keeps <![CDATA[a light]]> on"
        ' <b title="not this">Grey</b> Rock</p> 1 < 2 <!-- open <b'
    )
    assert markdown(page) == "Ada keeps a light on **Grey** Rock\n\n1 < 2 <!-- open <b\n"
    assert markdown("<p>Ada</p> x\0y <![if z <b") == "Ada\n\nx\0y <![if z <b\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one<p>two<div>three</div>", "one\n\ntwo\n\nthree\n"),
        (
            "<ul><li>one<li>two<ul><li>a<li>b</ul><li>three</ul>",
            "- one\n- two\n  - a\n  - b\n- three\n",
        ),
        ("<ol><li><p>one<li><p>two</ol>", "1. one\n2. two\n"),
        (
            "<dl><dt>Ada<dd>a keeper<dt>Tom<dd>a sailor</dl>",
            "Ada\n:   a keeper\n\nTom\n:   a sailor\n",
        ),
        (
            "<table><thead><tr><th>a<th>b<tbody><tr><td>c<td>d<tr><td>e<td>f</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n| e | f |\n",
        ),
        (
            "<p>one<table><tr><td><p>two</table>three</p>",
            "one\n\n|  |\n| --- |\n| two |\n\nthree\n",
        ),
    ],
)
def test_tags_that_people_leave_unended_end_where_html_says(page, text):
    assert markdown(page) == text


@pytest.mark.parametrize(
    ("begin", "part"),
    [
        ("", "<p>Ada met Tom."),
        ("<ul>", "<li>Ada met Tom."),
        ("<p><object>" + "<div>" * 100, "<p>Ada</p>"),
    ],
)
def test_many_paragraphs_or_items_take_no_longer_than_text_does(begin, part):
    def read(times: int) -> None:
        assert markdown(begin + part * times).count("Ada") == times

    assert work_is_linear(read, 300)


def test_a_long_numbered_list_takes_no_longer_than_text_does():
    def read(times: int) -> None:
        assert f"\n{times}. Ada" in markdown("<ol>" + "<li>Ada</li>" * times + "</ol>")

    assert work_is_linear(read, 2000)


@pytest.mark.parametrize("number", ["²", "9" * 5000, "", "-3", "x"])
def test_a_number_that_is_none_is_not_looked_at(number):
    assert markdown(f'<ol start="{number}"><li>Ada</li><li>Tom</li></ol>') == "1. Ada\n2. Tom\n"
    assert "| Ada |" in markdown(f'<table><tr><td colspan="{number}">Ada</td></tr></table>')


def test_a_list_counts_from_its_own_start():
    assert markdown('<ol start="4"><li>Ada<li><li>Tom</ol>') == "4. Ada\n6. Tom\n"
