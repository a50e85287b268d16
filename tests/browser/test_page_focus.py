"""Nobody who uses the page by keyboard loses the place: what is drawn anew keeps the focus."""

from __future__ import annotations

import uuid

import pytest
from playwright.async_api import Locator, expect

from tests.browser.served import Visit, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "Who taught you to trim the lamp?"


async def talking(visit: Visiting, *questions: str) -> Visit:
    here = await visit(f"/c/ada-byrne?session={uuid.uuid4().hex[:8]}")
    for question in questions:
        await here.ask(question)
    return here


def sources(here: Visit) -> Locator:
    return here.page.locator(".side").get_by_role("button", name="Source")


async def press(button: Locator) -> None:
    await button.focus()
    await button.press("Enter")


async def test_asked_again_why_a_reply_is_as_it_is_the_panel_stays_as_it_stands(visit: Visiting):
    here = await talking(visit, QUESTION)
    source = await sources(here).first.element_handle()
    assert source is not None
    async with here.answers_held():
        await press(here.why)
        # Whoever knows the way is faster than the connection.
        await source.focus()
    await expect(sources(here).first).to_be_focused()
    assert await source.evaluate("(it) => it === document.activeElement")


async def test_a_panel_that_is_drawn_anew_keeps_the_focus_in_it(visit: Visiting):
    here = await talking(visit, QUESTION, "What do you think of Darth Vader?")
    page, details = here.page, here.page.get_by_role("region", name="Details")
    async with here.answers_held():
        await press(here.why.first)
        await page.locator(".side summary").first.focus()
    await expect(details).to_be_focused()
    async with here.reply_held("Who taught you to trim a lamp?"):
        await sources(here).first.focus()
    await expect(here.why).to_have_count(3)
    await here.at_rest()
    await expect(page.locator(".side-body :focus, .side-body:focus")).to_have_count(1)


async def test_a_reply_that_is_drawn_anew_keeps_the_focus_on_its_button(visit: Visiting):
    here = await talking(visit, QUESTION)
    async with here.reply_held("And what happened to him?"):
        await here.why.first.focus()
    # It gives its arrows to the one that comes.
    await expect(here.why).to_have_count(2)
    await expect(here.why.first).to_be_focused()
