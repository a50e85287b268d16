"""The shipped character, built like any other.

Takes: an open offbook.  Gives: the character, with its document and, where the method recalls
memories, with these.
"""

from __future__ import annotations

from importlib.resources import as_file
from typing import TYPE_CHECKING

from offbook import demo
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.ingestion.reports import IngestReport
    from offbook.types import Character


async def build(book: Offbook) -> tuple[Character, IngestReport]:
    """The character, made where it is not there yet, and what its document added."""
    try:
        character = await book.find(demo.CHARACTER_NAME)
    except UnknownName:
        character = await book.create(demo.CHARACTER_NAME)
    text = ReadDocument(demo.PERSONA_FILE, demo.persona_text(), "markdown")
    report = await book.ingest_texts(character.id, [text])
    stage = book.stage(character.dimension)
    if stage.method.needs(stage.settings).memories:
        with as_file(demo.memories_path()) as file:
            await book.memories.remember(character.id, file)
    return character, report
