"""What a character knows, on the page: documents, names, memories, the graph."""

from __future__ import annotations

import gc
import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client, core, ui
from playwright.async_api import expect
from sqlalchemy import Connection

from offbook.app import Offbook
from offbook.app.cards import Cards
from offbook.cards import read_card
from offbook.documents.readers import ReadDocument
from offbook.errors import OffbookError
from offbook.foreign_files import SentFile
from offbook.stores import queue
from offbook.stores.leases import Owner
from offbook.ui import documents
from tests.app.keeper import keeper
from tests.browser.conftest import TakePicture
from tests.browser.served import ATTACK, TWICE, Served, Visiting
from tests.waiting import eventually, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

HAS_COME = "(told) => window.held.some((each) => JSON.stringify(each).includes(told))"


def refused(*_: object) -> bool:
    """What is done where nothing can be written."""
    raise OffbookError("the disk is full", "make room")


def timers_of(client: Client) -> list[ui.timer]:
    """What goes on for a page although nobody clicks."""
    return [each for each in list(client.elements.values()) if isinstance(each, ui.timer)]


def threads_of(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """The names of the threads in which these are done, as far as they were."""
    threads: list[str] = []

    def noting(method: Any) -> Any:
        async def noted(*args: Any, **named: Any) -> Any:
            threads.append(threading.current_thread().name)
            return await method(*args, **named)

        return noted

    for name in names:
        monkeypatch.setattr(Offbook, name, noting(getattr(Offbook, name)))
    return threads


async def test_a_document_is_added_with_progress_and_deleted(
    visit: Visiting, picture: TakePicture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    threads = threads_of(monkeypatch, "forget")
    here = await visit("/c/ada-byrne/documents", 390, 844)
    page = here.page
    await expect(page.get_by_role("heading", name="ada.md")).to_be_visible()
    file = tmp_path / "gulls <i>of<i>.md"
    file.write_text("Ada Byrne feeds the gulls every morning. One of them she calls the Bishop.\n")
    async with page.expect_file_chooser() as chosen:
        await page.get_by_role("button", name="Choose files").click()
    await (await chosen.value).set_files(file)
    await expect(page.get_by_role("heading", name=file.name)).to_be_visible()
    await expect(page.locator(".ingestion")).to_contain_text(f"{file.name}: added")
    await here.fits()
    await picture(page, "page-documents-390")
    await page.get_by_role("button", name=f"Delete {file.name}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("heading", name=file.name)).to_have_count(0)
    await expect(page.get_by_role("heading", name="ada.md")).to_be_visible()
    assert threads == ["background"]


async def test_what_is_being_read_and_what_waits_is_cancelled(
    visit: Visiting, served: Served, picture: TakePicture, monkeypatch: pytest.MonkeyPatch
):
    nothing: dict[str, Any] = {"documents": [], "method": None, "order": None}
    owner = Owner("another server")

    def begin(conn: Connection, character: str) -> queue.Claim | None:
        queue.add(conn, "first", "ingestion", nothing, character=character)
        queue.add(conn, "second", "ingestion", nothing, character=character)
        # Its sign of life is of later: the server that is tried leaves it alone.
        claimed = queue.claim(conn, queue.INGESTIONS, owner)
        conn.exec_driver_sql("UPDATE tasks SET heartbeat = heartbeat + 3600")
        return claimed

    async with await Offbook.open(served.settings) as book:
        made = await book.create("Nan Cole")
        taken = await book.store.write(begin, made.id)
        assert taken is not None
        here = await visit(f"/c/{made.id}/documents", 390, 844, "dark")
        under_way, panels = here.page.locator(".ingestion"), here.page.locator(".ingestion .panel")
        await expect(panels).to_have_count(2)
        await picture(here.page, "page-reading-390-dark")
        cancel = under_way.get_by_role("button", name="Cancel reading")
        await panels.filter(has_text="Waiting").get_by_role("button").click()
        await expect(under_way).to_contain_text("Reading was cancelled.")
        await expect(cancel).to_have_count(1)
        stages = {"stages": [{"stage": "graph", "done": 3, "total": 9}]}
        await cancel.focus()
        await book.store.write(queue.heartbeat, taken, owner, progress=stages)
        await expect(panels).to_contain_text("Reading: graph, 3 of 9")
        await expect(cancel).to_be_focused()
        with monkeypatch.context() as broken:
            broken.setattr(queue, "cancel", refused)
            await here.page.keyboard.press("Enter")
            await expect(here.page.get_by_text("the disk is full")).to_be_visible()
        await expect(panels).to_contain_text("Reading: graph, 3 of 9")
        await expect(cancel).to_be_focused()
        await here.page.keyboard.press("Enter")
        await expect(panels).to_contain_text("is being cancelled")
        assert await book.store.read(queue.is_cancelled, taken.id)
        await book.store.write(queue.finish, taken, owner, "cancelled", stages)
        await expect(panels).to_have_count(0)
        await expect(under_way.locator(".notice")).to_have_count(2)
        client = Client.instances[await here.page.evaluate("window.clientId")]
        await eventually(lambda: not timers_of(client), "the end of looking")


async def test_a_file_that_holds_no_text_is_refused_with_the_reason(
    visit: Visiting, tmp_path: Path
):
    here = await visit("/c/ada-byrne/documents")
    (tmp_path / "blank.md").write_text("   \n")
    await here.page.locator("input[type=file]").set_input_files(tmp_path / "blank.md")
    await expect(here.page.get_by_text("'blank.md' holds no text")).to_be_visible()


async def test_what_is_pressed_while_the_list_changes_is_heard(visit: Visiting, served: Served):
    async with await Offbook.open(served.settings) as book:
        made = await book.create("Jo Marsh")
        await book.ingest_texts(
            made.id, [ReadDocument("jo.md", "Jo keeps one gull.\n", "text/markdown")]
        )
    here = await visit(f"/c/{made.id}/documents")
    page = here.page
    note = {"name": "gull.md", "mimeType": "text/markdown", "buffer": b"Jo feeds one gull.\n"}
    async with here.answers_held():
        await page.locator("input[type=file]").set_input_files(note)  # type: ignore[arg-type]
        for drawn in ("gull.md: added", "Delete gull.md"):
            await page.wait_for_function(HAS_COME, arg=drawn)
        for _ in range(2):
            await page.get_by_role("button", name="Delete jo.md").click()
    dialog = page.get_by_role("dialog", name="Delete jo.md?")
    await expect(dialog).to_have_count(2)
    await expect(page.get_by_role("heading", name="gull.md")).to_be_visible()
    await dialog.last.get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("jo.md is deleted")).to_be_visible()
    await expect(dialog).to_have_count(1)
    await dialog.get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("has no document 'jo.md'")).to_be_visible()


async def test_what_was_sent_is_taken_though_the_page_is_gone_by_then(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
):
    here = await visit("/c/ada-byrne/documents")
    client = Client.instances[await here.page.evaluate("window.clientId")]
    read = documents._readings
    taken: list[str] = []

    def leave(files: list[SentFile]) -> list[ReadDocument]:
        assert core.loop is not None
        core.loop.call_soon_threadsafe(client.delete)
        until(lambda: client.is_deleted, "the end of the page")
        return read(files)

    async def attach(_: Cards, __: str, file: SentFile) -> SimpleNamespace:
        gc.collect()
        taken.append(str(file))
        return SimpleNamespace(warnings=())

    async def begin(_: object, __: object, readings: list[ReadDocument]) -> bool:
        taken.extend(each.name for each in readings)
        return False

    monkeypatch.setattr(documents, "_readings", leave)
    monkeypatch.setattr(Cards, "attach", attach)
    monkeypatch.setattr(documents, "begin_reading", begin)
    note = {"name": "tern.md", "mimeType": "text/markdown", "buffer": b"Ada feeds a tern.\n"}
    files = [sent("one.json", {}), sent("two.json", {}), note]
    await here.page.locator("input[type=file]").set_input_files(files)
    await eventually(lambda: taken == ["one.json", "two.json", "tern.md"], "all three")


async def test_a_card_that_cannot_be_read_holds_back_no_text_beside_it(visit: Visiting):
    here = await visit("/c/ada-byrne/documents")
    note = {"name": "gull.md", "mimeType": "text/markdown", "buffer": b"Ada feeds one gull.\n"}
    field = here.page.locator("input[type=file]")
    await field.set_input_files([sent("none.json", ["nothing"]), note])
    await expect(here.page.get_by_text("and no card")).to_be_visible()
    await expect(here.page.get_by_role("heading", name="gull.md")).to_be_visible()


async def test_a_character_is_made_of_a_card_given_a_lorebook_and_comes_out_as_a_card(
    visit: Visiting, picture: TakePicture, tmp_path: Path
):
    here = await visit("/", 390, 844)
    page = here.page
    name = f"Kit {ATTACK}"
    odd = keeper(name=name, first_mes=f"Come in. {ATTACK}", tags="sea, calm")
    await page.locator("input[type=file]").set_input_files(sent("kit.json", odd))
    told = page.locator("main [role=status]", has_text="is made").first
    await expect(told).to_contain_text(name)
    await expect(told).to_contain_text("tags")
    await picture(page, "page-card-390")
    await page.get_by_role("link", name="Go on to Kit").click()
    await expect(page.locator(".answered")).to_have_text(f"Come in. {ATTACK}")
    await page.get_by_role("link", name="Documents", exact=True).click()
    await expect(page.locator(".ingestion")).to_contain_text("card: unchanged")
    await expect(page.get_by_text("not read yet")).to_have_count(0)
    book = {"entries": {"0": {"uid": 0, "key": ["gull"], "content": "Gulls are souls."}}}
    await page.locator("input[type=file]").set_input_files(sent("souls.json", book))
    await expect(page.get_by_role("heading", name="souls.json")).to_be_visible()
    cards = page.get_by_role("region", name="Cards")
    await expect(cards).to_contain_text("lorebook: souls.json")
    await here.fits()
    await picture(page, "page-cards-390")
    async with page.expect_download() as given:
        await cards.get_by_role("button", name="as PNG").click()
    await expect(page.get_by_text("Not in the card")).to_contain_text("souls.json")
    file = tmp_path / (await given.value).suggested_filename
    await (await given.value).save_as(file)
    card = read_card(file).card
    assert (card.name, card.first_mes) == (name, f"Come in. {ATTACK}")
    await page.get_by_role("link", name="Talk").click()
    await expect(page.locator(".answered")).to_have_text([f"Come in. {ATTACK}"])


async def test_a_character_is_made_of_a_name_and_texts_that_wait_are_read_when_asked(
    visit: Visiting, served: Served
):
    here = await visit("/")
    page = here.page
    await page.get_by_label("Name of a new character").fill("Rae Finch")
    await page.locator("form.new").evaluate(TWICE)
    await expect(page.get_by_text("There is no document yet.")).to_be_visible()
    await expect(page.get_by_role("heading", name="Documents")).to_be_visible()
    async with await Offbook.open(served.settings) as book:
        card = SentFile("rae.json", json.dumps(keeper(name="Rae Finch")).encode())
        await book.cards.attach("rae-finch", card)
    await page.get_by_role("link", name="Talk").click()
    await expect(page.locator(".notice.bad")).to_contain_text("read, under Documents")
    await page.get_by_role("link", name="To the documents").click()
    await page.get_by_role("button", name="Read them").click()
    await expect(page.locator(".ingestion")).to_contain_text("card: unchanged")
    await expect(page.get_by_text("not read yet")).to_have_count(0)
    await here.go(f"{served.address}/")
    await expect(page.locator(".card", has_text="Rae Finch")).to_have_count(1)


async def test_a_file_that_is_no_card_makes_no_character(visit: Visiting):
    here = await visit("/")
    await expect(here.page.get_by_role("link", name="Ada Byrne")).to_be_visible()
    await here.page.locator("input[type=file]").set_input_files(sent("none.json", ["nothing"]))
    told = here.page.get_by_role("alert")
    await expect(told).to_contain_text("no card")
    white = "rgb(255, 255, 255)"
    await expect(told.get_by_role("button", name="Close")).to_have_css("color", white)
    await here.page.reload()
    await expect(here.page.get_by_role("link", name="Ada Byrne")).to_be_visible()
    await expect(here.page.get_by_role("link", name="none")).to_have_count(0)


def sent(name: str, raw: Any) -> Any:
    """A file as a browser sends it."""
    return {"name": name, "mimeType": "application/json", "buffer": json.dumps(raw).encode()}


async def test_names_are_put_together_parted_and_the_word_taken_back(
    visit: Visiting, dantes: str, picture: TakePicture, monkeypatch: pytest.MonkeyPatch
):
    threads = threads_of(monkeypatch, "alias", "undo_decision")
    here = await visit(f"{dantes}/names")
    page = here.page
    await page.get_by_label("Search names").fill("haydée")
    await expect(page.locator(".rows").first.get_by_role("heading")).to_have_text(["Haydée"])
    await page.get_by_role("button", name="Use the name Haydée").click()
    await expect(page.get_by_label("A name", exact=True)).to_have_value("Haydée")
    await page.get_by_label("Another name").fill("the Greek princess")
    await page.get_by_role("button", name="One and the same").click()
    said = page.locator(".notice").filter(has_text="recorded")
    await expect(said).to_contain_text("Haydée = the Greek princess")
    await picture(page, "page-names")
    undo = page.get_by_role("button", name="Undo: Haydée = the Greek princess")
    await undo.click()
    await expect(page.get_by_text("withdrawn")).to_be_visible()
    await expect(undo).to_have_count(0)
    await page.get_by_label("A name", exact=True).fill("Haydée")
    await page.get_by_label("Another name").fill("Mercédès")
    await page.get_by_role("button", name="Not the same").click()
    await expect(page.get_by_text("Haydée and Mercédès are not the same: recorded")).to_be_visible()
    assert threads == ["background"] * 3


async def test_a_memory_is_found_and_forgotten(visit: Visiting, picture: TakePicture):
    here = await visit("/c/ada-byrne/memories", 390, 844, "dark")
    page = here.page
    await page.get_by_label("Search memories").fill("i was angry")
    rows = page.locator(".rows > li")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text(ATTACK)
    await expect(rows.locator(".chip", has_text="anger")).to_be_visible()
    await here.fits()
    await picture(page, "page-memories-390-dark")
    await page.get_by_role("button", name="Forget: Were you afraid in the boat?").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(page.get_by_role("button", name="Forget: Were you")).to_be_focused()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(rows).to_have_count(1)
    await page.get_by_label("Search memories").fill("not an hour")
    await page.get_by_role("button", name="Forget: Did you sleep in the storm?").click()
    await page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    await expect(page.get_by_text("Nothing is remembered of that.")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
async def test_the_graph_is_drawn_and_searched(
    visit: Visiting, dantes: str, picture: TakePicture, width
):
    here = await visit(f"{dantes}/graph", width, 844)
    page = here.page
    drawing = page.frame_locator("iframe.drawing")
    await drawing.locator("html[data-layout=settled]").wait_for(state="attached")
    await drawing.locator("#search").fill("Sinbad")
    await expect(drawing.locator(".entity .name")).to_have_text(["Edmond Dantès"])
    await drawing.locator(".entity").first.click()
    await expect(drawing.locator("#details > div > blockquote").first).to_be_visible()
    await here.fits()
    assert len(await picture(page, f"page-graph-{width}")) > 40
    async with page.expect_download() as given:
        await page.get_by_role("link", name="GraphML").click()
    assert (await given.value).suggested_filename == "graph.graphml"
    switch = page.locator("[data-theme-switch]")
    for ground in ("rgb(246, 243, 238)", "rgb(23, 21, 19)"):
        await switch.click()
        await expect(drawing.locator("body")).to_have_css("background-color", ground)
    await expect(switch).to_have_attribute("title", "Theme: dark")
