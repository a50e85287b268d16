"""A book on the page: dropped, its people looked at, one picked, who answers."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.async_api import expect

from offbook.app import Offbook
from offbook.stores import characters
from tests.browser.conftest import TakePicture
from tests.browser.served import ATTACK, Served, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

NELL, OSRIC = "Nell Carver", "Osric Thane"
BOOK: Final = "\n\n".join(
    f"# Chapter {number}\n\nThat year {who} kept the ferry. The people liked {who}, and {who} sang "
    f"to them on the way. In the evening {who} mended nets. {ATTACK}"
    for number, who in enumerate((NELL, NELL, OSRIC, NELL), 1)
)


def sent(name: str, content: bytes) -> Any:
    """A file as a browser sends it."""
    return {"name": name, "mimeType": "text/plain", "buffer": content}


async def test_a_book_is_dropped_and_one_of_its_people_picked_who_answers(
    visit: Visiting, served: Served, picture: TakePicture
):
    here = await visit("/", 390, 844, "dark")
    page = here.page
    await page.locator("input[type=file]").set_input_files(sent("ferry.txt", BOOK.encode()))
    await expect(page.get_by_text("It seems to be a book")).to_be_visible()
    await page.get_by_role("button", name="A book").click()
    people = page.locator(".cast > li")
    await expect(people.get_by_role("heading")).to_have_text([NELL, OSRIC])
    await expect(page.get_by_role("heading", name="Who is in ferry.txt?")).to_be_in_viewport()
    await expect(people.locator("svg")).to_have_count(2)
    await expect(people.first).to_contain_text("Chapter 1 to Chapter 4, most in")
    await expect(people.last.locator("figcaption")).to_contain_text("in Chapter 3")
    await here.fits()
    await picture(page, "page-cast-390-dark")
    await people.last.get_by_role("button", name=f"Talk to {OSRIC}").dblclick()
    await expect(page.get_by_role("heading", name=OSRIC)).to_be_visible()
    await here.ask("What did you mend?")
    await expect(page.locator(".answered").last).not_to_be_empty()
    await here.fits()
    await picture(page, "page-of-a-book-390-dark")

    await page.locator(".origin").get_by_role("link", name="Cast").click()
    await expect(page.get_by_role("link", name=f"Talk to {OSRIC}")).to_be_visible()
    await page.get_by_role("button", name=f"Talk to {NELL}").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=NELL)).to_be_visible()
    await here.ask("Who sang?")
    async with await Offbook.open(served.settings) as book:
        sharing = await book.store.read(characters.sharing, "nell-carver")
    assert sharing == ["nell-carver", "osric-thane"]


async def test_what_cannot_be_read_is_said_and_the_next_file_is_taken(visit: Visiting):
    here = await visit("/")
    page = here.page
    files = page.locator("input[type=file]")
    for name, content, told in (
        ("noise.txt", b"\0\1", "is binary"),
        ("blank.txt", b" \n", "holds no text"),
        ("song.mp3", b"la", "of another kind"),
    ):
        await files.set_input_files(sent(name, content))
        await expect(page.get_by_text(told)).to_be_visible()
        await expect(page.locator(".uploader")).not_to_have_class(re.compile("disable"))
    await files.set_input_files(sent("nobody.txt", b"it rains on the sea.\n"))
    await page.get_by_role("button", name="A book").click()
    await expect(page.get_by_text("Nobody is named in nobody.txt.")).to_be_visible()


async def test_one_persons_document_is_dropped_and_answers(visit: Visiting):
    here = await visit("/")
    page = here.page
    text = b"# Rosa Quill\n\nRosa Quill mends clocks in Hull. Her aunt taught her the trade.\n"
    await page.locator("input[type=file]").set_input_files(sent("rosa.md", text))
    await expect(page.get_by_text("It seems to be about one person.")).to_be_visible()
    await expect(page.get_by_label("Name of the person")).to_have_value("Rosa Quill")
    await page.get_by_role("button", name="One person's document").click()
    await expect(page.get_by_role("heading", name="Rosa Quill").first).to_be_visible()
    await here.ask("Who taught you the trade?")
    async with await Offbook.open(here.served.settings) as book:
        assert (await book.find("rosa-quill")).settings[characters.KIND_SAID] == "persona"


async def test_a_character_is_written_and_answers(visit: Visiting):
    here = await visit("/")
    page = here.page
    await page.get_by_label("Name of a new character").fill("Ned Harrow")
    await page.get_by_label("About them").fill("Ned Harrow is a carter of Hull. He fears geese.")
    await page.get_by_role("button", name="Create").click()
    await expect(page.get_by_role("heading", name="Ned Harrow").first).to_be_visible()
    await here.ask("What do you fear?")
