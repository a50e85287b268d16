from __future__ import annotations

import re
from pathlib import Path

import pytest

from offbook.documents.html import html_to_markdown, places_in
from offbook.documents.places import place_of
from offbook.documents.readers import read_content
from offbook.documents.sections import sections
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


def test_a_map_leads_back_to_the_page():
    """Beyond scripts, entities, numbers of items, blanks and words that tags part."""
    page = (
        "\ufeff<html><head><title>Nora Vey</title>"
        "<script>if (a<b) say('Nora Vey came')</script>\r\n"
        "<body><nav><a href='/'>Nora Vey came</a></nav><!-- Nora Vey > came -->\r\n"
        "<h1>Nora   Vey</h1>\r\n<p title='down'>She came\r\n  down &amp; sat,"
        " <b>M</b>arrow&nbsp;caf&eacute;s"
        " <i>closed</i> at dusk</p><ol><li>rope<li>lamp &lt;oil&gt;</ol><p>Nora Vey went.</p>"
    )
    document = read_content("a.html", page.encode("utf-8"))
    file = page.removeprefix("\ufeff").replace("\r\n", "\n")
    for word, nth in [("Nora", 5), ("down", 2), ("sat", 1), ("closed", 1), ("dusk", 1), ("rope", 1),
                      ("lamp", 1), ("oil", 1), ("went", 1)]:  # fmt: skip
        place = [match.start() for match in re.finditer(word, file)][nth - 1]
        assert place_of(document.places, document.text.index(word)) == place, word
    last = document.text.rindex("Nora")
    assert place_of(document.places, last) == file.rindex("Nora")
    assert places_in("", "") == ()


def test_plain_text_and_paths_are_no_reason_to_warn():
    assert markdown("just text") == "just text\n"
    assert markdown("page.html") == "page.html\n"


def test_tags_nested_without_end_are_refused():
    with pytest.raises(UnreadableDocument, match="nested too deeply"):
        markdown("<div>" * 50_000 + "x")


def test_runs_of_blanks_are_one_but_where_they_are_kept():
    code = "<pre> \n\n  if x:\n      y \n </pre>"
    text = markdown(f"<p>Ada \t <b>keeps</b>   a\t\t \n  light</p>{code}")
    assert text == "Ada **keeps** a light\n\n```\n  if x:\n      y\n```\n"
    assert markdown("Ada <pre> \n </pre> keeps") == "Ada\n\nkeeps\n"


def test_what_a_browser_does_not_show_is_no_text():
    page = (
        "<p>Ada <!-- not this -->keeps <![CDATA[not this]]>a light on"
        ' <b title="not this">Grey</b> Rock</p> 1 < 2 <!-- open <b'
    )
    assert markdown(page) == "Ada keeps a light on **Grey** Rock\n\n1 < 2\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one<p>two<div>three</div>", "one\n\ntwo\n\nthree\n"),
        ("<p>\n  one\n  two<br/>\n  <i>three\nfour</i>\n</p>", "one two  \n*three four*\n"),
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


@pytest.mark.parametrize("number", ["²", "9" * 5000, "", "-3", "x"])
def test_a_number_that_is_none_is_not_looked_at(number):
    assert markdown(f'<ol start="{number}"><li>Ada</li><li>Tom</li></ol>') == "1. Ada\n2. Tom\n"
    assert "| Ada |" in markdown(f'<table><tr><td colspan="{number}">Ada</td></tr></table>')


def test_a_list_counts_from_its_own_start():
    assert markdown('<ol start="4"><li>Ada<li><li>Tom</ol>') == "4. Ada\n6. Tom\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("page", "part", "least"),
    [
        *(
            ("<p>Ada</p> <!-- kept out --> {}", unended, 300)
            for unended in ("<a b ", "<a b='", '<a b="', "<a b=c/", "<!--x>", "<![CDATA[x>", "</a ")
        ),
        *(
            (page, run, 1_000)
            for page in (
                "<p>Ada{}world</p>",
                "<pre>Ada{}world</pre>",
                "<ul><li><b>Ada{}</b>{}<code>a{}b</code>world</li></ul>",
                "<table><tr><td>Ada{}world</td></tr></table>]{}>",
                '<p title="a{}b"{}class{}=c>Ada world</p{}>',
            )
            for run in (" ", "\t ", " \n")
        ),
        ("{}", "<p>Ada met Tom.", 300),
        ("<ul>{}", "<li>Ada met Tom.", 300),
        ("<p><object>" + "<div>" * 100 + "{}", "<p>Ada</p>", 300),
        ("<ol>{}</ol>", "<li>Ada</li>", 2_000),
    ],
)
def test_a_page_takes_no_longer_than_text_does(page: str, part: str, least: int):
    def read(times: int) -> None:
        assert "Ada" in markdown(page.replace("{}", part * times))

    assert work_is_linear(read, least)
