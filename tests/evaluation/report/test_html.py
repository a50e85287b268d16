"""The page: everything escaped, one file, and all that a reader needs to trust a number."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.material import Counts, FailedCell, Ratings, Report
from tests.evaluation.report import made_reports

HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror=alert(2)> "><svg onload=alert(3)>'
    " {{ 7*7 }} &amp; \u202e\0 http://example.org/x.png"
)


class Outline(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.text: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.values += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page(text: str = "plain", **changed) -> str:
    key = made_reports.example().key
    report = made_reports.report(
        ("naive", "vanilla"),
        examples=(made_reports.example(text),),
        failed=(FailedCell(key, text),),
        notes=(text,),
        ratings=(Ratings("ke", "naive", 3, 1, 1, ((text, 1),)),),
        **changed,
    )
    return write_html(Report((report,)))


@given(st.text(max_size=40))
@settings(max_examples=25)
def test_no_text_changes_what_elements_a_page_has(text):
    expected, found = Outline(page("x")), Outline(page(f"x{text}"))
    assert found.elements == expected.elements


def test_the_page_needs_no_script_no_network_and_no_other_file():
    html = page(HOSTILE)
    outline = Outline(html)
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & {
        tag for tag, _ in outline.elements
    }
    assert not [name for name, _ in outline.values if name.startswith("on") or name == "style"]
    addresses = [value for name, value in outline.values if name in ("href", "src")]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    targets = {value for name, value in outline.values if name == "id"}
    assert {address[1:] for address in addresses} <= targets


def test_the_policy_allows_exactly_the_pages_own_style():
    html = page()
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = next(value for _, value in Outline(html).values if value.startswith("default-src"))
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "unsafe" not in policy
    assert "@import" not in style[1]
    assert "url(" not in style[1]


def test_every_table_and_reply_of_an_offline_run_is_marked():
    html = page()
    tables = html.count('scope="col">Method<') + html.count('scope="col">Methods<')
    assert tables > 4
    assert html.count(f'<p class="mark">{OFFLINE_MARK}</p>') > tables
    for part in html.split('<details class="card"')[2:]:
        if "<table>" in part:
            assert part.index(OFFLINE_MARK) < part.index("<table>")
    assert OFFLINE_MARK not in write_html(Report((made_reports.report(judge="gpt-judge"),)))


def test_a_reply_is_shown_with_ratings_analysis_overruling_and_sources():
    text = " ".join("".join(Outline(page("She hates rain.")).text).split())
    assert "She hates rain." in text
    assert "9, Ines: She hates rain." in text
    assert "missing: She hates rain." in text
    assert "ada.md[0:17]" in text
    assert "1 more of documents that are forgotten since" in text
    assert "lowest ke" in text


def test_an_empty_run_says_so():
    empty = made_reports.report(
        (), scores=(), differences=(), interviews=(), ratings=(), failed=(), examples=(), use=(),
        cosines=(), counts=Counts(6, 0, 0),
    )  # fmt: skip
    text = "".join(Outline(write_html(Report((empty,)))).text)
    assert "Nothing has been measured in this run." in text
    assert "0 of 6" in text
