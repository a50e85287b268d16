"""What every stage of the flow works with: settings, a store, and a model for each role.

Takes: what ``app.wiring`` opened.  Gives: ``Runtime``, made anew for each command or turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from offbook import registry

if TYPE_CHECKING:
    from offbook.protocols import ChatModel, Embedder, Method, Store
    from offbook.settings import SettingsModel


@dataclass(frozen=True, slots=True)
class Runtime:
    """Settings, a store, and a model for each role."""

    settings: SettingsModel
    store: Store
    actor: ChatModel
    extractor: ChatModel
    judge: ChatModel
    embedder: Embedder

    @property
    def method(self) -> Method[Any]:
        """The configured method."""
        return registry.load("method", self.settings.method)()  # type: ignore[no-any-return]
