"""What tests of conversations share: the whole reply, and a home with the keeper of a card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offbook.agent.session import Session
from offbook.app import Offbook
from tests.app.keeper import as_file, keeper


async def said(talk: Session, words: str) -> str:
    """Say something; the reply, whole."""
    return "".join([piece async for piece in talk.say(words)])


async def with_card(book: Offbook, folder: Path, **fields: Any) -> Offbook:
    """Make the keeper from its card with these fields."""
    file = folder / "k.json"
    file.write_text(as_file(keeper(**fields)), "utf-8")
    await book.cards.create(file)
    return book
