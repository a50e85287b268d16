"""A running server on 127.0.0.1, in a thread of its own.

Takes: settings.  Gives: its address; ``with Served(settings) as server: server.base_url``.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.server.app import create_app
from offbook.settings import Settings, load_settings
from tests.cli.texts import ADA
from tests.server.live import live

MODEL = "ada-byrne"


def settings_in(folder: Path, **flags: Any) -> Settings:
    """Settings of a home in ``folder``, and of nothing else on this machine; method ``naive``."""
    named = {"home": str(folder / "home"), "method": "naive", "limits.concurrency": 16}
    named |= {name.replace("__", "."): value for name, value in flags.items()}
    return load_settings(named, {}, folder, folder / "none")


async def with_ada(settings: Settings) -> None:
    """Make Ada Byrne in the home of the settings."""
    async with await Offbook.open(settings) as book:
        await book.create("Ada Byrne")
        await book.ingest_texts(MODEL, [ReadDocument("ada.md", ADA, "text/markdown")])


class Served:
    """The server; the home that it serves may be opened beside it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.app = create_app(settings)
        self.root = ""
        self._running = ExitStack()

    @property
    def base_url(self) -> str:
        """The address that a client of OpenAI's API is given."""
        return f"{self.root}/v1"

    def __enter__(self) -> Served:
        options = {"ws": "none", "log_level": "critical", "timeout_graceful_shutdown": 2}
        self.root = self._running.enter_context(live(self.app, **options))
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()
