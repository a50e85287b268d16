"""The front door for programs: what the command line does, without it."""

from __future__ import annotations

from pathlib import Path

import pytest

import offbook
from offbook.app import Offbook
from offbook.errors import ConfigurationError, IndexMissing, UnknownName
from offbook.settings import load_settings
from tests.app.homes import text
from tests.cli.texts import ADA, GULLS


async def test_a_home_opens_by_keyword(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OFFBOOK_CONFIG", str(tmp_path / "none"))
    async with await offbook.Offbook.open(home=tmp_path / "home", naive__k=1) as book:
        assert book.settings.values.naive.k == 1
        assert await book.characters() == []
    assert (tmp_path / "home" / "offbook.db").exists()


async def test_flags_win_over_settings_that_are_handed_over(tmp_path: Path):
    settings = load_settings({"naive.k": 3, "crag.k": 4}, {}, tmp_path, tmp_path / "none")
    async with await Offbook.open(settings, home=str(tmp_path / "home"), naive__k=1) as book:
        values = book.settings.values
        assert (values.naive.k, values.crag.k, values.home) == (1, 4, tmp_path / "home")


@pytest.mark.parametrize(
    ("flags", "nearest"), [({"naive__kk": 1}, "naive.k"), ({"metod": "naive"}, "method")]
)
async def test_a_keyword_that_is_no_setting_names_the_nearest(flags, nearest):
    with pytest.raises(ConfigurationError, match="unknown setting") as error:
        await Offbook.open(**flags)
    assert repr(nearest) in error.value.hint


@pytest.mark.parametrize("kind", [str, Path])
async def test_one_path_needs_no_list(book: Offbook, tmp_path: Path, monkeypatch, kind: type):
    monkeypatch.chdir(tmp_path)
    Path("gulls.txt").write_text(GULLS)
    found = await book.estimate("ada-byrne", kind("gulls.txt"))
    assert found.messages == ()
    report = await book.ingest("ada-byrne", kind("gulls.txt"), order="gulls.txt")
    assert [row.name for row in report.documents] == ["gulls.txt"]
    documents = await book.show("ada-byrne", "documents")
    assert [row["name"] for row in documents] == ["gulls.txt", "ada.md"]


async def test_a_reply_comes_with_its_recall_and_cost(book: Offbook):
    reply = await book.ask("Ada Byrne", "Who taught you to trim the lamp?")
    assert isinstance(reply, offbook.Reply)
    assert "Tom" in reply.text
    recalled = await book.recall("Ada Byrne", "Who taught you to trim the lamp?")
    assert recalled == reply.recall
    assert recalled.usage.calls == reply.usage.calls == 0


async def test_a_question_may_name_a_method_of_its_own(book: Offbook):
    asking = {"name": "ada-byrne", "question": "Who taught you to trim the lamp?"}
    assert (await book.ask(**asking, method="vanilla")).recall.method == "vanilla"
    assert (await book.recall(**asking, method="vanilla")).method == "vanilla"
    assert (await book.ask(**asking)).recall.method == book.settings.values.method != "vanilla"
    with pytest.raises(UnknownName, match="no method 'nave'") as error:
        await book.ask(**asking, method="nave")
    assert "'naive'" in error.value.hint


async def test_a_missing_index_is_that_of_the_named_method(book: Offbook):
    with pytest.raises(IndexMissing) as error:
        await book.ask("ada-byrne", "Who?", method="raptor")
    assert "--method raptor" in error.value.hint


async def test_a_reply_reads_as_its_text(book: Offbook):
    reply = await book.ask("Ada Byrne", "Who taught you to trim the lamp?")
    assert str(reply) == f"{reply}" == reply.text


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


async def test_a_program_sees_nothing_on_its_streams(book: Offbook, capsys):
    await book.ask("ada-byrne", "Who taught you?", session="s", user="kim")
    await book.doctor()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
