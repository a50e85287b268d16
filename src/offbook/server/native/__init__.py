"""The native API: ``/api/...`` for all that the command line does.

Takes: requests.  Gives: JSON in the shapes of the command line's ``--json``.
"""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter

from offbook.server.native import (
    asking,
    cards,
    characters,
    checking,
    documents,
    evaluating,
    evaluation,
    memories,
    porting,
    reviews,
)


@cache  # they take as long to make as all else of an application, and hold none
def routers() -> tuple[APIRouter, ...]:
    """The routers of the native API, in the order in which paths are tried."""
    # Those with longer fixed paths stand before `characters`, which takes any part.
    looked_at = (evaluation, evaluating, reviews)
    parts = (documents, memories, asking, porting, *looked_at, checking, characters)
    return (*cards.routers(), *(part.router() for part in parts))
