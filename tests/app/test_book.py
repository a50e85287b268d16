"""The front door for programs: what the command line does, without it."""

from __future__ import annotations

from pathlib import Path

import pytest

import offbook
from offbook.app import Offbook
from offbook.errors import IndexMissing, UnknownName, UsageError
from offbook.ingestion.reports import Progress
from tests.app.homes import opened, text
from tests.cli.texts import ADA, GULLS


async def test_a_home_opens_by_keyword(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OFFBOOK_CONFIG", str(tmp_path / "none"))
    async with await offbook.Offbook.open(home=tmp_path / "home", naive__k=1) as book:
        assert book.settings.values.naive.k == 1
        assert await book.characters() == []
    assert (tmp_path / "home" / "offbook.db").exists()


async def test_characters_with_how_much_is_known_of_each(book: Offbook):
    await book.create("Bea")
    ada, bea = await book.characters()
    assert (ada.id, ada.documents, ada.chars) == ("ada-byrne", 1, len(ADA))
    assert bea.as_json()["documents"] == 0


async def test_files_are_ingested_with_progress(book: Offbook, tmp_path: Path):
    file = tmp_path / "gulls.txt"
    file.write_text(GULLS)
    events: list[Progress] = []
    report = await book.ingest("ada-byrne", [str(file)], progress=events.append)
    assert [(row.name, row.status) for row in report.documents] == [("gulls.txt", "added")]
    assert events[-1].stage == "embedding"
    assert events[-1].done == events[-1].total == 1


async def test_an_estimate_is_of_what_would_be_read(book: Offbook, tmp_path: Path):
    file = tmp_path / "gulls.txt"
    file.write_text(GULLS)
    found = await book.estimate("ada-byrne", [file])
    assert (found.calls, found.embed_calls, found.messages) == (0, 0, ())
    assert found.in_words() == "no calls"
    assert [row["name"] for row in await book.show("ada-byrne", "documents")] == ["ada.md"]


async def test_a_reply_comes_with_its_recall_and_cost(book: Offbook):
    reply = await book.ask("Ada Byrne", "Who taught you to trim the lamp?")
    assert isinstance(reply, offbook.Reply)
    assert "Tom" in reply.text
    recalled, usage = await book.recall("Ada Byrne", "Who taught you to trim the lamp?")
    assert recalled == reply.recall
    assert usage.calls == reply.usage.calls == 0


async def test_what_is_missing_can_be_asked_beforehand(book: Offbook, tmp_path: Path):
    await book.require_index("ada-byrne")
    await book.create("Bea")
    with pytest.raises(IndexMissing) as error:
        await book.require_index("bea")
    assert "offbook ingest bea" in error.value.hint
    assert "FILE..." in error.value.hint
    async with await opened(tmp_path, method="profile") as other:
        with pytest.raises(IndexMissing, match="no profile"):
            await other.require_index("ada-byrne")


async def test_a_forgotten_document_can_come_back(book: Offbook):
    gone = await book.forget("ada-byrne", "ada.md")
    assert gone.as_json() == {
        "character": "Ada Byrne",
        "document": "ada.md",
        "chunks": gone.chunks,
        "cached_calls": 0,
        "turns": 0,
        "memories": 0,
        "messages": (),
        "usage": gone.usage.as_json(),
    }
    assert gone.usage.calls == 0
    assert gone.chunks >= 3
    with pytest.raises(IndexMissing):
        await book.ask("ada-byrne", "Who taught you?")
    report = await book.ingest_texts("ada-byrne", [text("ada.md", ADA)])
    assert report.documents[0].status == "added"
    assert "Tom" in (await book.ask("ada-byrne", "Who taught you?")).text


async def test_the_voice_follows_the_documents(book: Offbook):
    assert (await book.find("ada-byrne")).voice == ("The sea does not argue, and neither do I.",)
    await book.forget("ada-byrne", "ada.md")
    assert (await book.find("ada-byrne")).voice == ()


async def test_a_character_moves_house(book: Offbook, tmp_path: Path):
    file = tmp_path / "ada.offbook"
    moved = await book.export("Ada Byrne", str(file))
    assert moved.id == "ada-byrne"
    async with await opened(tmp_path / "elsewhere") as other:
        made = await other.import_(str(file))
        assert (made.id, made.name, made.voice) == (moved.id, moved.name, moved.voice)
        with pytest.raises(UsageError, match="already"):
            await other.import_(file)
        assert (await other.import_(file, replace=True)).id == "ada-byrne"


async def test_the_demo_character_is_built_once(tmp_path: Path):
    async with await opened(tmp_path) as book:
        character, report = await book.demo_character()
        again, second = await book.demo_character()
        assert character.id == again.id
        assert [r.documents[0].status for r in (report, second)] == ["added", "unchanged"]


async def test_unknown_names_are_told(book: Offbook):
    for call in (
        book.find("Nobody"),
        book.delete("Nobody"),
        book.forget("ada-byrne", "nothing"),
        book.show("ada-byrne", "nothing"),
    ):
        with pytest.raises(UnknownName):
            await call


async def test_a_program_sees_nothing_on_its_streams(book: Offbook, capsys):
    await book.ask("ada-byrne", "Who taught you?", session="s", user="kim")
    await book.doctor()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
