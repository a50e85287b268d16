"""Vanilla: nothing is built, nothing is recalled."""

from __future__ import annotations

from pathlib import Path

from offbook.methods.vanilla import Vanilla
from offbook.settings.model import SettingsModel
from offbook.types import Needs
from tests.app.homes import opened, text
from tests.cli.texts import ADA


def test_it_needs_nothing():
    assert Vanilla().needs(SettingsModel()) == Needs((), vectors=False)


async def test_vanilla_recalls_nothing_and_builds_nothing(tmp_path: Path):
    async with await opened(tmp_path, method="vanilla") as book:
        await book.create("Ada")
        report = await book.ingest_texts("ada", [text("ada.md", ADA)])
        assert [row.chunks for row in report.documents] == [0]
        found, _ = await book.recall("ada", "Who taught you?")
        assert (found.method, found.context, found.skipped) == ("vanilla", (), ())
        assert (await book.ask("ada", "Who are you?")).text
