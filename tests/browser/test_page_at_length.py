"""Much, or nothing, on the page: characters, turns, letters of a name, texts."""

from __future__ import annotations

import uuid
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from offbook.app import Offbook
from offbook.settings import load_settings
from offbook.ui import characters, conversation
from tests.browser.conftest import TakePicture
from tests.browser.served import BEYOND, HOSTILE_NAME, Served, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTHING_BEYOND = f"() => ({BEYOND})().length === 0"


async def test_of_many_characters_one_is_searched_for(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(characters, "_AT_A_GLANCE", 1)
    here = await visit("/", 390, 844)
    page = here.page
    cards = page.locator(".card:visible")
    await page.get_by_label("Search characters").fill("byrne")
    await expect(cards.filter(has_text="Tamsin")).to_have_count(0)
    await expect(cards.filter(has_text="Ada Byrne")).to_have_count(1)
    await page.get_by_label("Search characters").fill("nobody of this name")
    await expect(cards).to_have_count(0)
    await expect(page.get_by_text("0 characters")).to_be_visible()
    await page.get_by_label("Search characters").fill("")
    await expect(cards.filter(has_text="Tamsin")).to_have_count(1)
    await page.get_by_role("link", name="New character").click()
    await expect(page.get_by_label("Name of a new character")).to_be_in_viewport()


async def test_earlier_turns_of_a_long_conversation_are_shown_when_asked_for(
    visit: Visiting, served: Served, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(conversation, "_SHOWN", 2)
    name = uuid.uuid4().hex[:8]
    told = {"home": str(served.home), "chat.model": "offline"}
    async with await Offbook.open(load_settings(told, {}, served.home, Path("none"))) as book:
        talk = await book.session("ada-byrne", session=name)
        questions = [f"Who taught you to trim lamp {number}?" for number in range(5)]
        for question in questions:
            await talk.ask(question)
    here = await visit(f"/c/ada-byrne?session={name}", 390, 844)
    said, earlier = here.page.locator(".said"), here.page.get_by_role("button", name="Show earlier")
    await expect(said).to_have_text(questions[3:])
    await expect(here.page.get_by_text("3 earlier turns")).to_be_attached()
    await earlier.focus()
    await here.page.keyboard.press("Enter")
    await expect(said).to_have_text(questions[1:])
    await expect(said.nth(2)).to_be_in_viewport()
    await earlier.evaluate("(each) => { each.click(); each.click(); }")
    await expect(said).to_have_text(questions)
    await expect(earlier).to_have_count(0)
    await here.ask("And what happened to him?")
    await expect(said).to_have_text([*questions, "And what happened to him?"])
    await expect(here.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (820, "light")])
async def test_a_name_that_is_no_word_stays_within_the_window(
    visit: Visiting, picture: TakePicture, width, scheme
):
    here = await visit("/", width, 740, scheme)
    address = await here.page.get_by_role("link", name=HOSTILE_NAME).get_attribute("href")
    for part in (f"?session={uuid.uuid4().hex[:8]}", "/documents", "/names", "/compare"):
        await here.go(f"{here.served.address}{address}{part}")
        await here.page.wait_for_function(NOTHING_BEYOND)
        await here.fits()
    await here.page.get_by_role("combobox", name="First method").focus()
    await here.page.keyboard.press("Enter")
    await here.page.keyboard.press("ArrowDown")
    chosen = here.page.locator(".q-item.q-manual-focusable--focused")
    await expect(chosen).to_have_css("outline-style", "solid")
    await picture(here.page, f"page-compare-{width}-{scheme}")


async def test_a_character_without_texts_says_where_they_are_added(visit: Visiting, served: Served):
    async with await Offbook.open(served.settings) as book:
        made = await book.create(f"Nell {uuid.uuid4().hex[:6]}")
    for part in ("", "/graph", "/names"):
        here = await visit(f"/c/{quote(made.id)}{part}", 390, 844)
        await expect(here.page.locator(".notice.bad")).to_contain_text("has no documents yet")
        await here.page.get_by_role("link", name="To the documents").click()
        await expect(here.page.get_by_role("button", name="Choose files")).to_be_visible()
