"""What a notebook shows of the objects that end a cell, and its top-level await."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from offbook.ingestion.reports import IngestReport
from offbook.tables_html import ROWS
from offbook.types import Boundary, ContextItem, Recall, Reply, Usage
from tests.app.homes import home_with, text
from tests.cli.texts import ADA

LIBRARY = Path(__file__).parents[1] / "docs" / "library.md"
EVIL = "<script>alert('&')</script>\nand more"
RECALL = Recall("Ada", "ada", "naive", "default", "Who?")


class Seen(HTMLParser):
    """The tags of a page, and the text of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_a_reply_shows_its_text_and_what_it_rests_on():
    item = ContextItem("knowledge", EVIL, EVIL, 0.5)
    recall = replace(RECALL, context=(item,), boundary=Boundary("out"))
    page = Seen(Reply(EVIL, recall, Usage())._repr_html_())
    assert "script" not in page.tags
    assert page.text.count("<script>alert('&')</script>") == 3
    assert "beyond what the character knows" in page.text
    assert "0.50" in page.text


def test_much_is_short():
    item = ContextItem("knowledge", "a title", "word " * 1000, 0.5)
    page = Seen(replace(RECALL, context=(item,) * 30)._repr_html_())
    assert page.tags.count("tr") == 1 + ROWS
    assert f"and {30 - ROWS} more" in page.text
    assert len(page.text) < 4_000


def test_nothing_recalled_is_no_table():
    assert "table" not in Seen(RECALL._repr_html_()).tags


async def test_a_report_shows_its_documents(tmp_path: Path):
    async with home_with(tmp_path, "Ada Byrne") as book:
        report = await book.ingest_texts("ada-byrne", [text("a <b>.md", ADA)])
    assert isinstance(report, IngestReport)
    page = Seen(report._repr_html_())
    assert "b" not in page.tags
    assert "a <b>.md" in page.text
    assert "added" in page.text


async def test_the_cell_of_the_page_runs_as_in_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)):
        pass
    monkeypatch.setenv("OFFBOOK_CONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("OFFBOOK_METHOD", "naive")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").rename(tmp_path / "my-home")
    shown = LIBRARY.read_text("utf-8").partition("## In a notebook")[2]
    cell = re.findall(r"```python\n(.*?)```", shown, re.DOTALL)[0]
    names: dict[str, Any] = {}
    code = compile(cell, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    await eval(code, names)
    assert "Tom" in str(names["reply"])
    await names["book"].close()
