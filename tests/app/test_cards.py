"""Cards as part of a character: taken in, kept, exported, forgotten."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from offbook.app import Offbook
from offbook.cards import read_card, read_chatlog, write_card
from offbook.cards.card import Card
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.stores import conversations, documents
from tests.app.homes import opened
from tests.app.keeper import BRILL, OATH, WAT, as_file, entry, holds, keeper


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path) as made:
        yield made


@pytest.fixture
def card(tmp_path: Path) -> Path:
    file = tmp_path / "keeper.json"
    file.write_text(as_file(keeper()), "utf-8")
    return file


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


async def text_of(book: Offbook, name: str) -> str:
    found = await book.store.read(lambda conn: documents.require(conn, "tamsin-reeve", name))
    return str(found.text)


async def test_a_character_is_made_of_a_card_without_a_call(book: Offbook, card: Path):
    report = await book.cards.create(card)
    assert (report.character.id, report.greetings, report.entries) == ("tamsin-reeve", 2, 4)
    assert [row.name for row in report.documents] == ["card", "card-lore"]
    assert book.meter.usage().calls == 0
    persona = await text_of(book, "card")
    assert "Tamsin Reeve keeps the light on Grey Rock" in persona
    assert "{{" not in persona
    assert "Made for a test" not in persona
    assert "forty words" not in persona
    assert OATH in await text_of(book, "card-lore")
    assert report.character.voice == ("Lonely is for people who expect company.",)


async def test_who_names_a_nameless_card_names_its_character(book: Offbook, tmp_path: Path):
    file = tmp_path / "main_1f2e_spec_v2.json"
    file.write_text(as_file(keeper(name=" ")), "utf-8")
    derived = await book.cards.create(file)
    assert derived.character.name == "main_1f2e_spec_v2"
    assert "name-empty" in [finding.code for finding in derived.warnings]
    named = await book.cards.create(file, "Tamsin Reeve")
    assert [finding.code for finding in named.warnings] == []
    text = await text_of(book, "card")
    assert text.startswith("# Tamsin Reeve\n\nTamsin Reeve keeps the light")
    assert "spec_v2" not in text


async def test_a_name_that_cannot_be_one_can_be_given(book: Offbook, tmp_path: Path):
    file = tmp_path / "odd one.json"
    file.write_text(as_file(keeper(name="\U0001f525")), "utf-8")
    with pytest.raises(UsageError, match="has no letter") as told:
        await book.cards.create(file)
    assert told.value.hint.startswith("name it: offbook create NAME --card '")
    assert (await book.cards.create(file, "Flame")).character.id == "flame"
    file.write_text(as_file(keeper(name=" Tamsin\n Reeve ")), "utf-8")
    assert (await book.cards.create(file)).character.name == "Tamsin Reeve"


async def test_the_card_comes_back_with_every_field(book: Offbook, card: Path, tmp_path: Path):
    await book.cards.create(card)
    out = tmp_path / "out.json"
    written = await book.cards.export("tamsin-reeve", out)
    assert (written.format, written.losses) == ("json", ())
    made = json.loads(out.read_text("utf-8"))
    assert holds(made, keeper())
    assert list(made) == list(keeper())
    assert list(made["data"])[: len(keeper()["data"])] == list(keeper()["data"])


async def test_a_chat_log_has_the_greeting_and_all_swipes(
    book: Offbook, card: Path, tmp_path: Path
):
    kit = (await book.cards.create(card, "Kit")).character.id

    def talk(conn: Connection) -> None:
        conversations.begin(conn, kit, "talk")
        first = conversations.add_turn(conn, kit, "talk", "", "You will be Ines, then.")
        chosen = conversations.add_turn(conn, kit, "talk", "Why?", "Because.", parent=first)
        more = {"sample": 1}
        conversations.add_turn(conn, kit, "talk", "Why?", "Ask Wat.", parent=first, recall=more)
        conversations.add_turn(conn, kit, "talk", "And?", "No.", parent=chosen)

    await book.store.write(talk)
    out = tmp_path / "talk.jsonl"
    assert await book.cards.export_chat(kit, out, session="talk") == 5
    log = read_chatlog(out)
    assert [(m.name, m.text, m.swipes) for m in log.messages] == [
        ("Kit", "You will be Ines, then.", ()),
        ("User", "Why?", ()),
        ("Kit", "Because.", ("Because.", "Ask Wat.")),
        ("User", "And?", ()),
        ("Kit", "No.", ()),
    ]
    assert log.messages[2].raw["swipe_id"] == 0


async def test_assets_of_a_charx_are_kept(book: Offbook, tmp_path: Path):
    raw = keeper(
        assets=[{"type": "icon", "uri": "embeded://assets/icon/a.bin", "name": "main", "ext": "b"}]
    )
    raw.update(spec="chara_card_v3", spec_version="3.0")
    raw["data"]["group_only_greetings"] = []
    file, out = tmp_path / "keeper.charx", tmp_path / "again.charx"
    assets = {"assets/icon/a.bin": b"\1\2\3"}
    file.write_bytes(write_card(Card(raw), "charx", assets=assets).data)
    await book.cards.create(file)
    assert (await book.cards.export("tamsin-reeve", out)).losses == ()
    again = read_card(out)
    assert [(asset.kind, asset.size) for asset in again.assets] == [("member", 3)]
    told = await book.cards.export("tamsin-reeve", tmp_path / "bare.json")
    assert [loss.code for loss in told.losses] == ["asset-lost"]


async def test_a_character_of_documents_becomes_a_card(book: Offbook, tmp_path: Path):
    await book.create("Ada")
    with pytest.raises(UsageError, match="nothing to tell"):
        await book.cards.export("ada", tmp_path / "ada.json")
    text = (
        '# Ada\n\nAda mends clocks in Hull.\n\n## Sayings\n\n- "Time is patient."\n- "Wind it."\n'
    )
    await book.ingest_texts("ada", [ReadDocument("ada.md", text, "text/markdown")])
    told = tmp_path / "told.jsonl"
    told.write_text('{"said": "Who taught you?", "answered": "My aunt."}\n', "utf-8")
    await book.memories.remember("ada", told)
    await book.cards.export("ada", tmp_path / "ada.png")
    made = read_card(tmp_path / "ada.png").card
    assert made.name == "Ada"
    assert "mends clocks in Hull" in made.description
    assert made.first_mes == "Time is patient."
    assert "{{user}}: Who taught you?\n{{char}}: My aunt." in made.mes_example
    assert "{{char}}: Wind it." in made.mes_example


async def test_entities_become_a_lorebook(tmp_path: Path):
    text = "# Ada\n\nAda Byrne mends clocks in Hull. Her brother Tom Byrne sails to Bergen."
    async with await opened(tmp_path, method="rolerag") as book:
        await book.create("Ada Byrne")
        await book.ingest_texts("ada-byrne", [ReadDocument("ada.md", text, "text/markdown")])
        await book.cards.export("ada-byrne", tmp_path / "ada.json", spec=2)
    made = read_card(tmp_path / "ada.json").card
    assert made.version == 2
    assert made.book is not None
    keys = {key for each in made.book.entries for key in each.keys}
    assert "Tom Byrne" in keys
    assert "Ada Byrne" not in keys
    assert all(each.text for each in made.book.entries)


async def test_a_forgotten_card_leaves_no_word(book: Offbook, card: Path, tmp_path: Path):
    await book.cards.create(card)
    await book.ingest("tamsin-reeve")
    await book.forget("tamsin-reeve", "card-lore")
    assert OATH.encode() not in bytes_of(tmp_path / "home")
    await book.cards.export("tamsin-reeve", tmp_path / "out.json")
    left = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert left["data"]["character_book"] is None
    assert left["data"]["later"] == "an unknown field"
    await book.forget("tamsin-reeve", "card")
    for words in (b"harbour office", b"forty words", b"third step"):
        assert words not in bytes_of(tmp_path / "home")
    assert "card" not in (await book.find("tamsin-reeve")).settings
    with pytest.raises(UnknownName):
        await book.cards.show("tamsin-reeve")


async def test_a_lorebook_stays_when_its_card_is_forgotten_and_is_of_no_other_card(
    book: Offbook, card: Path, tmp_path: Path
):
    await book.cards.create(card)
    await book.forget("tamsin-reeve", "card")
    (left,) = await book.cards.files("tamsin-reeve")
    assert (left["document"], left["kind"]) == ("card-lore", "lorebook")
    other = tmp_path / "other.json"
    other.write_text(as_file(keeper(character_book=None)))
    await book.cards.attach("tamsin-reeve", other)
    written = await book.cards.export("tamsin-reeve", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["data"]["character_book"] is None
    assert [loss.code for loss in written.losses] == ["lorebook-left"]


async def test_the_card_is_in_the_portable_file(book: Offbook, tmp_path: Path):
    file = tmp_path / "keeper.png"
    file.write_bytes(write_card(Card(keeper()), "png").data)
    await book.cards.create(file)
    first, second = tmp_path / "one.offbook", tmp_path / "two.offbook"
    await book.export("tamsin-reeve", first)
    await book.delete("tamsin-reeve")
    await book.import_(first)
    await book.export("tamsin-reeve", second)
    assert first.read_bytes() == second.read_bytes()
    await book.cards.export("tamsin-reeve", tmp_path / "out.png")
    assert read_card(tmp_path / "out.png").card.raw == read_card(file).card.raw
    talk = await book.session("tamsin-reeve")
    assert len(talk.greetings) == 2


async def test_a_lorebook_is_attached_and_recalled(book: Offbook, card: Path, tmp_path: Path):
    await book.cards.create(card)
    world = tmp_path / "harbour.json"
    raw: dict[str, Any] = {
        "entries": {
            "0": {"uid": 0, "key": ["herring"], "keysecondary": [], "comment": "Fish",
                  "content": "{{char}} owes nine barrels of herring.", "order": 5},
        }
    }  # fmt: skip
    world.write_text(as_file(raw))
    report = await book.cards.attach("tamsin-reeve", world)
    assert (report.kind, report.entries) == ("lorebook", 1)
    await book.ingest("tamsin-reeve")
    found = await book.recall("tamsin-reeve", "Do you still owe that herring?")
    (item,) = [item for item in found.context if item.title == "Fish"]
    assert item.text == "Tamsin Reeve owes nine barrels of herring."
    assert item.kind == "knowledge"
    stored = await text_of(book, "harbour.json")
    (source,) = item.sources
    assert stored[source.start : source.end] == item.text
    assert found.usage.calls == 0
    written = await book.cards.export("tamsin-reeve", tmp_path / "out.json")
    assert [loss.code for loss in written.losses] == ["lorebook-left"]
    shown = await book.cards.show("tamsin-reeve")
    assert [each["title"] for each in shown["lorebook"]["entries"]][-1] == "Fish"


async def test_the_same_card_again_changes_nothing(book: Offbook, card: Path):
    await book.cards.create(card)
    report = await book.cards.attach("tamsin-reeve", card)
    assert {row.status for row in report.documents} == {"unchanged"}
    assert len(await book.cards.files("tamsin-reeve")) == 2


async def test_a_second_card_is_refused(book: Offbook, card: Path, tmp_path: Path):
    await book.cards.create(card)
    other = tmp_path / "other.json"
    other.write_text(as_file(keeper(description="Somebody else.")))
    with pytest.raises(UsageError, match="another card"):
        await book.cards.attach("tamsin-reeve", other)


async def test_a_document_of_a_persons_own_is_not_written_over(book: Offbook, card: Path):
    await book.create("Tamsin Reeve")
    await book.ingest_texts("tamsin-reeve", [ReadDocument("card", "My own words.", "text/plain")])
    with pytest.raises(UsageError, match="is of no card"):
        await book.cards.attach("tamsin-reeve", card)
    assert await text_of(book, "card") == "My own words."


async def test_an_empty_lorebook_is_refused(book: Offbook, tmp_path: Path):
    await book.create("Ada")
    file = tmp_path / "empty.json"
    file.write_text(as_file({"spec": "lorebook_v3", "data": {"entries": [entry("", "a")]}}))
    with pytest.raises(UsageError, match="no entry"):
        await book.cards.attach("ada", file)


@pytest.mark.parametrize("method", ["vanilla", "profile", "naive", "ensemble"])
async def test_every_method_has_the_lorebook(tmp_path: Path, card: Path, method: str):
    async with await opened(tmp_path, method=method) as book:
        await book.cards.create(card)
        await book.ingest("tamsin-reeve")
        found = await book.recall("tamsin-reeve", "What happened to Wat?")
        texts = [item.text for item in found.context if item.kind == "knowledge"]
        assert sum(WAT in text for text in texts) == 1
        assert sum(BRILL in text for text in texts) == 1
