"""The graph page works in a browser: offline, with hostile texts, by mouse, touch and keyboard."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from offbook.graph.drawing.page import write_html
from tests.browser.conftest import OpenPage, TakePicture
from tests.browser.served import WAIT_SECONDS
from tests.graph.drawing import graphs

pytestmark = pytest.mark.asyncio(loop_scope="session")

INK = {"light": "#221f1c", "dark": "#f1ece5"}
GROUND = {"light": "#f6f3ee", "dark": "#171513"}
CHARACTER = {"light": "#2563c9", "dark": "#7aa9ff"}
LOCATION = {"light": "#15803d", "dark": "#5fcf87"}


def html(made: graphs.Made, name: str = "Mara Quill") -> str:
    return write_html(made.graph, name, made.quotes)


def entry(page: Page, name: str):
    return page.locator(".entity").filter(has=page.get_by_text(name, exact=True))


def names(page: Page) -> Locator:
    return page.locator(".entity .name")


async def repainted(page: Page) -> None:
    await page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))"
    )
    await page.wait_for_selector("html[data-layout=settled]", state="attached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_is_drawn_at_any_width_in_both_schemes(
    show: OpenPage, picture: TakePicture, width, scheme
):
    page = (await show(html(graphs.small()), width, 844, scheme)).page
    seen = await picture(page, f"small-{width}-{scheme}")
    assert len(seen) > 40
    assert seen[GROUND[scheme]] > 20_000
    for colour in (CHARACTER[scheme], LOCATION[scheme]):
        assert seen[colour] > 300
    assert seen[INK[scheme]] > 200
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(overflow) == 0
    for part in ("#search", "#canvas", "#legend", "#entities"):
        box = await page.locator(part).bounding_box()
        assert box is not None
        assert box["width"] > 60
        assert box["height"] > 20
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


async def test_an_entry_of_the_list_opens_all_that_is_known(show: OpenPage, picture: TakePicture):
    page = (await show(html(graphs.small()))).page
    await expect(page.locator("#counts")).to_have_text("8 entities · 8 relations")
    await entry(page, "Mara Quill").click()
    details = page.locator("#details")
    await expect(details.locator("h2")).to_have_text("Mara Quill")
    await expect(details.locator(".kind")).to_have_text("character · 4 mentions · 4 relations")
    await expect(details.locator(".described")).to_contain_text("Keeper of the lighthouse")
    aliases = ["the Lamplighter", "Auntie Quill"]
    await expect(details.locator(".aliases li")).to_have_text(aliases)
    quotes = page.locator("#details > div > blockquote")
    await expect(quotes.first.locator("p")).to_have_text(
        "Mara Quill keeps the lighthouse of Skerry Point."
    )
    await expect(quotes.first.locator("mark")).to_have_text("Mara Quill")
    await expect(quotes.first.locator("cite")).to_have_text("lighthouse.md")
    await expect(quotes).to_have_count(3)
    assert len(await picture(page, "small-open")) > 40


async def test_a_relation_leads_to_its_other_end_and_back(show: OpenPage):
    page = (await show(html(graphs.small()))).page
    await entry(page, "Mara Quill").click()
    relation = page.locator(".relation").first
    await expect(relation).to_contain_text("sister, who has not forgiven him")
    await expect(relation.locator(".strength")).to_have_attribute("aria-label", "strength 9 of 10")
    await relation.locator("summary").click()
    await expect(relation.locator("blockquote")).to_contain_text("Mara has not forgiven")
    await relation.get_by_role("button", name="Tobias").click()
    await expect(page.locator("#details h2")).to_have_text("Tobias")
    await page.go_back()
    await expect(page.locator("#details h2")).to_have_text("Mara Quill")
    await page.keyboard.press("Escape")
    await expect(page.locator("#details")).to_be_hidden()
    await expect(names(page)).to_have_count(8)


async def test_a_click_on_a_node_opens_it_and_on_nothing_closes_it(show: OpenPage):
    page = (await show(html(graphs.single()))).page
    canvas = await page.locator("#canvas").bounding_box()
    assert canvas is not None
    legend = await page.locator("#legend").bounding_box()
    assert legend is not None
    # One node stands in the middle of the room between the legend and the buttons.
    left, right = 48 + legend["width"], canvas["width"] - 80
    x, y = canvas["x"] + (left + right) / 2, canvas["y"] + canvas["height"] / 2
    await page.mouse.move(x, y)
    await expect(page.locator("#tip")).to_have_text("Ishmael")
    await page.mouse.click(x, y)
    await expect(page.locator("#details h2")).to_have_text("Ishmael")
    await expect(page.locator("#details .described")).to_have_text("Somebody alone.")
    await page.mouse.click(canvas["x"] + 30, canvas["y"] + 30)
    await expect(page.locator("#details")).to_be_hidden()


async def test_the_search_finds_names_and_aliases_without_case_or_accents(show: OpenPage):
    page = (await show(html(graphs.small()))).page
    await page.keyboard.press("/")
    await page.keyboard.type("lÁmplight")
    await expect(names(page)).to_have_text(["Mara Quill"])
    await expect(page.locator(".entity .also")).to_have_text("the Lamplighter")
    await page.keyboard.press("Enter")
    await expect(page.locator("#details h2")).to_have_text("Mara Quill")
    await page.locator("#search").fill("zzz")
    await expect(page.locator("#details")).to_be_hidden()
    await expect(page.locator("#nothing")).to_contain_text("zzz")
    await expect(names(page)).to_have_count(0)


async def test_the_search_knows_other_scripts(show: OpenPage, picture: TakePicture):
    page = (await show(html(graphs.chinese(), "林黛玉"), 390, 844)).page
    await picture(page, "chinese")
    await page.locator("#search").fill("颦")
    await expect(names(page)).to_have_text(["林黛玉"])
    await entry(page, "林黛玉").click()
    quotes = page.locator("#details blockquote p")
    told = "宝玉见了颦儿，便说：“这个妹妹我曾见过的。”"
    await expect(quotes.filter(has_text=told).first).to_have_text(told)


async def test_a_type_is_hidden_from_the_list_and_from_the_drawing(
    show: OpenPage, picture: TakePicture
):
    page = (await show(html(graphs.small()))).page
    before = await picture(page, "small-all-types")
    button = page.locator("#legend button", has_text="character")
    await button.click()
    await expect(button).to_have_attribute("aria-pressed", "false")
    await expect(names(page)).to_have_count(5)
    await expect(names(page).filter(has_text="Mara Quill")).to_have_count(0)
    await repainted(page)
    after = await picture(page, "small-without-characters")
    # What is left of the colour is the legend's.
    assert after.get(CHARACTER["light"], 0) < 150 < before[CHARACTER["light"]]
    await button.click()
    await expect(names(page)).to_have_count(8)


async def test_hostile_texts_stay_text(show: OpenPage, picture: TakePicture):
    watched = await show(html(graphs.hostile(), graphs.HOSTILE_NAME))
    page = watched.page
    assert await page.title() == f"{graphs.HOSTILE_NAME} · graph"
    assert sorted(await names(page).all_text_contents()) == sorted(
        [graphs.HOSTILE_NAME, graphs.RIGHT_TO_LEFT, graphs.SEPARATED]
    )
    for place in range(3):
        await page.locator(".entity").nth(place).click()
        for summary in await page.locator("#details summary").all():
            await summary.click()
        await picture(page, f"hostile-{place}")
        await page.locator(".back").click()
    await entry(page, graphs.HOSTILE_NAME).click()
    details = page.locator("#details")
    await expect(details.locator(".described")).to_have_text(graphs.HOSTILE_NAME)
    await expect(details.locator(".aliases li")).to_have_text(graphs.HOSTILE_ALIAS)
    await expect(details.locator("cite").first).to_have_text(f"{graphs.HOSTILE_NAME}.md")
    for tag in ("img", "b", "iframe"):
        await expect(page.locator(tag)).to_have_count(0)
    await expect(page.locator("script")).to_have_count(2)


async def test_marks_stand_on_the_right_letters_behind_an_emoji(show: OpenPage):
    page = (await show(html(graphs.hostile()))).page
    await entry(page, graphs.SEPARATED).click()
    marks = page.locator("#details blockquote mark")
    await expect(marks.filter(has_text=graphs.SEPARATED).first).to_have_text(graphs.SEPARATED)


async def test_everything_can_be_reached_by_keyboard(show: OpenPage):
    page = (await show(html(graphs.small()))).page
    await page.locator("#search").focus()
    await page.keyboard.press("ArrowDown")
    await expect(page.locator(".entity").first).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await expect(entry(page, "Skerry Point")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#details h2")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(entry(page, "Skerry Point")).to_be_focused()
    await page.keyboard.press("End")
    await expect(page.locator(".entity").last).to_be_focused()
    order = []
    await page.locator("#search").focus()
    for _ in range(10):
        await page.keyboard.press("Tab")
        order.append(
            await page.evaluate("document.activeElement.id || document.activeElement.className")
        )
    assert "canvas" in order
    assert {"zoom-in", "zoom-out", "zoom-fit"} <= set(order)
    assert "entity" in order


async def test_the_drawing_moves_and_zooms_by_keyboard_wheel_and_buttons(
    show: OpenPage, picture: TakePicture
):
    page = (await show(html(graphs.small()))).page
    first = await picture(page, "zoom-fit")
    await page.locator("#canvas").focus()
    steps = [
        page.keyboard.press("+"),
        page.keyboard.press("ArrowLeft"),
        page.locator("#zoom-in").click(),
    ]
    seen = [first[CHARACTER["light"]]]
    for step in steps:
        await step
        await repainted(page)
        seen.append((await picture(page, "zoomed"))[CHARACTER["light"]])
    assert seen[1] > seen[0]
    await page.mouse.move(300, 400)
    for _ in range(12):
        await page.mouse.wheel(0, 400)
    await repainted(page)
    assert (await picture(page, "zoomed-out"))[CHARACTER["light"]] < seen[0] / 3
    await page.locator("#zoom-fit").click()
    await repainted(page)
    again = (await picture(page, "zoom-fit-again"))[CHARACTER["light"]]
    assert abs(again - seen[0]) < seen[0] * 0.03


RECORD = """
window.drawn = [];
for (const kind of [CanvasRenderingContext2D, Path2D]) {
  const all = Object.getOwnPropertyDescriptors(kind.prototype);
  for (const [name, { value, get, set }] of Object.entries(all)) {
    const note = (told) => {
      if (name === "setTransform") window.drawn = [];  // a picture begins with it
      window.drawn.push([name, ...told.filter((each) => typeof each !== "object")]);
    };
    if (set) {
      const noted = function (told) { note([told]); set.call(this, told); };
      Object.defineProperty(kind.prototype, name, { get, set: noted });
    } else if (typeof value === "function" && name !== "constructor") {
      kind.prototype[name] = function (...told) { note(told); return value.apply(this, told); };
    }
  }
}
"""


async def test_the_same_graph_gives_the_same_picture(show: OpenPage, picture: TakePicture):
    drawn: list[list[list[object]]] = []
    # How a browser smooths the edges of it may change from one time to the next.
    for motion in ("no-preference", "no-preference", "reduce"):
        page = (await show(html(graphs.small()), motion=motion, script=RECORD)).page
        await picture(page, f"same-{len(drawn)}")
        drawn.append(await page.evaluate("window.drawn"))
    assert {"arc", "lineTo", "fillText", "fillStyle"} <= {name for name, *_ in drawn[0]}
    assert drawn[0] == drawn[1] == drawn[2]


async def test_an_address_opens_an_entity_and_a_broken_one_does_no_harm(show: OpenPage):
    watched = await show(html(graphs.hostile()))
    page = watched.page
    for bad in ("#%zz", "#%E0%A4%A", "#nobody"):
        await page.evaluate("(hash) => { location.hash = hash; }", bad)
        await repainted(page)
        await expect(page.locator("#details")).to_be_hidden()
    await entry(page, graphs.SEPARATED).click()
    await expect(page.locator("#details h2")).to_have_text(graphs.SEPARATED)
    address = await page.evaluate("location.hash")
    await page.keyboard.press("Escape")
    await expect(page.locator("#details")).to_be_hidden()
    await page.evaluate("(hash) => { location.hash = hash; }", address)
    await expect(page.locator("#details h2")).to_have_text(graphs.SEPARATED)


async def test_an_empty_graph_says_so(show: OpenPage):
    page = (await show(html(graphs.empty()))).page
    await expect(page.locator("#counts")).to_have_text("0 entities · 0 relations")
    await expect(page.locator("#notice")).to_be_visible()
    await expect(page.locator("#legend")).to_be_hidden()


async def test_two_thousand_entities_are_drawn_at_once(browser: Browser, tmp_path):
    file = tmp_path / "large.html"
    file.write_bytes(html(graphs.large(2000, 5000)).encode())
    page = await browser.new_page(offline=True)
    page.set_default_timeout(WAIT_SECONDS * 1000)
    try:
        # Only the first drawing, in time of the processor: others may be using it.
        await page.add_init_script("window.requestAnimationFrame = () => 0")
        measuring = await page.context.new_cdp_session(page)
        await measuring.send("Performance.enable", {"timeDomain": "threadTicks"})
        await page.goto(file.as_uri())
        await page.wait_for_function("performance.getEntriesByName('first-drawing').length")
        told = await measuring.send("Performance.getMetrics")
        measured = {each["name"]: each["value"] for each in told["metrics"]}
        assert 0 < measured["TaskDuration"] < 5
    finally:
        await page.close()


async def test_two_thousand_entities_can_be_used(show: OpenPage, picture: TakePicture):
    page = (await show(html(graphs.large(2000, 5000)), motion="reduce")).page
    assert len(await picture(page, "large")) > 100
    await expect(page.locator(".entity")).to_have_count(300)
    await page.locator("#more").click()
    await expect(page.locator(".entity")).to_have_count(1300)
    await page.locator("#search").fill("Alias 1500")
    await page.locator(".entity").click()
    await expect(page.locator("#details .aliases")).to_have_text("Alias 1500")
    await repainted(page)
    await picture(page, "large-open")


async def test_a_node_can_be_dragged_and_the_rest_follows(show: OpenPage, picture: TakePicture):
    page = (await show(html(graphs.single()))).page
    canvas = await page.locator("#canvas").bounding_box()
    legend = await page.locator("#legend").bounding_box()
    assert canvas is not None
    assert legend is not None
    x = canvas["x"] + (48 + legend["width"] + canvas["width"] - 80) / 2
    y = canvas["y"] + canvas["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 150, y - 150, steps=5)
    await page.mouse.up()
    await expect(page.locator("#details")).to_be_hidden()
    await page.mouse.move(x, y)
    await expect(page.locator("#tip")).to_be_hidden()


async def test_a_finger_opens_a_node_on_a_phone(browser, tmp_path):
    file = tmp_path / "phone.html"
    file.write_bytes(html(graphs.single()).encode())
    context = await browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, offline=True
    )
    page = await context.new_page()
    page.set_default_timeout(WAIT_SECONDS * 1000)
    await page.goto(file.as_uri())
    await page.wait_for_selector("html[data-layout=settled]", state="attached")
    canvas = await page.locator("#canvas").bounding_box()
    legend = await page.locator("#legend").bounding_box()
    top = 24 + legend["height"]
    await page.touchscreen.tap(
        canvas["x"] + (24 + canvas["width"] - 56) / 2,
        canvas["y"] + (top + canvas["height"] - 24) / 2,
    )
    await expect(page.locator("#details h2")).to_have_text("Ishmael")
    await context.close()
