"""Who talks: their name and what they say of themselves, wherever a card speaks of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook.agent.session import Session, UserProfile, person_named, user_profile
from offbook.app import Offbook
from offbook.settings.model import UserSettings
from offbook.stores import principals
from tests.agent.talks import said, with_card
from tests.app.homes import opened
from tests.app.keeper import entry

ABOUT = UserSettings(name="Ines", description="A surveyor.")


@pytest.mark.parametrize(
    ("user", "called"),
    [
        ("Ines", "Ines"),
        ("Zoë O'Neill-Płonka Jr.", "Zoë O'Neill-Płonka Jr."),
        ("伊内丝", "伊内丝"),
        ("66ab31f0c2", None),
        ("ines@example.org", None),
        ("user_1", None),
        ("key:abc", None),
        (" . ", None),
        ("", None),
        (None, None),
        ("a" * 61, None),
    ],
)
def test_an_id_is_a_name_where_it_looks_like_one(user: str | None, called: str | None):
    assert person_named(user) == called


def test_settings_speak_of_the_owner_and_of_nobody_else():
    assert user_profile(None, principals.OWNER, ABOUT) == UserProfile("Ines", "A surveyor.")
    assert user_profile("Bo", principals.OWNER, ABOUT) == UserProfile("Bo", "A surveyor.")
    assert user_profile(None, "key:1", ABOUT) == UserProfile()
    assert user_profile("Bo", "key:1/Bo", ABOUT) == UserProfile("Bo")
    assert user_profile(None, principals.OWNER, UserSettings()) == UserProfile()


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    entries = [
        entry("{{char}} lets {{user}} sit. {{persona}}", constant=True),
        entry("@@is_greeting 0\nFirst greeting.", constant=True),
        entry("@@is_greeting 1\nSecond greeting.", constant=True),
        entry("@@activate_only_after 3\nNow it can be told.", constant=True),
    ]
    lore = {"extensions": {}, "entries": entries}
    async with await opened(tmp_path, method="vanilla", lore__similar=0) as made:
        yield await with_card(made, tmp_path, character_book=lore)


async def lore(talk: Session, words: str = "Well?") -> list[str]:
    found = await talk.recall(words)
    return [item.text for item in found.context if item.kind == "knowledge"]


async def test_lore_speaks_of_the_person_by_name(book: Offbook):
    talk = await book.session("tamsin-reeve", user="Ines")
    assert (await lore(talk))[0] == "Tamsin Reeve lets Ines sit."
    nobody = await book.session("tamsin-reeve")
    assert (await lore(nobody))[0] == "Tamsin Reeve lets User sit."


async def test_the_owner_may_say_who_they_are(book: Offbook, tmp_path: Path):
    told = {"user__name": "Ada", "user__description": "A cartographer."}
    async with await opened(tmp_path, method="vanilla", **told) as again:
        talk = await again.session("tamsin-reeve", session="s")
        assert talk.greetings[0].startswith("You will be Ada")
        assert (await lore(talk))[0] == "Tamsin Reeve lets Ada sit. A cartographer."


async def test_entries_of_a_greeting_follow_the_one_that_was_chosen(book: Offbook):
    for number, told in ((1, "First greeting."), (2, "Second greeting.")):
        talk = await book.session("tamsin-reeve", session=f"s{number}", user="Ines")
        talk.greet(number)
        found = await lore(talk)
        assert told in found
        assert len(found) == 2
    nobody_knows = await book.session("tamsin-reeve", session="s3")
    assert await lore(nobody_knows) == ["Tamsin Reeve lets User sit."]


async def test_replies_are_counted_that_recall_does_not_look_at_any_more(
    book: Offbook, monkeypatch: pytest.MonkeyPatch
):
    talk = await book.session("tamsin-reeve", session="s")
    for number in range(3):
        assert "Now it can be told." not in await lore(talk)
        await said(talk, f"Number {number}?")
    monkeypatch.setattr("offbook.agent.session.uncovered", lambda turns, state: turns[-1:])
    assert "Now it can be told." in await lore(talk)
