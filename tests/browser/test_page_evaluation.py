"""Two methods side by side, and review of a judge's ratings, on the page."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from offbook.ui import evaluation as evaluation_page
from tests.browser.conftest import TakePicture
from tests.browser.served import TWICE, Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
async def test_two_methods_answer_side_by_side(
    visit: Visiting, dantes: str, picture: TakePicture, monkeypatch, width, scheme
):
    asked: list[str] = []
    ask = evaluation_page._ask

    async def noted(place: object, method: str, question: str) -> object:
        asked.append(method)
        return await ask(place, method, question)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluation_page, "_ask", noted)
    here = await visit(f"{dantes}/compare", width, 844, scheme)
    page = here.page
    await page.get_by_label("Question").fill("What did Sinbad the Sailor do for Morrel?")
    await page.locator("form").evaluate(TWICE)
    columns = page.locator(".columns > section")
    await expect(columns).to_have_count(2)
    for place, method in enumerate(("naive", "ensemble")):
        await expect(columns.nth(place).locator(".answered")).to_be_visible()
        costs = columns.nth(place).locator("details", has_text="What it cost").last
        await expect(costs).to_contain_text(f"method {method}")
    assert sorted(asked) == ["ensemble", "naive"], "pressed twice, asked once"
    await expect(columns.nth(0).locator("summary", has_text="Relations")).to_have_count(0)
    await expect(columns.nth(1).locator("summary", has_text="Relations")).to_be_visible()
    await here.fits()
    await picture(page, f"page-compare-{width}-{scheme}")


async def test_a_method_without_its_index_says_how_to_build_it(visit: Visiting, dantes: str):
    here = await visit(f"{dantes}/compare")
    page = here.page
    await page.get_by_label("Second method").click()
    await page.get_by_role("option", name="raptor").click()
    await page.get_by_label("Question").fill("Who was Faria?")
    await page.get_by_role("button", name="Compare").click()
    failed = page.locator(".columns > section").nth(1).locator(".notice.bad")
    await expect(failed).to_contain_text("offbook ingest")
    await expect(page.locator(".columns > section").nth(0).locator(".answered")).to_be_visible()


async def test_a_rating_is_overruled_and_taken_back(
    visit: Visiting, picture: TakePicture, evaluation: str
):
    here = await visit("/reviews", 390, 844)
    page = here.page
    await page.get_by_role("link", name=evaluation).click()
    await expect(page.get_by_text("offline rules, not a measurement")).to_be_visible()
    await page.get_by_label("Your name").fill("Sam")
    rating = page.get_by_role("article").first
    await rating.get_by_label("Your value").fill("7000")
    await rating.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("7000 is not")).to_be_visible()
    await page.get_by_role("button", name="Close").click()
    await rating.get_by_label("Your value").fill("1")
    await rating.get_by_label("Why", exact=True).fill("It says so.")
    await rating.get_by_role("button", name="Save").click()
    await expect(rating.get_by_text("saved")).to_be_visible()
    await expect(page.get_by_text("1 looked over")).to_be_visible()
    await here.fits()
    await picture(page, "page-review-390")
    await page.reload()
    rating = page.get_by_role("article").first
    await expect(rating.get_by_label("Your value")).to_have_value("1")
    await expect(rating.get_by_text("by Sam")).to_be_visible()
    await rating.get_by_label("Your value").fill("")
    await rating.get_by_role("button", name="Save").click()
    await expect(rating.get_by_text("taken back")).to_be_visible()
    await expect(page.get_by_text("looked over")).to_have_count(0)
