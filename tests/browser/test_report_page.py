"""The report page works in a browser: no script, no network, hostile texts, at any width."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.material import FailedCell, Report
from offbook.evaluation.report.writing import draw
from tests.browser.conftest import OpenPage, TakePicture
from tests.evaluation.report import made_reports

pytest.importorskip("matplotlib", reason="pictures need the extra 'eval'")
pytestmark = pytest.mark.asyncio(loop_scope="session")

METHODS = ("naive", "amadeus[amadeus.gs=off]", "方法一")
HOSTILE = "</p></details><script>alert(1)</script><img src=//x.example/a onerror=alert(2)>"
GROUND = {"light": "#f7f7f5", "dark": "#14161a"}
SERIES = {"light": "#0072b2", "dark": "#5db5ee"}
LONG = "Unbroken" * 60


@pytest.fixture(scope="module")
def html() -> str:
    """A page with everything in it, and texts that would be markup if they could."""
    key = made_reports.example().key
    report = made_reports.report(
        METHODS,
        examples=(made_reports.example(HOSTILE), made_reports.example(LONG, METHODS[1])),
        failed=(FailedCell(key, HOSTILE),),
        notes=(HOSTILE, LONG),
        interviews=made_reports.interviews("bigfive_item", METHODS, [HOSTILE]),
    )
    whole = Report((report,))
    # The graph page says when it has settled; this one is settled as it comes.
    return write_html(whole, list(draw(whole))).replace("<html ", "<html data-layout=settled ", 1)


async def overflow(page: Page) -> int:
    found: int = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_any_width_in_both_schemes_and_complains_of_nothing(
    show: OpenPage, picture: TakePicture, html: str, width: int, scheme: str
):
    page = (await show(html, width, 900, scheme)).page
    await page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert await overflow(page) == 0
    figure = page.locator("figure svg").first
    await figure.scroll_into_view_if_needed()
    seen = await picture(page, f"report-{width}-{scheme}")
    assert seen[GROUND[scheme]] > 5_000
    # Bars are translucent, and their outlines are not: look for the colour that is meant.
    fill = "getComputedStyle(document.querySelector('figure svg path[fill*=series-0]')).fill"
    red, green, blue = (int(SERIES[scheme][at : at + 2], 16) for at in (1, 3, 5))
    assert await page.evaluate(fill) == f"rgb({red}, {green}, {blue})"
    boxes = await page.locator("figure svg").evaluate_all(
        "(all) => all.map((svg) => svg.getBoundingClientRect().height)"
    )
    assert len(boxes) == 5
    assert min(boxes) > 120


async def test_no_text_has_become_markup(show: OpenPage, html: str):
    page = (await show(html)).page
    for element in ("script", "img", "iframe", "link", "form"):
        assert await page.locator(element).count() == 0
    assert await page.get_by_text("<script>alert(1)</script>").count() > 3


async def test_replies_open_and_close_without_a_script(show: OpenPage, html: str):
    page = (await show(html)).page
    summary = page.locator("details > summary").filter(has_text=METHODS[1]).last
    reply = page.locator("blockquote.reply").filter(has_text=LONG)
    await expect(reply).to_be_hidden()
    await summary.click()
    await expect(reply).to_be_visible()
    await page.locator("nav a").filter(has_text="failures").click()
    await expect(page.get_by_text("Cells without a reply")).to_be_in_viewport()
