"""The page where keys are asked for: what each sees and may do, and how it ends."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from offbook.app import Offbook
from offbook.app.api_keys import Keys
from tests.browser.conftest import TakePicture
from tests.browser.served import Served, Visit, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEADS = ("Cast", "Graph", "Documents", "Names", "Memories", "Compare", "Talk")

RECORD = """() => {
  const emit = window.socket.emit.bind(window.socket);
  window.events = [];
  window.socket.emit = (name, told) => {
    if (name === "event") window.events.push(told);
    return emit(name, told);
  };
}"""
EMIT = "(events) => events.forEach((event) => window.socket.emit('event', event))"
NO_WEB_SOCKET = """window.WebSocket = class {
  constructor() { setTimeout(() => this.onerror?.(new Event("error"))); }
  close() {}
};"""
PRESS = "(name) => document.querySelector(`[aria-label='${name}']`)?.click()"
UPLOAD = """async (address) => {
  const form = new FormData();
  form.append("file", new Blob(["Ada Byrne sold the lamp."]), "lie.md");
  return (await fetch(address, {method: "POST", body: form})).status;
}"""


async def end(served: Served, key: str) -> None:
    """End a key as another process does."""
    async with await Offbook.open(served.settings) as book:
        await Keys(book).revoke(key)


async def test_a_key_to_talk_sees_its_character_and_nothing_that_changes_it(
    visit: Visiting, served: Served, picture: TakePicture
):
    key = await served.add_key(right="chat", characters=("ada-byrne",))
    here = await visit("/", key=key)
    page = here.page
    cards = page.locator(".cards .card")
    await expect(cards).to_have_count(1)
    for absent in ("Create", "Choose a file"):
        await expect(page.get_by_role("button", name=absent)).to_have_count(0)
    await expect(page.get_by_role("link", name="Reviews")).to_have_count(0)
    await picture(page, "page-key-start")
    await page.get_by_role("link", name="Ada Byrne").click()
    await here.ask("Who taught you to trim the lamp?")
    await _sees_a_failure_without_details(here)
    parts = page.get_by_role("navigation", name="Ada Byrne")
    for lead in LEADS:
        await parts.get_by_role("link", name=lead).click()
        await expect(page.locator(f"#main.{lead.lower()}")).to_be_visible()
        for control in ("Delete", "Choose files", "Read them", "One and the same", "Undo", "Use"):
            await expect(page.get_by_role("button", name=control)).to_have_count(0)
        await expect(page.locator("input[type=file]")).to_have_count(0)
        assert await nameless(page) == []
        if lead == "Memories":  # the authored one is not theirs to forget, what they said is
            await expect(page.locator(".rows > li").first).to_be_visible()
            await expect(page.get_by_role("button", name="Forget: Were you")).to_have_count(0)
    await expect(page.locator(".said").first).to_have_text("Who taught you to trim the lamp?")


async def nameless(page: Page) -> list[str]:
    """What can be used on a page and has no name to be read aloud."""
    shown = await page.locator("body").aria_snapshot()
    return re.findall(r"^ *- (?:button|link|textbox|combobox)(?: \[.*)?:?$", shown, re.M)


async def _sees_a_failure_without_details(here: Visit) -> None:
    """An endpoint may quote its prompt, and names the owner's settings."""
    here.served.model.always("401")
    try:
        await here.page.get_by_role("button", name="Another reply").click()
        told = here.page.locator(".notice.bad")
        await expect(told).to_contain_text("the model did not answer")
        await expect(told).to_contain_text("ask whoever runs this server")
    finally:
        here.served.model.always(None)


async def transport(page: Page) -> str:
    """How the page is connected."""
    await page.wait_for_function("window.socket?.connected")
    return str(await page.evaluate("window.socket.io.engine.transport.name"))


async def test_a_key_that_has_ended_is_turned_away_at_the_next_click(
    visit: Visiting, served: Served, picture: TakePicture
):
    key = await served.add_key(right="write")
    here = await visit("/c/ada-byrne/documents", key=key)
    page = here.page
    delete = page.get_by_role("button", name="Delete ada.md")
    await expect(delete).to_be_visible()
    assert await transport(page) == "websocket"
    await end(served, key.key.id)
    await delete.click()
    await expect(page.get_by_role("heading", name="Signed out")).to_be_visible()
    await expect(page.get_by_text("is revoked.")).to_be_visible()
    await expect(page.get_by_text("ada.md")).to_have_count(0)
    await picture(page, "page-key-revoked")


async def test_a_page_without_a_web_socket_is_turned_away_as_well(visit: Visiting, served: Served):
    key = await served.add_key(right="write")
    here = await visit("/c/ada-byrne/documents", key=key)
    page = here.page
    await page.add_init_script(NO_WEB_SOCKET)
    await page.reload()
    delete = page.get_by_role("button", name="Delete ada.md")
    await expect(delete).to_be_visible()
    assert await transport(page) == "polling"
    here.expected.append("status of 401")
    await end(served, key.key.id)
    # It asks for messages time and again, and may have been turned away by then.
    await page.evaluate(PRESS, "Delete ada.md")
    await expect(page.get_by_role("heading", name="Signed out")).to_be_visible()
    await expect(page.get_by_text("ada.md")).to_have_count(0)


async def test_a_file_is_not_taken_for_a_key_that_has_ended(visit: Visiting, served: Served):
    key = await served.add_key(right="write", characters=("ada-byrne",))
    here = await visit("/c/ada-byrne/documents", key=key)
    await expect(here.page.get_by_role("heading", name="ada.md")).to_be_visible()
    here.expected.append("status of 401")
    await end(served, key.key.id)
    there = await visit("/c/ada-byrne/documents")
    file = {"name": "lie.md", "mimeType": "text/markdown", "buffer": b"Ada sold the lamp."}
    async with here.page.expect_response(lambda answer: "/upload/" in answer.url) as answered:
        await here.page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    assert (await answered.value).status == 401
    await expect(here.page.get_by_role("heading", name="Signed out")).to_be_visible()
    await there.page.reload()
    await expect(there.page.get_by_role("heading", name="ada.md")).to_be_visible()
    await expect(there.page.get_by_role("heading", name="lie.md")).to_have_count(0)


async def test_nobody_acts_on_the_page_of_somebody_else(visit: Visiting, served: Served):
    key = await served.add_key(right="chat", characters=("ada-byrne",))
    owner = await visit("/c/ada-byrne/documents")
    other = await visit("/c/ada-byrne", key=key)
    await expect(other.page.locator(".composer")).to_be_visible()
    other.expected.append("status of 404")
    dialog = owner.page.get_by_role("dialog")
    events, address = await _click_and_upload(owner.page)
    await other.page.evaluate(EMIT, events)
    assert await other.page.evaluate(UPLOAD, address) == 404
    await other.page.get_by_role("button", name="Mood", exact=True).click()
    await expect(other.page.locator("aside").get_by_role("heading", name="Mood")).to_be_visible()
    await expect(dialog).to_have_count(0)
    # The same from the page itself is heard.
    await owner.page.evaluate(EMIT, events)
    await expect(dialog).to_be_visible()
    await dialog.get_by_role("button", name="Cancel").click()


async def _click_and_upload(page: Page) -> tuple[list[object], str]:
    """The events of a click that opens a question, and where the page takes files."""
    button = page.get_by_role("button", name="Delete ada.md")
    await expect(button).to_be_visible()
    await page.evaluate(RECORD)
    await button.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    events = await page.evaluate("window.events")
    number = str(await page.locator(".uploader").get_attribute("id")).removeprefix("c")
    client = await page.evaluate("window.clientId")
    return events[:1], f"/_nicegui/client/{client}/upload/{number}"
