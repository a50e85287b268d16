"""Settings on the page: who one is, and a model that is tried."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.served import Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_who_one_is_is_kept_in_the_file_and_holds_at_once(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    file = tmp_path / "config.toml"
    monkeypatch.setenv("OFFBOOK_CONFIG", str(file))
    here = await visit("/settings")
    page = here.page
    name = page.get_by_label("Your name")
    save = page.get_by_role("button", name="Save who you are")
    await name.fill("Rae")
    await save.click()
    try:
        await expect(page.get_by_text("Saved.")).to_be_visible()
        assert 'name = "Rae"' in file.read_text("utf-8")
        await here.go(f"{here.served.address}/c/tamsin-reeve?session=rae")
        await expect(page.locator(".answered")).to_have_text(
            "You will be Rae, then. Mind the third step."
        )
    finally:
        await here.go(f"{here.served.address}/settings")
        await name.fill("")
        await save.click()
        await expect(page.get_by_text("Saved.")).to_be_visible()
    assert "Rae" not in file.read_text("utf-8")


async def test_a_model_is_tried_before_it_is_saved(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    file = tmp_path / "config.toml"
    monkeypatch.setenv("OFFBOOK_CONFIG", str(file))
    here = await visit("/settings")
    page = here.page
    await expect(page.get_by_label("Address")).to_have_value(here.served.model.base_url)
    await expect(page.get_by_label("Key, if it needs one")).to_have_value("")
    await page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    await page.get_by_role("button", name="Test").click()
    await expect(page.locator(".notice.bad").first).to_contain_text("chat")
    await expect(page.get_by_text("✓ database")).to_be_visible()
    assert not file.exists()
