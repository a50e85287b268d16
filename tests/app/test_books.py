"""Books: their casts, and characters made of them that share texts, index and corrections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.errors import IndexMissing, UnknownName, UnreadableDocument, UsageError
from offbook.ingestion.profile import telling
from offbook.settings import load_settings
from offbook.stores import casts, characters, documents, memories
from offbook.types import Document, ModelTraits
from tests.app import casting
from tests.app.homes import text

STEP = "Mind the third step of the stair, if you please"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return casting.use_it(monkeypatch)


async def opened(folder: Path, **flags: Any) -> Offbook:
    """An open home in which nobody has named a method."""
    named = {"home": str(folder / "home"), **flags}
    return await Offbook.open(load_settings(named, {}, folder, folder / "none"))


@pytest.fixture
async def book(tmp_path: Path, reads: list[int]) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path) as home:
        yield home


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "The Rock.md"
    path.write_text(casting.BOOK, encoding="utf-8")
    return path


async def of(book: Offbook, name: str) -> dict[str, Any]:
    return dict((await book.find(name)).settings)


async def test_a_cast_tells_who_is_where_and_the_home_stays_as_it_was(book, file: Path):
    rows = {row.name: row for row in await book.cast(file)}
    ada = rows["Ada Byrne"]
    assert next(iter(rows)) == "Ada Byrne"
    assert (ada.mentions, ada.lines, ada.gender) == (4, 1, "f")
    assert (ada.first, ada.last, ada.most) == ("Chapter 1", "Chapter 3", "Chapter 1")
    assert ada.aliases == ("Ada", "Miss Byrne")
    assert (ada.meets[0].name, ada.meets[0].times) == ("Tom Reeve", 2)
    assert (sum(ada.appears), len(ada.appears)) == (4, 24)
    assert await book.characters() == []
    assert await book.store.read(casts.sources_by_id) == {}


async def test_places_are_told_by_document_and_by_offset_where_there_are_no_headings(book):
    texts = [text("one.txt", "Ada Byrne slept."), text("two.txt", "# A\n\nHere is Ada Byrne.")]
    (ada,) = await book.cast(texts)
    assert (ada.first, ada.last) == ("one.txt@0", "two.txt#A")
    (alone,) = await book.cast(texts[:1])
    assert alone.first == "@0"


async def test_one_of_a_book_can_be_talked_to_at_once(book, file: Path):
    made = await book.create_from(file, "miss byrne")
    assert (made.character.id, made.book, made.others) == ("miss-byrne", "the-rock", ())
    assert set(made.names) == {"miss byrne", "Ada", "Ada Byrne", "Miss Byrne"}
    assert made.character.voice == (STEP,)
    assert made.character.settings[characters.GENDER] == "f"
    reply = await book.ask("miss-byrne", "Who are you?")
    assert (reply.recall.method, reply.usage.calls) == ("naive", 0)
    assert "I am miss byrne" in reply.text
    assert (await book.show("miss-byrne", None))["method"] == "naive"
    with pytest.raises(IndexMissing):
        await book.show("miss-byrne", "entities")


async def test_a_method_that_anybody_has_named_goes_before_passages(tmp_path, reads, file: Path):
    async with await opened(tmp_path, method="vanilla") as home:
        await home.create_from(file, "Ada")
        assert (await home.ask("ada", "Who are you?")).recall.method == "vanilla"


async def test_a_model_that_reads_the_book_ends_the_answers_from_passages(
    book, file: Path, monkeypatch: pytest.MonkeyPatch
):
    await book.create_from(file, "Ada")
    await book.ingest("ada")
    assert characters.BY_PASSAGES in await of(book, "ada"), "rules have read it, no model"
    monkeypatch.setattr("offbook.app.documents.traits_of", lambda _: ModelTraits(free=False))
    await book.create_from(file, "Tom Reeve")
    await book.ingest("tom-reeve")
    assert (await book.recall("tom-reeve", "Who is Ada?")).method == "ensemble"
    assert (await book.recall("ada", "Who is Tom?")).method == "naive"


async def test_further_characters_share_the_source_and_leave_it_one_by_one(book, file: Path, reads):
    await book.create_from(file, "Ada")
    again = await book.create_from("the-rock", "Tom Reeve")
    third = await book.create_from("ada", "Tom Reeve")
    assert (again.book, again.others) == ("the-rock", ("ada",))
    assert third.character.id == "tom-reeve-2"
    assert len(reads) == 1
    await book.delete("ada")
    assert "lamp" in (await book.ask("tom-reeve", "Who lit the lamp?")).text
    await book.delete("tom-reeve")
    await book.delete("tom-reeve-2")
    assert await book.store.read(casts.sources_by_id) == {}


async def test_two_books_of_one_name_are_two(book, file: Path):
    await book.create_from(file, "Ada")
    file.write_text(casting.BOOK + "\nAda slept.\n", encoding="utf-8")
    other = await book.create_from(file, "Ada")
    assert (other.character.id, other.book, other.others) == ("ada-2", "the-rock-2", ())
    (message,) = other.messages
    assert "'ada' is made of another text called 'the-rock'" in message
    assert f"offbook delete ada-2; offbook ingest ada '{file}'" in message


async def test_another_run_goes_on_with_what_a_killed_one_began(
    book, file: Path, monkeypatch: pytest.MonkeyPatch
):
    async def killed(*_: Any) -> list[str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("offbook.app.books._index", killed)
        patched.setattr("offbook.stores.characters.remove", lambda *_: True)  # never came to it
        with pytest.raises(KeyboardInterrupt):
            await book.create_from(file, "Ada")
    assert (await book.create_from(file, "Ada")).character.id == "ada"
    assert (await book.recall("ada", "Who lit the lamp?")).context
    assert (await book.create_from(file, "Ada")).character.id == "ada-2"


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Tom", UsageError, "'Tom Reeve' (named 2 times), 'Tom Pell' (named 1 times)"),
        ("Ada Brine", UnknownName, "did you mean 'Ada Byrne'?"),
        ("Zeb", UnknownName, "most named are 'Ada Byrne', 'Tom Reeve', 'Tom Pell'"),
        ("the", UnknownName, "it stands there as a word, not as a name"),
        ("long Letter", UnknownName, "as a word"),
        ("  ", UnknownName, "offbook cast "),
        ("!!", UnknownName, "offbook cast "),
    ],
)
async def test_whom_a_name_does_not_tell_is_asked_and_nothing_is_made(
    book, file: Path, name: str, error: type[UsageError], words: str
):
    with pytest.raises(error) as raised:
        await book.create_from(file, name)
    assert words in f"{raised.value.message} {raised.value.hint}"
    assert await book.characters() == []
    assert await book.store.read(casts.sources_by_id) == {}


async def test_who_is_not_in_the_cast_but_in_the_text_is_known_by_that_name_alone(book, file):
    made = await book.create_from(file, "Hull")
    assert (made.names, len(made.messages)) == (("Hull",), 1)


async def test_a_part_of_one_name_is_enough(book, file: Path):
    assert (await book.create_from(file, "Pell")).names == ("Pell", "Tom Pell", "Tom")


async def test_a_correction_before_there_is_a_graph_holds_for_all(book, file: Path, reads):
    await book.create_from(file, "Ada")
    await book.create_from(file, "Tom Reeve")
    report = await book.alias("tom-reeve", "The Keeper", "Ada Byrne", same=True)
    assert [each.name for each in report.entities] == ["Ada Byrne"]
    assert "ada" in report.messages[-1]
    assert "The Keeper" in (await of(book, "ada"))[characters.NAMES]
    assert (len(reads), (await book.cast("ada"))[0].mentions) == (2, 5)
    (decision,) = await book.show("ada", "decisions")
    await book.undo_decision("ada", decision["id"])
    assert "The Keeper" not in (await of(book, "ada"))[characters.NAMES]
    with pytest.raises(UnknownName):
        await book.alias("ada", "Nobody", "No One", same=True)


async def test_what_is_shared_is_forgotten_for_all_with_its_names_or_not_at_all(
    tmp_path: Path, reads
):
    folder = tmp_path / "saga"
    folder.mkdir()
    (folder / "1.md").write_text(casting.BOOK, encoding="utf-8")
    (folder / "2.md").write_text("# Later\n\nThen came Ada.\n", encoding="utf-8")
    (folder / "notes.xyz").write_text("?", encoding="utf-8")
    async with await opened(tmp_path) as home:
        made = await home.create_from(folder, "Ada")
        assert (made.book, len(made.messages)) == ("saga", 1)
        await home.create_from("saga", "Tom Reeve")
        with pytest.raises(UsageError, match="tom-reeve") as raised:
            await home.forget("ada", "1.md")
        assert "--for-all" in raised.value.hint
        await home.forget("ada", "1.md", for_all=True)
        for name in ("ada", "tom-reeve"):
            found = await home.find(name)
            assert (found.settings[characters.NAMES], found.voice) == ([found.name], ())
        assert len(await home.store.read(documents.list_all, "tom-reeve")) == 1
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert b"Miss Byrne" not in stored


async def test_a_book_that_is_forgotten_leaves_no_gender(book, file: Path):
    await book.create_from(file, "Ada")
    await book.forget("ada", file.name, for_all=True)
    left = {characters.NAMES: ["Ada"], characters.BY_PASSAGES: True}
    assert await of(book, "ada") == left


async def test_what_is_added_is_added_for_all_and_read_into_the_cast(book, file: Path):
    await book.create_from(file, "Ada")
    await book.create_from(file, "Tom Reeve")
    await book.memories.remember("ada", memories_of("Hello", "Good day."))
    await book.ingest_texts("tom-reeve", [text("more.md", "Ada went. Ada rested. " * 3)])
    assert (await book.cast("ada"))[0].mentions == 10
    assert len(await book.show("ada", "documents")) == 2
    assert await book.store.read(memories.list_memories, "tom-reeve") == []
    found = await book.find("ada")
    assert (found.voice, len(found.profile_documents)) == ((STEP,), 2)


def memories_of(said: str, answered: str) -> Any:
    from offbook.app.memories import memories_in

    return memories_in(f'{{"said": "{said}", "answered": "{answered}"}}', "m.jsonl")


async def test_an_export_travels_whole_and_without_the_others(book, file: Path, tmp_path: Path):
    await book.create_from(file, "Ada")
    await book.create_from(file, "Tom Reeve")
    await book.export("ada", tmp_path / "ada.offbook")
    async with await opened(tmp_path / "other") as there:
        await there.import_(tmp_path / "ada.offbook")
        assert [each.id for each in await there.characters()] == ["ada"]
        assert (await there.ask("ada", "Who lit the lamp?")).recall.method == "naive"
        assert (await there.cast("ada"))[0].name == "Ada Byrne"


async def test_odd_books(book, tmp_path: Path, file: Path):
    assert await book.cast([text("none.txt", "nobody is here")]) == []
    made = await book.create_from([text("灯.txt", "艾达点亮了灯。艾达睡了。")], "艾达")
    assert (made.character.id, made.book) == ("艾达", "灯")
    assert (await book.create_from([text("-.txt", casting.BOOK)], "Ada")).book == "book"
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableDocument):
        await book.cast(tmp_path / "empty")
    for missing in ("no-such-book.epub", "", "x" * 5000, "\0"):
        with pytest.raises(UnknownName):
            await book.cast(missing)
    await book.create("Bea")
    with pytest.raises(UsageError, match="no documents"):
        await book.create_from("bea", "Ada")


async def test_a_text_that_a_folder_holds_twice_is_stored_once_and_that_is_said(
    book, tmp_path: Path
):
    folder = tmp_path / "twice"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(casting.BOOK, encoding="utf-8")
    made = await book.create_from(folder, "Ada")
    assert "same content" in made.messages[0]
    assert (await book.cast("ada"))[0].mentions == 4
    assert (await book.create_from(folder, "Tom Reeve")).others == ("ada",)


async def test_two_at_once_share_one_source(book, tmp_path: Path, file: Path):
    async with await opened(tmp_path) as other:
        await asyncio.gather(book.create_from(file, "Ada"), other.create_from(file, "Tom Reeve"))
    assert list(await book.store.read(casts.sources_by_id)) == ["the-rock"]
    assert len(await book.show("ada", "documents")) == 1


async def test_who_is_there_has_the_texts(book, file: Path, monkeypatch: pytest.MonkeyPatch):
    async def wait(*_: Any) -> list[str]:
        there.append(len(await book.show("ada", "documents")))
        return []

    there: list[int] = []
    monkeypatch.setattr("offbook.app.books._index", wait)
    await book.create_from(file, "Ada")
    assert there == [1]


async def test_a_failure_leaves_nobody_behind(book, file: Path, monkeypatch: pytest.MonkeyPatch):
    async def fail(*_: Any) -> list[str]:
        raise UsageError("no room", "make some")

    monkeypatch.setattr("offbook.app.books._index", fail)
    with pytest.raises(UsageError):
        await book.create_from(file, "Ada")
    assert await book.store.read(casts.sources_by_id) == {}


async def test_a_profile_is_written_of_the_paragraphs_that_name_the_character(book, file: Path):
    made = (await book.create_from(file, "Tom Pell")).character
    document = Document("rock", "rock", casting.BOOK, "")
    (part,) = [each for each in telling(made, [document], 1_000) if "Hull" in each.text]
    assert casting.BOOK[part.start :].startswith(part.text)
    read = telling(made, [document], 1_000)
    assert all("Tom" in each.text and "Keeper" not in each.text for each in read)
    assert len(telling(made, [document], 25)) == 1


async def test_what_stands_under_a_heading_with_the_name_tells_of_a_character(book, file: Path):
    made = (await book.create_from(file, "Tom Pell")).character
    page = "# Isle\n\n## Tom Pell\n\nA pilot.\n\n### Looks\n\nLean.\n\n## The Quay\n\nWet.\n"
    read = telling(made, [Document("page", "page", page, "")], 1_000)
    assert [each.text for each in read] == ["A pilot.", "Lean."]


async def test_you_means_the_character_where_texts_tell_of_others(book, file: Path):
    other = "".join(
        f"\n\nThe sea was grey on day {day}, and you could see no land." for day in range(9)
    )
    texts = [text("sea.md", casting.BOOK + other)]
    await book.create_from(texts, "Tom Pell")
    recalled = await book.recall("tom-pell", "What do you see?")
    assert any("Pell" in item.text for item in recalled.context)
