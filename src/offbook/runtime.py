"""What every step of the flow works with: settings, a store, and a model for each role.

Takes: what ``app.home`` opened.  Gives: ``Runtime``, made anew for each command or turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from offbook import registry

if TYPE_CHECKING:
    from offbook.protocols import ChatModel, Embedder, Method, Reranker, Store
    from offbook.settings import SettingsModel
    from offbook.types import IndexRequirements


@dataclass(frozen=True, slots=True)
class Runtime:
    """Settings, a store, and a model for each role.

    The ``actor`` replies in character, the ``extractor`` answers about texts and questions (graph,
    boundary, emotions), the ``judge`` rates replies, the ``embedder`` makes vectors, the
    ``reranker``, where there is one, orders the passages that a search found.
    """

    settings: SettingsModel
    store: Store
    actor: ChatModel
    extractor: ChatModel
    judge: ChatModel
    embedder: Embedder
    reranker: Reranker | None = None

    @property
    def needs(self) -> IndexRequirements:
        """What the configured method needs indexed."""
        method: Method[Any] = registry.load("method", self.settings.method)()
        return method.needs(self.settings)
