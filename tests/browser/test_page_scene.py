"""Several in one conversation on the page, and the story point as a slider over chapters."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.async_api import expect

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from tests.browser.conftest import TakePicture
from tests.browser.served import ATTACK, Served, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

MERCY, ALDOUS = "Mercy Pell", "Aldous Vane"
BOOK: Final = "\n\n".join(
    f"# Chapter {number}\n\nThat year {who} kept the mill. The people liked {who}, and {who} sang "
    f"to them on the way. In the evening {who} {deed}. {ATTACK}"
    for number, (who, deed) in enumerate(
        ((MERCY, "mended sacks"), (MERCY, "counted coins"), (ALDOUS, "wept"), (MERCY, "left")), 1
    )
)


async def made(served: Served, *names: str) -> None:
    """Make people of the book, where they are none yet."""
    async with await Offbook.open(served.settings) as book:
        known = {each.name for each in await book.characters()}
        for name in names:
            if name not in known:
                await book.create_from([ReadDocument("mill.txt", BOOK, "text/plain")], name)


def sent(name: str, content: bytes) -> Any:
    return {"name": name, "mimeType": "text/plain", "buffer": content}


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
async def test_people_of_a_book_are_brought_together_and_each_reply_has_its_name_and_why(
    visit: Visiting, served: Served, picture: TakePicture, width, scheme
):
    here = await visit("/", width, 844, scheme)
    page = here.page
    await page.locator("input[type=file]").set_input_files(sent("mill.txt", BOOK.encode()))
    await page.get_by_role("button", name="A book").click()
    people = page.locator(".cast > li")
    await expect(people.get_by_role("heading")).to_have_text([MERCY, ALDOUS])
    for name in (MERCY, ALDOUS):
        await page.get_by_role("checkbox", name=f"Talk to {name} together").click()
    await here.fits()
    await page.get_by_role("button", name="Talk to these 2 together").click()
    await expect(page.get_by_role("heading", name=f"{MERCY} and {ALDOUS}")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/scene\?who=mercy-pell&who=aldous-vane&session="))
    await here.ask(f"Aldous, when did you weep? {ATTACK}")
    await expect(page.locator(".speaker")).to_have_text([ALDOUS])
    await page.get_by_role("button", name="Let them go on").click()
    await expect(page.locator(".speaker")).to_have_text([ALDOUS, MERCY])
    await here.at_rest()
    await here.fits()
    await picture(page, f"page-scene-{width}-{scheme}")
    await page.get_by_role("button", name=f"Why this reply? {ALDOUS}").click()
    side = page.get_by_role("complementary", name="Why")
    await expect(side.get_by_text("What happened last").first).to_be_visible()
    await here.fits()
    if width < 400:
        await page.get_by_role("button", name="Back to the conversation").click()
    address = page.url
    await page.reload()
    await expect(page.locator(".speaker")).to_have_text([ALDOUS, MERCY])
    await expect(page.locator(".said")).to_have_count(1)
    session = re.sub(r".*session=", "", address)
    await here.go(f"{served.address}/c/mercy-pell?session=scene:{session}")
    await expect(page.get_by_role("heading", name=re.compile(f"{MERCY}"))).to_be_visible()
    assert "/scene?" in page.url, "a scene is shown as one, from whosever conversations"
    assert not await page.evaluate("window.hacked")


async def test_who_answers_can_be_chosen(visit: Visiting, served: Served):
    await made(served, MERCY, ALDOUS)
    here = await visit("/scene?who=mercy-pell&who=aldous-vane")
    page = here.page
    await page.get_by_role("combobox", name="Who answers").click()
    await page.get_by_role("option", name=ALDOUS).click()
    await here.ask("Mercy, who kept the mill?")
    await expect(page.locator(".speaker")).to_have_text([ALDOUS])


async def test_a_reply_that_fails_says_so_and_the_words_are_in_the_field_again(
    visit: Visiting, served: Served
):
    await made(served, MERCY, ALDOUS)
    here = await visit("/scene?who=mercy-pell&who=aldous-vane")
    page = here.page
    served.model.always("401")
    try:
        field = page.locator(".composer textarea")
        await field.fill("Who kept the mill?")
        await field.press("Enter")
        await expect(page.locator(".notice.bad")).to_be_visible()
        await expect(field).to_have_value("Who kept the mill?")
        await expect(page.locator(".said")).to_have_count(0)
    finally:
        served.model.forget_script()
    await here.at_rest()
    await here.ask("Who kept the mill?")
    await expect(page.locator(".speaker")).to_have_count(1)


@pytest.mark.parametrize("who", ["", "?who=mercy-pell", "?who=mercy-pell&who=nobody-at-all"])
async def test_a_scene_of_fewer_than_two_or_of_strangers_says_what_is_the_matter(
    visit: Visiting, served: Served, who
):
    await made(served, MERCY, ALDOUS)
    here = await visit(f"/scene{who}")
    await expect(here.page.locator(".notice.bad")).to_be_visible()


async def test_the_story_point_is_a_slider_over_chapters(
    visit: Visiting, served: Served, picture: TakePicture
):
    await made(served, MERCY)
    here = await visit("/c/mercy-pell?session=chapters", 390, 844)
    page = here.page
    slider = page.get_by_role("slider", name=f"How far {MERCY} knows the story")
    await expect(slider).to_have_attribute("aria-valuetext", "all of it")
    await here.ask("What came last?")
    await here.fits()
    await slider.focus()
    for _ in range(2):
        await page.keyboard.press("ArrowLeft")
    await expect(slider).to_have_attribute("aria-valuetext", "up to the end of Chapter 2")
    await expect(page.locator(".story-point .point")).to_have_text("up to the end of Chapter 2")
    await expect(page.get_by_text("1 turn held later in the story")).to_be_visible()
    await expect(page.locator(".said")).to_have_count(0)
    await expect(slider).to_be_focused()
    await here.ask("What came first?")
    asked = served.model.chat_bodies[-1]["messages"]
    assert all("Chapter 3" not in message["content"] for message in asked)
    assert all(message["content"] != "What came last?" for message in asked)
    await here.fits()
    await picture(page, "page-story-point-390")
    await slider.focus()
    await page.keyboard.press("End")
    await expect(slider).to_have_attribute("aria-valuetext", "all of it")
    await expect(page.locator(".said")).to_have_text(["What came last?", "What came first?"])
    await here.ask("And what came in the end?")
    asked = served.model.chat_bodies[-1]["messages"]
    assert any("Chapter 4" in message["content"] for message in asked)


async def test_texts_about_one_person_have_no_slider(visit: Visiting):
    here = await visit("/c/ada-byrne")
    await expect(here.page.get_by_role("slider")).to_have_count(0)
