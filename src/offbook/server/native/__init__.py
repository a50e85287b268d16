"""The native API: ``/api/...`` for all that the command line does.

Takes: requests.  Gives: JSON in the shapes of the command line's ``--json``.
"""

from __future__ import annotations

from fastapi import APIRouter

from offbook.server.native import (
    asking,
    cards,
    characters,
    checking,
    documents,
    evaluation,
    memories,
    porting,
)


def routers() -> list[APIRouter]:
    """The routers of the native API, in the order in which paths are tried."""
    # Those with longer fixed paths stand before `characters`, which takes any part.
    parts = (documents, memories, asking, porting, evaluation, checking, characters)
    return [*cards.routers(), *(part.router() for part in parts)]
