"""The native API: ``/api/...`` for all that the command line does."""

from __future__ import annotations

from typing import Final

from offbook.server.native import (
    books,
    cards,
    characters,
    documents,
    evaluations,
    memories,
    scenes,
    talk,
    users,
)

_MODULES: Final = (books, cards, documents, memories, scenes, talk, evaluations, users, characters)
ROUTERS: Final = tuple(module.routes for module in _MODULES)
