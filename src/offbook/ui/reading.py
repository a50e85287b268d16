"""Texts are read behind the page: asked first where it costs, then queued for the server.

Takes: documents, or none where those that are there are to be read.  Gives: whether it was begun.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from offbook.ingestion.estimating import estimate_ingestion
from offbook.models.wrappers import OFFLINE_URL
from offbook.stores import ingestions
from offbook.ui.asking import confirmed
from offbook.ui.elements import plural

if TYPE_CHECKING:
    from offbook.documents.readers import ReadDocument
    from offbook.types import Character
    from offbook.ui.visitor import Visitor

_WITHOUT: Final = "Without that, replies may miss what they would rest on."


async def begin_reading(
    visitor: Visitor, character: Character, readings: Sequence[ReadDocument] = ()
) -> bool:
    """Queue an ingestion, unless it costs and the person does not want it.

    Args:
        visitor: Who asks for it; they may write.
        character: Whose texts they are.
        readings: New documents; none: what is there is read for the configured method.
    """
    if not await _is_wanted(visitor, character, readings):
        return False
    asked = {"documents": [asdict(each) for each in readings], "method": None, "order": None}
    id_ = uuid.uuid4().hex[:12]
    await visitor.book.store.write(lambda conn: ingestions.add(conn, character.id, id_, asked))
    if visitor.wake is not None:
        visitor.wake()
    return True


async def _is_wanted(
    visitor: Visitor, character: Character, readings: Sequence[ReadDocument]
) -> bool:
    """Nothing is spent unasked: what costs calls to an endpoint is confirmed first."""
    stage = visitor.command().stage(character.dimension)
    if stage.extractor.base_url == OFFLINE_URL:
        return True
    found = await estimate_ingestion(stage, character, readings)
    if not found.calls and not found.embed_calls:
        return True
    told = f"This takes about {found.in_words()}."
    if readings:
        return await confirmed(f"Add {plural(len(readings), 'document')}?", told, "Add")
    return await confirmed(f"Read the texts of {character.name}?", f"{told} {_WITHOUT}", "Read")
