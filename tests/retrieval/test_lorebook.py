"""Lorebooks at a question: keys, meaning, budget, the point in the story, timers, repeats."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.app import Offbook
from offbook.context.assembly import lore_beside, lore_of
from offbook.documents.readers import ReadDocument
from offbook.settings import load_settings
from offbook.settings.model import LoreSettings
from offbook.stores import documents
from offbook.text.tokens import count_tokens
from offbook.types import ContextItem, LoreEntries, LoreQuery, Message, Position, Skipped
from tests.app.keeper import BRILL, OATH, WAT, as_file, entry, keeper

KEYS_ONLY = LoreSettings(similar=0)


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    settings = load_settings({"home": str(tmp_path / "home")}, {}, tmp_path, tmp_path / "none")
    async with await Offbook.open(settings) as opened:
        yield opened


async def told(
    book: Offbook,
    entries: Sequence[dict[str, Any]],
    tmp_path: Path,
    **fields: Any,
) -> None:
    """Make the keeper with these entries."""
    lore = {"extensions": {}, "entries": list(entries), **fields}
    file = tmp_path / "k.json"
    file.write_text(as_file(keeper(character_book=lore)), "utf-8")
    await book.cards.create(file)


def query(
    said: str,
    history: Sequence[Message] = (),
    settings: LoreSettings = KEYS_ONLY,
    window: int | None = None,
    until: Position | None = None,
) -> LoreQuery:
    return LoreQuery(
        question=said,
        history=history,
        message=said,
        until=until,
        budget_tokens=settings.budget(window),
        most_tokens=settings.most_for_a_book(window),
        beyond_tokens=settings.beyond(window),
        scan_depth=settings.scan_depth,
        similar=settings.similar,
        least=settings.least,
    )


async def look(
    book: Offbook,
    said: str,
    history: Sequence[tuple[str, str]] = (),
    settings: LoreSettings = KEYS_ONLY,
    until: Position | None = None,
) -> LoreEntries:
    character = await book.find("tamsin-reeve")
    before = [
        message
        for asked, answered in history
        for message in (Message("user", asked), Message("assistant", answered))
    ]
    asked = query(said, before, settings, until=until)
    lore = await lore_of(book.store, character)
    return LoreEntries() if lore is None else lore.recall(asked, count_tokens)


def texts(lore: LoreEntries) -> list[str]:
    return [item.text for item in lore.items]


async def test_keys_call_for_entries_and_constant_ones_are_always_there(
    book: Offbook, tmp_path: Path
):
    await told(book, keeper()["data"]["character_book"]["entries"], tmp_path)
    assert texts(await look(book, "What is that oath of yours?")) == [BRILL, OATH]
    assert texts(await look(book, "Good evening.")) == [BRILL]
    assert texts(await look(book, "Tell me of WAT!")) == [BRILL, WAT]
    assert texts(await look(book, "This is what it is, watery.")) == [BRILL]


async def test_a_budget_of_nothing_leaves_lorebooks_out(tmp_path: Path):
    values = {"home": str(tmp_path / "home"), "method": "vanilla", "lore.budget_tokens": 0}
    settings = load_settings(values, {}, tmp_path, tmp_path / "none")
    async with await Offbook.open(settings) as book:
        await told(book, [entry(OATH, "oath", constant=True)], tmp_path)
        recall = await book.recall("tamsin-reeve", "The oath?")
    assert (recall.context, recall.skipped) == ((), ())


@pytest.mark.parametrize(
    ("set_tokens", "window", "shared", "most", "beyond"),
    [
        (None, None, 2_048, None, 0),
        (None, 4_000, 1_000, 1_000, 500),
        (None, 128_000, 32_000, 32_000, 16_000),
        (300, 4_000, 300, 300, 0),
        (9_000, None, 9_000, 9_000, 0),
    ],
)
def test_the_budget_follows_the_window_of_the_model(set_tokens, window, shared, most, beyond):
    settings = LoreSettings(budget_tokens=set_tokens)
    assert settings.budget(window) == shared
    assert settings.most_for_a_book(window) == most
    assert settings.beyond(window) == beyond


async def test_recursion_and_a_budget_for_whole_entries_are_the_default(
    book: Offbook, tmp_path: Path
):
    wood = "The wood is full of wolves and their tracks. " * 20
    wolves = "The wolves serve the queen, who sleeps below the roots. " * 20
    await told(book, [entry(wood, "wood"), entry(wolves, "wolves")], tmp_path)
    assert texts(await look(book, "What is in the wood?")) == [wood.strip(), wolves.strip()]
    character = await book.find("tamsin-reeve")
    lore = await lore_of(book.store, character)
    assert lore is not None
    assert texts(lore.recall(query("wood", window=1_024), count_tokens)) == [wood.strip()]


async def test_an_attached_book_has_what_the_cards_own_leaves(book: Offbook, tmp_path: Path):
    await told(book, [entry(OATH, "oath")], tmp_path)
    world = tmp_path / "world.json"
    other = "The oath was written by Abbot Lorne in a year of plague and fog."
    world.write_text(
        as_file({"spec": "lorebook_v3", "data": {"entries": [entry(other, "oath")]}}), "utf-8"
    )
    await book.cards.attach("tamsin-reeve", world)
    assert texts(await look(book, "The oath?")) == [OATH, other]
    tight = LoreSettings(budget_tokens=count_tokens(OATH) + 1, similar=0)
    found = await look(book, "The oath?", settings=tight)
    assert texts(found) == [OATH]
    assert len(found.skipped) == 1


async def test_macros_and_markup_are_resolved(book: Offbook, tmp_path: Path):
    text = "{{char}} hides a <b>key</b> from {{user}}.<script>alert(1)</script>"
    await told(book, [entry(text, "key", name="{{char}}'s key")], tmp_path)
    (item,) = (await look(book, "A key?")).items
    assert item.text == "Tamsin Reeve hides a key from User."
    assert item.title == "Tamsin Reeve's key"


async def test_the_sources_are_places_in_the_document(book: Offbook, tmp_path: Path):
    await told(book, keeper()["data"]["character_book"]["entries"], tmp_path)
    rows = await book.show("tamsin-reeve", "documents")
    assert [row["name"] for row in rows] == ["card", "card-lore"]
    (_, item) = (await look(book, "The oath?")).items
    (source,) = item.sources
    assert source.document == rows[1]["id"]
    assert source.end - source.start == len(OATH)


async def test_what_stands_later_in_the_story_is_unknown(book: Offbook, tmp_path: Path):
    await told(book, [entry(WAT, "Wat"), entry(OATH, "oath")], tmp_path)
    (first,) = (await look(book, "Wat?")).items
    end = first.sources[0].end
    known = await look(book, "Wat and the oath?", until=Position(1, end))
    assert texts(known) == [WAT]
    assert "--as-of" in known.skipped[0].why
    assert texts(await look(book, "Wat and the oath?", until=Position(0, 10_000))) == []


async def test_a_character_without_a_lorebook_has_none(book: Offbook):
    await book.create("Tamsin Reeve")
    await book.ingest_texts("tamsin-reeve", [ReadDocument("a.md", OATH, "text/markdown")])
    assert await look(book, "The oath?") == LoreEntries()


async def test_an_edit_of_the_lorebook_is_seen(book: Offbook, tmp_path: Path):
    await told(book, [entry(OATH, "oath")], tmp_path)
    world = tmp_path / "world.json"
    for text in ("Nine barrels.", "Ten barrels."):
        raw = {"spec": "lorebook_v3", "data": {"entries": [entry(text, "herring")]}}
        world.write_text(json.dumps(raw), "utf-8")
        await book.cards.attach("tamsin-reeve", world)
        assert texts(await look(book, "Herring?")) == [text]


WORDS = st.lists(
    st.sampled_from(["ash", "bell", "cod", "dune", "eel"]), min_size=1, max_size=4
).map(" ".join)


def items(found: Sequence[str]) -> tuple[ContextItem, ...]:
    return tuple(ContextItem("knowledge", f"{i}", text, 1.0) for i, text in enumerate(found))


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_no_words_are_shown_twice_and_none_are_lost(entries: list[str], passages: list[str]):
    other = ContextItem("memory", "", "ash", 1.0)
    shown, skipped = lore_beside(
        LoreEntries(items(entries), (Skipped("knowledge", "x", "y"),)), (other, *items(passages))
    )
    kept = [item.text for item in shown if item.kind == "knowledge"]
    assert other in shown
    assert len(shown) - 1 + len(skipped) - 1 == len(entries) + len(passages)
    for words in (*entries, *passages):
        assert any(words in text for text in kept)
    for entry_ in entries:
        assert not any(passage in entry_ for passage in kept if passage not in entries)


async def test_entries_of_all_books_stand_in_one_order(book: Offbook, tmp_path: Path):
    await told(
        book,
        [
            entry("@@depth 0\nOwn, last.", "oath"),
            entry("Own, after.", "oath", insertion_order=20),
        ],
        tmp_path,
    )
    world = tmp_path / "world.json"
    others = [
        entry("Other, after.", "oath", insertion_order=10),
        entry("Other, before.", "oath", position="before_char", insertion_order=90),
        entry("Other, deep.", "oath", extensions={"position": 4, "depth": 6}),
    ]
    world.write_text(as_file({"spec": "lorebook_v3", "data": {"entries": others}}), "utf-8")
    await book.cards.attach("tamsin-reeve", world)
    assert texts(await look(book, "The oath?")) == [
        "Other, before.", "Other, after.", "Own, after.", "Other, deep.", "Own, last.",
    ]  # fmt: skip


async def test_what_is_kept_back_stands_in_no_document(book: Offbook, tmp_path: Path):
    secret = "@@activate_only_after 2\nThe vault is under the third step."
    await told(book, [entry(secret, "vault"), entry(OATH, "oath")], tmp_path)
    document = await book.store.read(documents.require, "tamsin-reeve", "card-lore")
    assert OATH in document.text
    assert "vault" not in document.text
    assert texts(await look(book, "The vault?", settings=LoreSettings())) == []
    after = [("Hm?", "Ay."), ("Well?", "Well.")]
    (item,) = (await look(book, "The vault?", after)).items
    assert (item.text, item.sources) == ("The vault is under the third step.", ())


async def test_a_book_of_nothing_but_what_is_kept_back_is_recalled(book: Offbook, tmp_path: Path):
    await told(book, [entry("Late.", "oath", extensions={"delay": 3})], tmp_path)
    assert texts(await look(book, "The oath?")) == []
    assert texts(await look(book, "The oath?", [("Hm?", "Ay.")])) == ["Late."]


async def test_a_large_book_with_timers_is_traced_less_far(
    book: Offbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    item = entry(WAT, "Wat", extensions={"sticky": 40, "scan_depth": 1})
    await told(book, [item], tmp_path)
    after = [("Who is Wat?", "My brother."), *[("Go on.", "Ay.")] * 5]
    assert texts(await look(book, "Well?", after)) == [WAT]
    monkeypatch.setattr("offbook.cards.lore._TRACED_ENTRIES", 3)
    assert texts(await look(book, "Well?", after)) == []


async def test_an_attached_book_does_not_take_the_place_of_the_cards(book: Offbook, tmp_path: Path):
    await told(book, [entry(OATH, "oath")], tmp_path)
    world = tmp_path / "card-lore"
    world.write_text(as_file({"entries": [entry(WAT, "Wat")], "extensions": {}}), "utf-8")
    report = await book.cards.attach("tamsin-reeve", world)
    assert [row.name for row in report.documents] == ["card-lore.json"]
    assert texts(await look(book, "The oath of Wat?")) == [OATH, WAT]


async def test_timers_traced_along_a_talk_take_no_time_from_the_recall_itself(
    book: Offbook, tmp_path: Path
):
    smoke = entry("Smoke.", "smoke", extensions={"sticky": 4})
    slow = entry("Never.", "/(a|aa)+\\1$/", use_regex=True, name="slow")
    lair = entry("A lair.", "/dragon/i", use_regex=True)
    await told(book, [smoke, slow, lair], tmp_path)
    after = [("Go on.", "a" * 200 + "!")] * 12
    found = await look(book, "The dragon!", after)
    assert texts(found) == ["A lair."]
    assert [skip.title for skip in found.skipped] == ["slow"]


async def end_of(book: Offbook, said: str) -> int:
    """Where the entry stands in its document that alone is recalled."""
    (item,) = (await look(book, said)).items
    return item.sources[0].end


async def test_what_is_not_known_yet_takes_no_room_from_what_is(book: Offbook, tmp_path: Path):
    later = entry("The oath was broken. " * 5, "oath", "broken", name="later", priority=9)
    await told(book, [entry(OATH, "oath"), later], tmp_path, recursive_scanning=False)
    tight = LoreSettings(budget_tokens=count_tokens(later["content"]) + 1, similar=0)
    assert texts(await look(book, "The oath?", settings=tight)) == [later["content"].strip()]
    until = Position(1, (await look(book, "The broken one")).items[0].sources[0].start - 1)
    found = await look(book, "The oath?", settings=tight, until=until)
    assert texts(found) == [OATH]
    assert [(skip.title, "--as-of" in skip.why) for skip in found.skipped] == [("later", True)]


async def test_what_is_not_known_yet_wins_no_group_and_is_searched_for_no_keys(
    book: Offbook, tmp_path: Path
):
    entries = [
        entry(WAT, "Wat", extensions={"group": "reeves"}),
        entry(BRILL, "Brill", name="Brill"),
        entry(
            "Wat came back to Brill.",
            "Wat",
            extensions={"group": "reeves", "group_override": True},
            insertion_order=99,
        ),
    ]
    await told(book, entries, tmp_path, recursive_scanning=True)
    until = Position(1, await end_of(book, "Brill?"))
    assert texts(await look(book, "Wat?")) == [BRILL, "Wat came back to Brill."]
    assert texts(await look(book, "Wat?", until=until)) == [WAT]


async def test_what_is_not_known_yet_is_not_among_the_nearest(book: Offbook, tmp_path: Path):
    rope = "The chandler in Brill sells rope and tar on credit."
    sold = "The chandler sold me a rope, and who could sell me a rope but he?"
    await told(book, [entry(rope, "zzz"), entry(sold, "qqq")], tmp_path)
    until = Position(1, await end_of(book, "zzz"))
    nearest = LoreSettings(similar=1)
    assert texts(await look(book, "Who could sell me a rope?", settings=nearest)) == [sold]
    found = await look(book, "Who could sell me a rope?", settings=nearest, until=until)
    assert texts(found) == [rope]


async def test_what_is_kept_back_is_known_once_the_entry_before_it_is(
    book: Offbook, tmp_path: Path
):
    entries = [
        entry(OATH, "oath"),
        entry("Wat", "step", extensions={"delay": 1}),
        entry(WAT, "drowned"),
        entry(BRILL, "Brill"),
    ]
    await told(book, entries, tmp_path)
    end = await end_of(book, "The oath?")
    found = await look(book, "The step?", until=Position(1, end))
    assert texts(found) == ["Wat"]
    assert found.items[0].sources == ()
    assert texts(await look(book, "The step?", until=Position(1, end - 1))) == []
    (item,) = (await look(book, "drowned?")).items
    assert item.sources[0].end - item.sources[0].start == len(WAT)
    assert texts(await look(book, "Brill?", until=Position(1, item.sources[0].end))) == []


async def test_what_is_for_other_occasions_stands_in_no_document(book: Offbook, tmp_path: Path):
    other = entry(WAT, "Wat", extensions={"triggers": ["swipe", "quiet"]})
    usual = entry(BRILL, "Brill", extensions={"triggers": ["normal", "swipe"]})
    await told(book, [other, usual, entry(OATH, "oath")], tmp_path)
    document = await book.store.read(documents.require, "tamsin-reeve", "card-lore")
    assert OATH in document.text
    assert BRILL in document.text
    assert WAT not in document.text


async def test_what_takes_nothing_of_the_budget_leaves_it_to_the_next_book(
    book: Offbook, tmp_path: Path
):
    free = entry("The ledger lists every debt. " * 9, "oath", extensions={"ignore_budget": True})
    await told(book, [free], tmp_path)
    world = tmp_path / "world.json"
    world.write_text(
        as_file({"spec": "lorebook_v3", "data": {"entries": [entry(OATH, "oath")]}}), "utf-8"
    )
    await book.cards.attach("tamsin-reeve", world)
    tight = LoreSettings(budget_tokens=count_tokens(OATH) + 1, similar=0)
    assert texts(await look(book, "The oath?", settings=tight)) == [free["content"].strip(), OATH]
