"""A real browser, headless, for the pages that offbook writes.

The system's Chromium, or Chrome, is used; the tests skip where there is none. Every page runs
without a network, and a request, a message on the console or an error fails its test.
"""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, async_playwright

from tests.browser.served import (  # noqa: F401 - fixtures
    WAIT_SECONDS,
    dantes,
    evaluation,
    served,
    visit,
)

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOOP: Final = "session"
ROOT: Final = Path(__file__).resolve().parents[2]


@pytest_asyncio.fixture(scope="session", loop_scope=LOOP)
async def browser() -> AsyncIterator[Browser]:
    """The browser, started once."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: the graph page is not tried in a browser")
    # As root Chromium runs only without its sandbox; the pages are our own.
    arguments = ["--disable-gpu", "--disable-dev-shm-usage"]
    if os.name == "posix" and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    async with async_playwright() as playwright:
        # Several may be started at once, of a file that nobody has read yet.
        patience = 3 * WAIT_SECONDS * 1000
        opened = await playwright.chromium.launch(
            executable_path=found, args=arguments, timeout=patience
        )
        yield opened
        await opened.close()


class Watched:
    """A page, and what it did that it should not."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.file = file
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    async def settled(self) -> None:
        """Wait until nothing moves any more."""
        await self.page.wait_for_selector("html[data-layout=settled]", state="attached")

    def check(self) -> None:
        """Nothing but the file was asked for, and nobody complained."""
        address = self.file.as_uri()
        assert [url for url in self.requests if url.partition("#")[0] != address] == []
        assert self.complaints == []


OpenPage = Callable[..., Awaitable[Watched]]


@pytest_asyncio.fixture(loop_scope=LOOP)
async def show(browser: Browser, tmp_path: Path) -> AsyncIterator[OpenPage]:
    """Opens a page from a file: ``await show(html, width=..., scheme=..., motion="reduce")``.

    A ``script`` of the test's runs before those of the page.
    """
    opened: list[Watched] = []

    async def refuse(route: Route) -> None:
        if route.request.url.startswith("file:"):
            await route.continue_()
        else:
            await route.abort()

    async def go(
        html: str,
        width: int = 1280,
        height: int = 800,
        scheme: Any = "light",
        motion: Any = "no-preference",
        script: str = "",
    ) -> Watched:
        file = tmp_path / f"page{len(opened)}.html"
        file.write_bytes(html.encode())
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion=motion,
            offline=True,
        )
        page = await context.new_page()
        page.set_default_timeout(WAIT_SECONDS * 1000)
        await page.route("**/*", refuse)
        await page.add_init_script(script)
        watched = Watched(page, file)
        opened.append(watched)
        await page.goto(file.as_uri())
        await watched.settled()
        return watched

    yield go
    for watched in opened:
        await watched.page.context.close()
        watched.check()


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures are kept: where OFFBOOK_SCREENSHOTS says, and under CI with its artifacts."""
    usual = ROOT / "artifacts" / "screenshots" if os.environ.get("CI") else tmp_path / "screenshots"
    folder = Path(os.environ.get("OFFBOOK_SCREENSHOTS") or usual)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


COLOURS = """async (data) => {
  const image = new Image();
  image.src = data;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const found = {};
  const pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  for (const pixel of pixels) found[pixel & 0xffffff] = (found[pixel & 0xffffff] || 0) + 1;
  return found;
}"""

TakePicture = Callable[[Page, str], Awaitable[dict[str, int]]]


@pytest_asyncio.fixture(loop_scope=LOOP)
async def picture(browser: Browser, screenshots: Path) -> AsyncIterator[TakePicture]:
    """Takes a picture, keeps it, and tells how many pixels have which colour (``#rrggbb``)."""
    reader = await browser.new_page()

    async def take(page: Page, name: str) -> dict[str, int]:
        data = await page.screenshot(path=screenshots / f"{name}.png")
        address = f"data:image/png;base64,{base64.b64encode(data).decode()}"
        found = await reader.evaluate(COLOURS, address)
        return {_hex(int(pixel)): count for pixel, count in found.items()}

    yield take
    await reader.close()


def _hex(pixel: int) -> str:
    return "#" + pixel.to_bytes(3, "little").hex()
