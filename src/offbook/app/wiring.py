"""From settings to the models and the store; the only place that knows the concrete ones.

Takes: settings.  Gives: an open store, and for each command or turn the models with its own meter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.models.caching import CallCache
from offbook.models.ladder import RungsInStore
from offbook.models.limits import Limiters, Limits
from offbook.models.metering import Meter
from offbook.models.prices import Price
from offbook.models.wrappers import wrap
from offbook.pipeline import Stage
from offbook.settings.endpoints import chat_endpoint, embed_endpoint, role_endpoint
from offbook.stores.opening import open_store, sqlite_url

if TYPE_CHECKING:
    from offbook.models.embedders import OpenAIEmbedder
    from offbook.models.metering import Spending
    from offbook.protocols import ChatModel, Embedder, Store
    from offbook.settings import Settings
    from offbook.settings.endpoints import Endpoint

DATABASE_FILE = "offbook.db"


def database_url(settings: Settings) -> str:
    """The configured database, or the embedded one in the home folder."""
    named = settings.values.database.url
    if named is not None:
        return named.get_secret_value()
    return sqlite_url(settings.values.home.expanduser() / DATABASE_FILE)


@dataclass(slots=True)
class Wiring:
    """What lives as long as the process: the store, the backends, limiters and the call cache."""

    settings: Settings
    store: Store
    limiters: Limiters
    cache: CallCache
    backends: dict[tuple[str, str | None, str], ChatModel] = field(default_factory=dict)
    embedder: OpenAIEmbedder | None = None
    spending: Spending | None = None
    """Told of what all commands spend."""

    @classmethod
    async def open(cls, settings: Settings) -> Wiring:
        """Open the store; no endpoint is asked for anything."""
        store = await open_store(database_url(settings))
        limits = settings.values.limits
        limiters = Limiters(Limits(limits.concurrency, limits.rpm, limits.tpm, limits.retries))
        return cls(settings, store, limiters, CallCache(store))

    def meter(self) -> Meter:
        """A new meter, with the budget of one command."""
        values = self.settings.values
        prices = {name: Price(p.prompt, p.completion) for name, p in values.prices.items()}
        limits = values.limits
        return Meter(
            prices,
            budget_calls=limits.budget_calls,
            budget_usd=limits.budget_usd,
            spending=self.spending,
        )

    def stage(self, meter: Meter, dimension: int | None = None) -> Stage:
        """Models that count on ``meter``, with the store and the settings.

        Args:
            meter: Of this command or turn.
            dimension: Of the vectors that are stored already.
        """
        settings, embed = self.settings, embed_endpoint(self.settings)
        embedder = self._embedder(embed, meter, dimension)
        told = None if embed.base_url is None else embedder
        return Stage(
            settings=settings.values,
            store=self.store,
            actor=self._chat(chat_endpoint(settings), meter, told),
            extractor=self._chat(role_endpoint(settings, "extract"), meter, told),
            judge=self._chat(role_endpoint(settings, "judge"), meter, told),
            embedder=embedder,
        )

    def _chat(self, endpoint: Endpoint, meter: Meter, embedder: Embedder | None) -> ChatModel:
        if endpoint.base_url is None:
            from offbook.models.offline.model import OfflineModel

            offline = OfflineModel()
            offline.embedder = embedder
            return offline
        key = (endpoint.model, endpoint.base_url, endpoint.section)
        if key not in self.backends:
            self.backends[key] = self._backend(endpoint, endpoint.base_url)
        backend = self.backends[key]
        return wrap(
            backend, meter=meter, limiter=self.limiters.of(backend.base_url), cache=self.cache
        )

    def _backend(self, endpoint: Endpoint, base_url: str) -> ChatModel:
        from offbook.models.openai_compatible import OpenAICompatible

        return OpenAICompatible(
            base_url,
            endpoint.model,
            endpoint.api_key,
            section=endpoint.section,
            timeout_seconds=self.settings.values.limits.timeout_seconds,
            rungs=RungsInStore(self.store),
        )

    def _embedder(self, endpoint: Endpoint, meter: Meter, dimension: int | None) -> Embedder:
        if endpoint.base_url is None:
            from offbook.models.builtin import BuiltinEmbedder

            return BuiltinEmbedder()
        from offbook.models.embedders import OpenAIEmbedder

        if self.embedder is None:
            values = self.settings.values
            self.embedder = OpenAIEmbedder(
                endpoint.base_url,
                endpoint.model,
                endpoint.api_key,
                limiter=self.limiters.of(endpoint.base_url),
                batch=values.embed.batch,
                timeout_seconds=values.limits.timeout_seconds,
            )
        return self.embedder.metered(meter, dimension=dimension)

    async def close(self) -> None:
        """Close connections and the store."""
        import sys

        if "offbook.models.clients" in sys.modules:
            from offbook.models.clients import close_clients

            await close_clients()
        await self.store.close()
