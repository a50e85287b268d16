"""Talking on the page: replies, swipes, why, passages, mood; by keyboard, on a phone, in dark."""

from __future__ import annotations

import re
import threading
import uuid

import pytest
from nicegui import Client, core
from playwright.async_api import Page, expect

from offbook.agent.swipes import Exchange
from offbook.ui.conversation import Conversation
from tests.browser.conftest import TakePicture
from tests.browser.served import ATTACK, HOSTILE_NAME, Visiting
from tests.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

GROUND = {"light": "#f6f3ee", "dark": "#171513"}
RGB = {"light": "rgb(246, 243, 238)", "dark": "rgb(23, 21, 19)"}

NAMED = "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"


def fresh(character: str = "ada-byrne") -> str:
    return f"/c/{character}?session={uuid.uuid4().hex[:8]}"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
async def test_a_character_is_picked_and_answers_at_any_width_in_both_schemes(
    visit: Visiting, picture: TakePicture, width, scheme
):
    here = await visit("/", width, 844, scheme)
    await here.fits()
    await expect(here.page.locator("body")).to_have_css("background-color", RGB[scheme])
    seen = await picture(here.page, f"page-start-{width}-{scheme}")
    assert seen[GROUND[scheme]] > 50_000
    await here.page.get_by_role("link", name="Ada Byrne").click()
    await here.ask("Who taught you to trim the lamp?")
    await expect(here.page.locator(".answered").last).to_contain_text("(")
    await here.fits()
    await expect(here.page.locator("body")).to_have_css("background-color", RGB[scheme])
    seen = await picture(here.page, f"page-talk-{width}-{scheme}")
    assert seen[GROUND[scheme]] > 20_000
    await here.why.last.click()
    side = here.page.get_by_role("complementary", name="Why")
    await expect(
        side.get_by_role("heading", name="Within what the character knows")
    ).to_be_visible()
    await picture(here.page, f"page-why-{width}-{scheme}")
    box = await side.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


async def test_what_is_said_before_the_page_is_connected_is_answered_once_it_is(visit: Visiting):
    here = await visit("/")
    said = here.page.locator(".composer textarea")
    with here.served.door.closed():
        await here.page.get_by_role("link", name="Ada Byrne").click()
        await said.fill("Who trimmed the lamp before anybody was there?")
        await said.press("Enter")
        assert not await here.page.evaluate("window.socket.connected")
    shown = here.page.locator(".said").last
    await expect(shown).to_have_text("Who trimmed the lamp before anybody was there?")
    await expect(said).to_have_value("")


async def test_what_is_being_written_outlives_a_page_that_is_loaded_anew(visit: Visiting):
    here = await visit(fresh())
    page, said = here.page, here.page.locator(".composer textarea")
    await said.fill("Who taught you to")
    await page.reload()
    await expect(said).to_have_value("Who taught you to")
    await said.press_sequentially(" trim the lamp?")
    await said.press("Enter")
    await expect(here.why).to_have_count(1)
    await expect(page.locator(".said")).to_have_text("Who taught you to trim the lamp?")
    await page.reload()
    await expect(here.why).to_have_count(1)
    await expect(said).to_have_value("")


async def test_what_was_sent_does_not_come_back_when_the_character_is_opened_again(
    visit: Visiting,
):
    here = await visit("/c/ada-byrne")
    page, said = here.page, here.page.locator(".composer textarea")
    await here.ask("Was the winter of that year a hard one?")
    await here.go(f"{here.served.address}/c/ada-byrne")
    await expect(page.locator(".said").last).to_have_text("Was the winter of that year a hard one?")
    await expect(said).to_have_value("")
    await said.fill("And the one after")
    await here.go(f"{here.served.address}/c/ada-byrne")
    await expect(said).to_have_value("And the one after")
    await here.go(f"{here.served.address}/c/tamsin-reeve")
    await expect(page.locator(".answered").first).to_be_visible()
    await expect(said).to_have_value("")


async def test_a_citation_of_a_client_opens_its_passage(visit: Visiting):
    here = await visit(fresh())
    body = {"model": "ada-byrne", "input": "Who taught you to trim the lamp?"}
    told = await here.page.request.post(f"{here.served.address}/v1/responses", data=body)
    response = await told.json()
    cited = response["output"][0]["content"][0]["annotations"][0]
    texts = [item["text"] for item in response["offbook"]["context"]]
    await here.page.goto(cited["url"])
    passage = here.page.get_by_role("dialog")
    await expect(passage.get_by_role("heading", name="ada.md")).to_be_visible()
    marked = await passage.locator("mark").text_content()
    assert marked in texts


async def test_beside_the_reply_stands_what_it_rests_on_and_cost(visit: Visiting, dantes: str):
    here = await visit(fresh(dantes.removeprefix("/c/")))
    await here.ask("What did Sinbad the Sailor do for the house of Morrel?")
    side = here.page.get_by_role("complementary", name="Why")
    folds = ("Passages", "Who and what", "Relations", "Mood", "Found and skipped", "What it cost")
    for fold in folds:
        await expect(side.locator("summary", has_text=fold).first).to_be_visible()
    costs = side.locator("details", has=here.page.locator("summary", has_text="What it cost"))
    await costs.locator("summary").click()
    told = re.search(r"1 call · .* · ([0-9,]+) tokens read", str(await costs.text_content()))
    assert told is not None
    assert int(told[1].replace(",", "")) > 50
    await expect(costs.get_by_role("cell", name="reply")).to_be_visible()
    await expect(side.locator("summary").last).to_have_text("What it cost")


async def test_a_source_opens_its_passage_with_the_sentence_marked(
    visit: Visiting, picture: TakePicture
):
    here = await visit(fresh())
    await here.ask("Who taught you to trim the lamp?")
    side = here.page.get_by_role("complementary", name="Why")
    await side.get_by_role("button", name="Source").first.click()
    passage = here.page.get_by_role("dialog")
    await expect(passage.get_by_role("heading", name="ada.md")).to_be_visible()
    mark = passage.locator("mark")
    await expect(mark).to_contain_text("Ada's brother Tom taught her to trim the lamp")
    await expect(mark).to_be_in_viewport()
    await picture(here.page, "page-passage")
    await here.page.keyboard.press("Escape")
    await expect(passage).to_have_count(0)


async def test_what_is_declined_is_said_with_the_reason(visit: Visiting, picture: TakePicture):
    here = await visit(fresh())
    await here.ask("What do you think of Darth Vader?")
    side = here.page.get_by_role("complementary", name="Why")
    await expect(side.locator(".verdict.out")).to_contain_text("Darth Vader")
    await picture(here.page, "page-declined")


async def test_another_reply_is_swiped_to_and_back_and_the_conversation_stays(
    visit: Visiting, picture: TakePicture
):
    here = await visit(address := fresh())
    page = here.page
    await here.ask("Who taught you to trim the lamp?")
    reply = page.locator(".answered")
    first = await reply.text_content()
    await page.get_by_role("button", name="Another reply").click()
    await expect(page.get_by_text("2 of 2")).to_be_visible()
    await here.at_rest()
    second = await reply.text_content()
    assert first != second
    await page.get_by_role("button", name="The reply before").click()
    await expect(page.get_by_text("1 of 2")).to_be_visible()
    await expect(reply).to_have_text(str(first))
    await picture(page, "page-swipes")
    await here.ask("And what happened to him?")
    await expect(page.get_by_role("button", name="Another reply")).to_have_count(1)
    await here.go(f"{here.served.address}{address}")
    await expect(page.locator(".answered")).to_have_count(2)
    await expect(page.locator(".answered").first).to_have_text(str(first))
    await expect(page.get_by_text("What was skipped is shown when the reply comes")).to_be_visible()


GREETINGS = (
    "You will be User, then. Mind the third step.",
    "The lamp is lit. Sit, User.",
)


async def test_a_character_of_a_card_greets_and_the_chosen_greeting_is_the_first_turn(
    visit: Visiting, picture: TakePicture
):
    here = await visit(fresh("tamsin-reeve"))
    page = here.page
    answered = page.locator(".answered")
    await expect(answered).to_have_text([GREETINGS[0]])
    await page.get_by_role("button", name="The next greeting").focus()
    await page.keyboard.press("Enter")
    await expect(answered).to_have_text([GREETINGS[1]])
    await expect(page.get_by_role("button", name="The greeting before")).to_be_focused()
    await expect(page.get_by_text("2 of 2")).to_be_visible()
    await picture(page, "page-greeting")
    await here.ask("What do keepers swear?")
    await expect(page.get_by_role("group", name="Greetings")).to_have_count(0)
    messages = here.served.model.chat_bodies[-1]["messages"]
    spoken = [each["content"] for each in messages if each["role"] != "system"]
    assert spoken[0] == GREETINGS[1]
    assert messages[-1]["content"].endswith("What do keepers swear?")
    assert "session=" in page.url
    await page.reload()
    await expect(answered).to_have_count(2)
    await expect(answered.first).to_have_text(GREETINGS[1])
    await expect(page.locator(".said")).to_have_text(["What do keepers swear?"])
    await expect(page.locator(".composer textarea")).to_have_value("")
    await expect(here.why).to_have_count(1)
    session = page.url.partition("session=")[2]
    turns = await here.served.turns("tamsin-reeve", session)
    assert [said for said, _ in turns] == ["", "What do keepers swear?"]


async def test_two_pages_of_one_conversation_go_on_from_where_it_is(visit: Visiting):
    here = await visit(address := fresh())
    await here.ask("Who taught you to trim the lamp?")
    there = await visit(address)
    await expect(there.why).to_have_count(1)
    await there.page.get_by_role("button", name="Conversations").click()
    current = there.page.locator(".talks a[aria-current]")
    await expect(current).to_have_text("Who taught you to trim the lamp?")
    await there.page.keyboard.press("Escape")
    await here.ask("What happened to Tom?")
    await there.page.get_by_role("button", name="Another reply").click()
    await expect(there.page.get_by_text("went on elsewhere")).to_be_visible()
    said = there.page.locator(".said")
    await expect(said).to_have_text(["Who taught you to trim the lamp?", "What happened to Tom?"])
    await here.page.get_by_role("button", name="Another reply").click()
    await expect(here.page.get_by_text("2 of 2")).to_be_visible()
    await there.ask("Who was he?")
    await expect(said).to_have_count(3)
    texts = await there.page.locator(".answered").all_text_contents()
    await here.page.reload()
    await expect(here.page.locator(".answered")).to_have_text(texts)
    asked = here.served.model.chat_bodies[-1]["messages"]
    assert [each["content"] for each in asked if each["role"] == "assistant"] == texts[:-1]


async def test_a_page_that_is_closed_in_the_middle_of_a_reply_leaves_nothing(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
):
    here = await visit(address := fresh())
    model, session = here.served.model, address.partition("session=")[2]
    await here.ask("Who taught you to trim the lamp?")
    monkeypatch.setattr(core.app.config, "reconnect_timeout", 0.2)
    before = await here.page.evaluate("window.clientId")
    asked = len(model.chat_bodies)
    model.hold()
    try:  # the same as before: it is not what was answered
        await here.page.locator(".composer textarea").fill("Who taught you to trim the lamp?")
        await here.page.keyboard.press("Enter")
        await eventually(lambda: len(model.chat_bodies) > asked, "the question")
        await expect(here.page.locator(".said")).to_have_count(2)
        await here.page.goto("about:blank")
        await eventually(lambda: before not in Client.instances, "the end of the page")
        await eventually(lambda: model.in_flight == 0, "the end of the reply")
    finally:
        model.release()
    await here.go(f"{here.served.address}{address}")
    field = here.page.locator(".composer textarea")
    await expect(field).to_have_value("Who taught you to trim the lamp?")
    said = [said for said, _ in await here.served.turns("ada-byrne", session)]
    assert said == ["Who taught you to trim the lamp?"]


async def test_a_reply_is_stopped_and_nothing_of_it_is_kept(visit: Visiting):
    here = await visit(fresh())
    page, model = here.page, here.served.model
    await here.ask("Who taught you to trim the lamp?")
    model.hold()
    try:
        await page.locator(".composer textarea").fill("And what happened to him?")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_text("Stopped; nothing of it is kept.")).to_be_visible()
        field = page.locator(".composer textarea")
        await expect(field).to_have_value("And what happened to him?")
    finally:
        model.release()
    await here.ask("Who was he?")
    await page.reload()
    await expect(page.locator(".said")).to_have_text(
        ["Who taught you to trim the lamp?", "Who was he?"]
    )


async def test_a_reply_is_stopped_before_it_is_asked_for(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
):
    heard = threading.Event()
    stop, catch_up = Conversation.stop, Conversation._catch_up

    def note(it: Conversation) -> None:
        stop(it)
        heard.set()

    async def wait(it: Conversation) -> Exchange | None:
        await eventually(heard.is_set, "the word to stop")
        return await catch_up(it)

    monkeypatch.setattr(Conversation, "stop", note)
    monkeypatch.setattr(Conversation, "_catch_up", wait)
    here = await visit(fresh())
    field = here.page.locator(".composer textarea")
    await field.fill("Who taught you to trim the lamp?")
    await field.press("Enter")
    await here.page.get_by_role("button", name="Stop").click()
    await expect(here.page.get_by_text("Stopped; nothing of it is kept.")).to_be_visible()
    await expect(field).to_have_value("Who taught you to trim the lamp?")


async def test_a_model_that_fails_is_told_of_and_the_last_reply_stays(visit: Visiting):
    here = await visit(fresh())
    page, model = here.page, here.served.model
    await here.ask("Who taught you to trim the lamp?")
    reply = str(await page.locator(".answered").text_content())
    model.always("401")
    try:
        await page.get_by_role("button", name="Another reply").click()
        await expect(page.locator(".notice.bad")).to_contain_text("key")
        await here.at_rest()
        await page.locator(".composer textarea").fill("And what happened to him?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".notice.bad")).to_have_count(2)
    finally:
        model.always(None)
    await expect(page.locator(".answered")).to_have_text([reply])
    await expect(here.why).to_have_count(1)
    # It can be said again without being written again.
    await expect(page.locator(".composer textarea")).to_have_value("And what happened to him?")


async def test_the_mood_over_the_conversation_is_a_chart_and_a_table(
    visit: Visiting, picture: TakePicture
):
    here = await visit(fresh())
    await here.ask("Were you afraid in the boat, when he died?")
    await here.ask("Are you angry with the sea?")
    await here.page.get_by_role("button", name="Mood", exact=True).click()
    await expect(here.page.locator(".moods svg")).to_be_visible()
    await here.page.get_by_text("As a table").click()
    rows = here.page.locator("aside tbody tr")
    await expect(rows).to_have_count(3)
    await expect(rows.last).to_contain_text("now")
    assert len(await picture(here.page, "page-mood")) > 40
    # It stays unfolded while there comes more to it.
    await here.ask("Were you glad of the watch?")
    await expect(rows).to_have_count(4)
    await expect(rows.last).to_be_visible()


async def test_it_all_works_by_keyboard_alone(visit: Visiting):
    here = await visit(fresh())
    page = here.page
    await expect(page.locator(".composer textarea")).to_be_focused()
    await page.keyboard.type("Who taught you to trim the lamp?")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("Was it Tom?")
    await page.keyboard.press("Enter")
    await expect(here.why).to_be_visible()
    await expect(page.locator(".said")).to_have_text(
        "Who taught you to trim the lamp?\nWas it Tom?"
    )
    await here.go(page.url)
    await expect(here.why).to_be_visible()
    await expect(page.locator(".composer textarea")).to_be_focused()
    await page.locator(".skip").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#main")).to_be_focused()
    met = await tabbed(page, "Why this reply?")
    assert met.index("Conversations") < met.index("What was said") < met.index("Why this reply?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Details")).to_be_focused()
    await tabbed(page, "Source of Ada Byrne, How she came to the rock")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog").locator("mark")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def tabbed(page: Page, until: str) -> list[str]:
    """Press Tab until something of this name is reached; each on the way shows that it is."""
    met: list[str] = []
    outlined = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
    inside = "document.activeElement.closest('.q-field') !== null"
    while until not in met and len(met) < 30:
        await page.keyboard.press("Tab")
        met.append(str(await page.evaluate(NAMED)).strip())
        assert await page.evaluate(f"{outlined} || {inside}"), met
    assert until in met, met
    return met


async def test_on_a_phone_escape_leads_back_to_the_conversation(visit: Visiting):
    here = await visit(fresh(), 390, 844)
    await here.ask(f"Who taught you to trim the lamp? {'W' * 3000}")
    await here.fits()
    side = here.page.get_by_role("complementary", name="Why")
    await expect(side).to_be_hidden()
    await here.why.last.click()
    await expect(side).to_be_visible()
    await expect(here.page.locator(".composer")).to_be_hidden()
    await here.page.keyboard.press("Escape")
    await expect(side).to_be_hidden()
    await expect(here.why.last).to_be_focused()
    await here.page.get_by_role("button", name="Mood over the conversation").click()
    await expect(here.page.locator(".moods svg")).to_be_visible()


async def test_the_theme_is_chosen_and_kept(visit: Visiting):
    here = await visit("/")
    switch = here.page.locator("[data-theme-switch]")
    body = here.page.locator("body")
    await expect(switch).to_have_attribute("aria-label", "Theme: as the system has it")
    await switch.click()
    await expect(switch).to_have_attribute("aria-label", "Theme: light")
    await switch.click()
    await expect(body).to_have_css("background-color", RGB["dark"])
    await here.page.reload()
    await expect(switch).to_have_attribute("aria-label", "Theme: dark")
    await expect(body).to_have_css("background-color", RGB["dark"])


async def test_hostile_texts_of_documents_memories_and_models_stay_text(
    visit: Visiting, picture: TakePicture
):
    here = await visit("/")
    page = here.page
    await page.get_by_role("link", name=HOSTILE_NAME).click()
    await here.ask("Who taught you to row?")
    unfold = "document.querySelectorAll('aside details').forEach((each) => { each.open = true; })"
    await page.evaluate(unfold)
    await page.locator("aside").get_by_role("button", name="Source").first.click()
    passage = page.get_by_role("dialog").locator(".passage")
    await expect(passage).to_contain_text(ATTACK)
    await picture(page, "page-hostile")
    await page.keyboard.press("Escape")
    said = f"This is an attack: {ATTACK}"
    await here.ask(said)
    await expect(page.locator(".said").last).to_have_text(said)
    await expect(page.locator(".answered").last).to_contain_text(ATTACK)
    await expect(page.locator(".answered").last).to_contain_text("bold [link](javascript:")
    await expect(page.locator(".answered strong").last).to_have_text("bold")
    for tag in ("img:not(.portrait)", "b", "#main script", "#main a[href^=javascript]"):
        await expect(page.locator(tag), tag).to_have_count(0)


async def test_a_script_that_got_into_the_page_does_not_run(visit: Visiting):
    here = await visit("/")
    # The browser tells of what it did not do, and of the picture that is not there.
    here.expected += ["Content Security Policy", "status of 404"]
    violations = "new Promise((done) => document.addEventListener('securitypolicyviolation', "
    inject = (
        violations + "(event) => done(event.effectiveDirective), {once: true}) || "
        "document.body.append(Object.assign(document.createElement('script'), "
        "{textContent: 'window.hacked = 5'})))"
    )
    assert await here.page.evaluate(inject) == "script-src-elem"
    attribute = (
        violations + "(event) => done(event.effectiveDirective), {once: true}) || "
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=6\">'))"
    )
    assert await here.page.evaluate(attribute) == "script-src-attr"
    assert await here.page.evaluate("window.hacked") is None


async def test_a_sentence_lights_up_what_it_rests_on_and_leads_there(visit: Visiting, dantes: str):
    here = await visit(fresh(dantes.removeprefix("/c/")))
    page = here.page
    await here.ask("Who told you of the treasure?")
    mark = page.locator(".rests")
    await expect(mark).to_have_text("The Abbé Faria told Dantès of the treasure on Monte Cristo.")
    await expect(mark.locator("em")).to_have_text("Abbé Faria")
    support = page.locator(".side .support")
    await expect(support).to_have_count(1)
    await expect(support.locator("mark")).to_contain_text("treasure")
    await mark.hover()
    await expect(support).to_have_class(re.compile("lit"))
    await mark.focus()
    await page.keyboard.press("Enter")
    await expect(support).to_be_focused()


async def test_what_was_said_is_edited_and_a_reply_goes_on(visit: Visiting):
    here = await visit(address := fresh())
    page = here.page
    await here.ask("Who taught you to trim the lamp?")
    await page.get_by_role("button", name="Edit what you said").click()
    await page.get_by_label("What you say instead").fill("Who was Tom?")
    await page.get_by_role("button", name="Say this instead").click()
    await expect(page.locator(".said")).to_have_text(["Who was Tom?"])
    await expect(here.why).to_have_count(1)
    await here.at_rest()
    await page.get_by_role("button", name="Let them go on").click()
    await expect(here.why).to_have_count(2)
    await expect(page.locator(".said")).to_have_count(1)
    said = await here.served.turns("ada-byrne", address.partition("session=")[2])
    assert [said for said, _ in said] == ["Who was Tom?", "…"]


async def test_a_conversation_is_found_renamed_and_deleted(visit: Visiting):
    here = await visit("/c/tamsin-reeve?session=page-00000001")
    page = here.page
    await here.ask("Do you know the quay of Ardmore?")
    await page.get_by_role("button", name="Conversations").click()
    rows = page.locator(".talks .rows li")
    await page.get_by_label("Search what was said").fill("ardmore")
    await expect(rows).to_have_count(1)
    await page.get_by_role("button", name="Rename: Do you know").click()
    await page.get_by_label("Name of the conversation").fill("The quay")
    await page.get_by_role("button", name="Rename", exact=True).click()
    await page.wait_for_url("**session=The%20quay")
    await expect(page.locator(".stage-head")).to_contain_text("The quay")
    await expect(here.why).to_have_count(1)
    await page.get_by_role("button", name="Conversations").click()
    await page.get_by_role("button", name="Delete: The quay").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.locator(".said")).to_have_count(0)
    assert await here.served.turns("tamsin-reeve", "The quay") == []
