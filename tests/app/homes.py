"""An open home for tests, with nothing of this machine's settings.

Takes: a folder, settings.  Gives: an ``Offbook``; and texts as if they had been read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.settings import load_settings


async def opened(folder: Path, **flags: Any) -> Offbook:
    """An open home in ``folder``; settings by name, with ``__`` for the dot; method ``naive``."""
    named = {"home": str(folder / "home")}
    named |= {name.replace("__", "."): value for name, value in flags.items()}
    environment = {"OFFBOOK_METHOD": "naive"}
    return await Offbook.open(load_settings(named, environment, folder, folder / "none"))


def text(name: str, content: str) -> ReadDocument:
    """A text as a reader gives it."""
    return ReadDocument(name, content, "text/markdown")


@asynccontextmanager
async def home_with(
    folder: Path, name: str, *texts: ReadDocument, **flags: Any
) -> AsyncIterator[Offbook]:
    """An open home with a character, and these texts of it."""
    async with await opened(folder, **flags) as book:
        made = await book.create(name)
        await book.ingest_texts(made.id, texts)
        yield book
