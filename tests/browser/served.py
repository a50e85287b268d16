"""The page, served: a home with characters, a model that replies differently each time, a browser.

One server for all modules of this package, in a thread and an event loop of its own; it ends with
the package, because the pages run once in a process. Under the name ``localhost`` it asks for keys,
as a server with keys does; under its address everybody is the owner.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote

import pytest
import pytest_asyncio
import uvicorn
from playwright.async_api import Browser, Page, Request, expect
from playwright.async_api import TimeoutError as InVain
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from offbook.app import Offbook
from offbook.app.api_keys import Keys, NewKey
from offbook.documents.readers import ReadDocument
from offbook.foreign_files import SentFile
from offbook.models.clients import WITHOUT_OWNER
from offbook.server.app import create_app
from offbook.server.authentication import KeyAuthentication
from offbook.server.dependencies import OWNER, Caller
from offbook.settings import Settings, load_settings
from offbook.settings.model import ServerSettings
from offbook.stores.conversations import history
from offbook.stores.memories import add as add_memories
from offbook.types import MemoryFragment
from offbook.ui.mounting import mount_page
from tests.app.keeper import as_file, keeper
from tests.cli.texts import ADA
from tests.loopback.server import LoopbackServer
from tests.waiting import PATIENCE_SECONDS, eventually, until

LOOP: Final = "session"
_Made = TypeVar("_Made")
WAIT_SECONDS: Final = PATIENCE_SECONDS
"""How long is waited in vain for what a page should show, whatever else the machine does."""
expect.set_options(timeout=WAIT_SECONDS * 1000)

TWICE: Final = "(form) => { form.requestSubmit(); form.requestSubmit(); }"
"""A form that is sent twice, as by a hand that trembles."""
ATTACK: Final = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>'
HOSTILE_NAME: Final = "Mallory <b onmouseover=window.hacked=3>Byrne</b>"
HOSTILE: Final = f"""\
# Mallory Byrne {ATTACK}

Mallory Byrne keeps {ATTACK} the harbour of Galway. Mallory Byrne says {{{{ 7 * 7 }}}} and ${{7*7}}.

## Family {ATTACK}

Mallory's brother Tom Byrne taught Mallory {ATTACK} to row in 1870.
"""
REPLIES: Final = (
    "Tom taught me, when I was nine, and he never once raised his voice over it.",
    "It was my brother. He put the match in my hand and stood back.",
    "My brother Tom did. I can still trim it in the dark.",
)


TOLD: Final = "The *Abbé Faria* told Dantès of the treasure on Monte Cristo. Good night."


def answers() -> Callable[[Mapping[str, Any]], str]:
    """A model whose replies all differ; asked for an attack, it attacks."""
    numbers = count()

    def answer(body: Mapping[str, Any]) -> str:
        if "attack" in body["messages"][-1]["content"]:
            return f"Here it is: {ATTACK} **bold** [link](javascript:window.hacked=4)"
        if "told you of the treasure" in body["messages"][-1]["content"]:
            return TOLD
        number = next(numbers)
        return f"{REPLIES[number % len(REPLIES)]} ({number})"

    return answer


@dataclass(slots=True)
class Served:
    """The running server."""

    address: str
    settings: Settings
    model: LoopbackServer
    home: Path
    door: Door

    @property
    def keyed_address(self) -> str:
        """The same server, where it asks for keys."""
        return self.address.replace("127.0.0.1", "localhost")

    async def add_key(self, **limits: Any) -> NewKey:
        """A new key, made by another process, as it were."""
        async with await Offbook.open(self.settings) as book:
            return await Keys(book).add("a test", **limits)

    async def turns(self, character: str, session: str) -> list[tuple[str, str]]:
        """What is stored of a conversation of the owner's."""
        async with await Offbook.open(self.settings) as book:
            found = await book.store.read(history, character, session)
            return [(turn.said, turn.answered) for turn in found]


class Door:
    """Lets pages connect, at once or when it is opened; all else passes.

    Args:
        app: What it leads to.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._is_open = True

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Pages that are opened meanwhile connect when it ends."""
        self._is_open = False
        try:
            yield
        finally:
            self._is_open = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        if scope["type"] == "websocket":
            await eventually(lambda: self._is_open, "an open door")
        await self._app(scope, receive, send)


class ByHost:
    """Recognizes callers by their keys where the server is called ``localhost``.

    Args:
        address: The one that belongs to the owner.
    """

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._address = address
        self._keys = KeyAuthentication(ServerSettings(keys=True))

    async def __call__(self, request: HTTPConnection) -> Caller:
        """Who asks."""
        return OWNER if request.url.hostname == self._address else await self._keys(request)


async def _fill(settings: Settings) -> None:
    async with await Offbook.open(settings) as book:
        for name, text in (("Ada Byrne", ADA), (HOSTILE_NAME, HOSTILE)):
            made = await book.create(name)
            document = ReadDocument(f"{name.split()[0].lower()}.md", text, "text/markdown")
            await book.ingest_texts(made.id, [document])
        card = SentFile("tamsin.json", as_file(keeper()).encode())
        made_of_card = await book.cards.create(card)
        await book.ingest_texts(made_of_card.character.id, [])
        told = MemoryFragment("m1", "Were you afraid in the boat?", f"I was angry. {ATTACK}")
        slept = MemoryFragment("m2", "Did you sleep in the storm?", "Not an hour.")
        await book.store.write(add_memories, "ada-byrne", [told, slept])
        await book.memories.remember("ada-byrne")


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with Ada, somebody hostile, and Tamsin, who is of a card."""
    home = tmp_path_factory.mktemp("page") / "home"
    home.mkdir()
    with LoopbackServer(answer=answers()) as model:
        told = {
            "home": str(home),
            "chat.model": "m",
            "chat.base_url": model.base_url,
            "chat.api_key": "k",
            "extract.model": "offline",
            "judge.model": "offline",
        }
        settings = load_settings(told, {}, home, home / "none")
        _beside(lambda: _fill(settings))
        taken = socket.create_server(("127.0.0.1", 0))
        app = create_app(settings, authenticate=ByHost())
        mount_page(app)
        door = Door(app)
        server = uvicorn.Server(
            uvicorn.Config(door, log_level="warning", ws="wsproto", timeout_graceful_shutdown=2)
        )

        async def run() -> None:
            await server.serve(sockets=[taken])
            await WITHOUT_OWNER.close()

        thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
        thread.start()
        until(lambda: server.started or not thread.is_alive(), "the server")
        assert server.started
        port = taken.getsockname()[1]
        yield Served(f"http://127.0.0.1:{port}", settings, model, home, door)
        server.should_exit = True
        thread.join(WAIT_SECONDS)
        taken.close()
        assert not thread.is_alive()


@pytest.fixture(scope="package")
def dantes(served: Served) -> str:
    """The path of the demo character, who has a graph; made for the tests that need him."""

    async def make() -> str:
        async with await Offbook.open(_offline(served)) as book:
            made, _ = await book.demo_character()
            return f"/c/{quote(made.id, safe='')}"

    return _beside(make)


@pytest.fixture(scope="package")
def evaluation(served: Served, dantes: str) -> str:
    """The id of a run with ratings of the demo character's replies."""

    async def run() -> str:
        async with await Offbook.open(_offline(served)) as book:
            await book.evaluation.run("demo", methods=("naive",), limit=2)
            return str((await book.evaluation.runs())[0].id)

    return _beside(run)


def _offline(served: Served) -> Settings:
    told = {"home": str(served.home), "chat.model": "offline"}
    return load_settings(told, {}, served.home, served.home / "none")


def _beside(work: Callable[[], Coroutine[Any, Any, _Made]]) -> _Made:
    """Do it in an event loop of its own, however long it takes: the tests' own belongs to them."""

    async def whole() -> _Made:
        try:
            return await work()
        finally:
            await WITHOUT_OWNER.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(whole())).result()


HOLD: Final = """() => {
  const socket = window.socket, pass = socket.onevent, held = [];
  socket.onevent = (message) => held.push(message);
  window.held = held;
  window.letThrough = () => {
    socket.onevent = pass;
    held.splice(0).forEach((message) => pass.call(socket, message));
    // What they bring about is done in turn before whatever comes next.
    return new Promise((done) => setTimeout(done));
  };
}"""
FITS: Final = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth <= clientWidth;
}"""
BEYOND: Final = """() => [...document.querySelectorAll("#main *")].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((each) => each.outerHTML.slice(0, 200))"""
STATE: Final = """() => ({
  shown: document.body.innerText,
  field: document.querySelector(".composer textarea")?.value,
  focused: document.activeElement?.outerHTML.slice(0, 200),
  busy: document.querySelector(".log")?.getAttribute("aria-busy"),
  dialogs: document.querySelectorAll(".q-dialog").length,
  connected: window.socket?.connected,
  handshake: window.did_handshake,
})"""


@dataclass(slots=True)
class Visit:
    """A page of the server in a browser, and what it did that it should not.

    ``expected`` are parts of complaints that a test brings about.
    """

    page: Page
    served: Served
    complaints: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note requests to elsewhere, errors, and what stands on the console."""

        def asked(request: Request) -> None:
            own = (self.served.address, self.served.keyed_address)
            known = (*own, *(address.replace("http", "ws") for address in own), "data:", "blob:")
            if not request.url.startswith(known):
                self.elsewhere.append(request.url)

        self.page.on("request", asked)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text)
                if message.type in ("error", "warning")
                else None
            ),
        )

    async def go(self, address: str) -> None:
        """Open a page and wait until it is alive."""
        await self.page.goto(address)
        await expect(self.page.locator("#main")).to_be_visible()

    async def ask(self, question: str) -> None:
        """Say something, and wait for the reply."""
        field = self.page.locator(".composer textarea")
        await expect(field).to_be_visible()
        # One that closes gives the focus back, once it has heard of it: Enter would go there.
        await expect(self.page.get_by_role("dialog")).to_have_count(0)
        await self.at_rest()
        before = await self.why.count()
        await field.fill(question)
        await field.press("Enter")
        try:
            await expect(self.why).to_have_count(before + 1)
        except AssertionError as error:
            raise AssertionError(await self.state()) from error
        await self.at_rest()

    @asynccontextmanager
    async def reply_held(self, question: str) -> AsyncIterator[None]:
        """Say something; the reply comes at the end."""
        field, said = self.page.locator(".composer textarea"), self.page.locator(".said")
        before = await said.count()
        self.served.model.hold()
        try:
            await field.fill(question)
            await field.press("Enter")
            await expect(said).to_have_count(before + 1)
            yield
        finally:
            self.served.model.release()

    async def state(self) -> dict[str, Any]:
        """What a person sees, and how the page is connected: for who reads why a test failed."""
        found: dict[str, Any] = await self.page.evaluate(STATE)
        return found | {"complaints": self.complaints, "asked": len(self.served.model.requests)}

    @asynccontextmanager
    async def answers_held(self) -> AsyncIterator[None]:
        """The server hears the page; what it answers comes at the end, and is drawn by then."""
        await self.page.wait_for_function("window.socket?.connected")
        await self.page.evaluate(HOLD)
        yield
        await self.page.wait_for_function("window.held.length")
        await self.page.evaluate("window.letThrough()")

    async def at_rest(self) -> None:
        """Wait until a reply has its place: what is pressed before that is not heard."""
        said = self.page.get_by_role("log", name="What was said")
        await expect(said).not_to_have_attribute("aria-busy", "true")

    @property
    def why(self) -> Any:
        """The buttons that tell why."""
        return self.page.locator(".exchange").get_by_role("button", name="Why this reply?")

    async def fits(self) -> None:
        """Wait until nothing stands beyond the window's edge."""
        try:
            await self.page.wait_for_function(FITS)
        except InVain as error:
            beyond = await self.page.evaluate(BEYOND)
            raise AssertionError(f"wider than the window: {beyond}") from error


Visiting = Callable[..., Awaitable[Visit]]


@pytest_asyncio.fixture(loop_scope=LOOP)
async def visit(browser: Browser, served: Served) -> AsyncIterator[Visiting]:
    """Opens a page: ``await visit(path, width=..., scheme=..., key=...)``."""
    opened: list[Visit] = []

    async def go(
        path: str,
        width: int = 1280,
        height: int = 820,
        scheme: Any = "light",
        key: NewKey | None = None,
    ) -> Visit:
        signed: Any = None if key is None else {"username": "me", "password": key.secret}
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            http_credentials=signed,
        )
        page = await context.new_page()
        page.set_default_timeout(WAIT_SECONDS * 1000)
        made = Visit(page, served)
        made.watch()
        opened.append(made)
        await made.go(f"{served.address if key is None else served.keyed_address}{path}")
        return made

    yield go
    for made in opened:
        try:
            hacked = await made.page.evaluate("window.hacked")
        finally:
            await made.page.context.close()
        assert hacked is None
        assert made.elsewhere == []
        told = [each for each in made.complaints if not any(map(each.count, made.expected))]
        assert told == []
