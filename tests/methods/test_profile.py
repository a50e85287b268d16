"""Profile: one paragraph, the same whatever the question."""

from __future__ import annotations

from pathlib import Path

from offbook.methods.profile import Profile
from offbook.settings.model import SettingsModel
from offbook.types import Needs
from tests.app.homes import opened, text
from tests.cli.texts import ADA


def test_it_needs_the_summary_alone():
    assert Profile().needs(SettingsModel()) == Needs((), vectors=False, profile=True)


async def test_profile_recalls_the_same_paragraph_whatever_the_question(tmp_path: Path):
    async with await opened(tmp_path, method="profile") as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [text("ada.md", ADA)])
        one, _ = await book.recall("ada", "Who taught you?")
        other, _ = await book.recall("ada", "Have you seen Rome?")
        assert one.context == other.context
        (item,) = one.context
        assert (item.kind, item.title, item.score) == ("profile", "Ada", 1.0)
        assert item.text == (await book.find("ada")).profile


async def test_a_profile_is_written_anew_when_the_documents_change(tmp_path: Path):
    async with await opened(tmp_path, method="profile") as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [text("ada.md", ADA)])
        before = (await book.find("ada")).profile
        await book.ingest_texts("ada", [text("ada.md", ADA.replace("Tom", "Jem"))])
        after = (await book.find("ada")).profile
        assert before
        assert after
        assert "Jem" in after
        assert before != after
