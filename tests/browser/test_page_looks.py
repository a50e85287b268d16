"""Every page at two widths and in two themes: kept as pictures, and looked over by axe-core.

axe-core comes with ``axe-playwright-python``, or where OFFBOOK_AXE names its file.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser.conftest import TakePicture
from tests.browser.served import Visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGES: Final = {
    "start": "/",
    "settings": "/settings",
    "reviews": "/reviews",
    "talk": "/c/ada-byrne",
    "graph-alone": "{dantes}/graph/graph.html",
    **{
        part: f"{{dantes}}/{part}"
        for part in ("cast", "graph", "documents", "names", "memories", "compare")
    },
    "docs": "/docs",
}
WIDTHS: Final = (1280, 390)
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
GRAVE: Final = ("serious", "critical")


def axe() -> str:
    """The source of axe-core."""
    named, found = os.environ.get("OFFBOOK_AXE"), find_spec("axe_playwright_python")
    if named is None and found is None:
        pytest.skip("axe-core is not here: pip install axe-playwright-python")
    if named is None:
        assert found is not None
        named = str(Path(str(found.origin)).with_name("axe.min.js"))
    return Path(named).read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_fits_and_has_nothing_grave(
    visit: Visiting, picture: TakePicture, dantes: str, name: str
):
    path = PAGES[name].format(dantes=dantes)
    here = await visit("/")
    page = here.page
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 844})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await page.goto(here.served.address + path)
            await page.wait_for_load_state("networkidle")
            await here.fits()
            await picture(page, f"look-{name}-{width}-{scheme}")
            await page.evaluate(axe())
            told: Any = await page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
            found = [
                (each["id"], each["nodes"][0]["html"][:200])
                for each in told["violations"]
                if each["impact"] in GRAVE
            ]
            assert found == [], (width, scheme)
