"""The native API: ``/api/...`` for all that the command line does."""

from __future__ import annotations

from typing import Final

from offbook.server.native import cards, characters, documents, evaluations, memories, talk

ROUTERS: Final = tuple(
    module.routes for module in (cards, documents, memories, talk, evaluations, characters)
)
