"""An open home for tests, with nothing of this machine's settings.

Takes: a folder, settings.  Gives: an ``Offbook``; and texts as if they had been read.
"""

from __future__ import annotations

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
