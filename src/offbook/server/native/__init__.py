"""The native API: ``/api/...`` for all that the command line does."""

from __future__ import annotations

from typing import Final

from offbook.server.native import books, cards, characters, documents, evaluations, memories, talk

ROUTERS: Final = tuple(
    module.routes for module in (books, cards, documents, memories, talk, evaluations, characters)
)
