"""An open home as one command sees it: its store, settings, meter, and the models of a turn.

Takes: settings.  Gives: the open store, models that count on a meter, and the character that a
name means. The only place that knows the concrete models and stores. The functions of this package
take a ``Home``; ``Offbook`` is one, with methods for them.
"""

from __future__ import annotations

import shlex
import unicodedata
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from offbook import registry
from offbook.agent.learning import Learning
from offbook.errors import STARS, ConfigurationError, IndexMissing, UnknownName
from offbook.models.caching import CallCache
from offbook.models.clients import Clients
from offbook.models.ladder import RungMemory
from offbook.models.limits import Limiters, Limits
from offbook.models.metering import Meter, Price
from offbook.models.wrappers import wrap
from offbook.runtime import Runtime
from offbook.settings.endpoints import endpoint_of, fitted
from offbook.settings.loading import DEFAULT
from offbook.stores import call_cache, characters, documents
from offbook.stores.connection import open_store, sqlite_url
from offbook.types import traits_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from offbook.models.embedders import OpenAIEmbedder
    from offbook.models.metering import Spending
    from offbook.models.reranker import EndpointReranker
    from offbook.protocols import ChatModel, Embedder, Store
    from offbook.settings import Settings, SettingsModel
    from offbook.settings.endpoints import Endpoint
    from offbook.stores.connection import Connection
    from offbook.types import Character


DATABASE_FILE = "offbook.db"


def database_url(settings: Settings) -> str:
    """The configured database, or the embedded one in the home folder."""
    named = settings.values.database.url
    if named is not None:
        return named.get_secret_value()
    return sqlite_url(settings.values.home.expanduser() / DATABASE_FILE)


@dataclass
class Wiring:
    """What one ``Offbook`` has: store, backends, connections, limiters and the call cache."""

    settings: Settings
    store: Store
    limiters: Limiters
    cache: CallCache
    backends: dict[tuple[str, str | None, str], ChatModel] = field(default_factory=dict)
    embedder: OpenAIEmbedder | None = None
    reranker: EndpointReranker | None = None
    clients: Clients = field(default_factory=Clients)
    spending: Spending | None = None
    """Told of what all commands spend."""

    @classmethod
    async def open(cls, settings: Settings) -> Wiring:
        """Open the store; no endpoint is asked for anything."""
        store = await open_store(database_url(settings))
        settings = await _fitted(settings, store)
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

    def runtime(
        self, meter: Meter, dimension: int | None = None, *, fleeting: bool = False
    ) -> Runtime:
        """Models that count on ``meter``, with the store and the settings.

        Args:
            meter: Of this command or turn.
            dimension: Of the vectors that are stored already.
            fleeting: Whether nothing that the models answer is kept.
        """
        cache = None if fleeting else self.cache
        embedder = self._embedder(self.endpoints["embed"], meter, dimension)
        return Runtime(
            settings=self.settings.values,
            store=self.store,
            actor=self._chat(self.endpoints["chat"], meter, embedder, cache),
            extractor=self._chat(self.endpoints["extract"], meter, embedder, cache),
            judge=self._chat(self.endpoints["judge"], meter, embedder, cache),
            embedder=embedder,
            reranker=self._reranker(meter),
        )

    @cached_property
    def endpoints(self) -> Mapping[str, Endpoint]:
        """Where each role's model answers.

        Raises:
            ConfigurationError: it is not said where one answers, or a key would go astray.
        """
        roles = ("embed", "chat", "extract", "judge")
        return {role: endpoint_of(self.settings, role) for role in roles}

    def _chat(
        self, endpoint: Endpoint, meter: Meter, embedder: Embedder, cache: CallCache | None
    ) -> ChatModel:
        backend: ChatModel
        if endpoint.base_url is None:
            backend = registry.load("model", endpoint.model)(embedder=embedder)
            if traits_of(backend).free:
                return backend
        else:
            key = (endpoint.model, endpoint.base_url, endpoint.section)
            if key not in self.backends:
                self.backends[key] = self._backend(endpoint, endpoint.base_url)
            backend = self.backends[key]
        return wrap(backend, meter=meter, limiter=self.limiters.of(backend.base_url), cache=cache)

    def _backend(self, endpoint: Endpoint, base_url: str) -> ChatModel:
        from offbook.models.openai_compatible import OpenAICompatible

        return OpenAICompatible(
            base_url,
            endpoint.model,
            endpoint.api_key,
            section=endpoint.section,
            timeout_seconds=self.settings.values.limits.timeout_seconds,
            thinks=endpoint.thinks,
            rungs=RungMemory(self.store),
            clients=self.clients,
        )

    def _embedder(self, endpoint: Endpoint, meter: Meter, dimension: int | None) -> Embedder:
        if endpoint.base_url is None:
            return registry.load("embedder", endpoint.model)()  # type: ignore[no-any-return]
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
                clients=self.clients,
            )
        return self.embedder.metered(meter, dimension=dimension)

    def _reranker(self, meter: Meter) -> EndpointReranker | None:
        values = self.settings.values
        if values.rerank.model is None:
            return None
        from offbook.models.failures import Place
        from offbook.models.reranker import EndpointReranker

        if self.reranker is None:
            endpoint = endpoint_of(self.settings, "rerank")
            if endpoint.base_url is None:
                raise ConfigurationError(
                    f"rerank.model is {endpoint.model!r}, which is no model at an endpoint",
                    "name one that answers at rerank.base_url, or unset rerank.model",
                )
            place = Place(
                endpoint.base_url,
                endpoint.model,
                "rerank",
                endpoint.api_key,
                values.limits.timeout_seconds,
            )
            limiter = self.limiters.of(endpoint.base_url)
            self.reranker = EndpointReranker(place, limiter=limiter, clients=self.clients)
        return self.reranker.metered(meter)

    async def close(self) -> None:
        """Close connections and the store."""
        await self.clients.close()
        await self.store.close()


async def _fitted(settings: Settings, store: Store) -> Settings:
    """Fit the settings to what is known of the endpoint that replies."""
    with suppress(ConfigurationError):  # whoever asks it is told
        chat = endpoint_of(settings, "chat")
        if chat.base_url is not None:
            known = await store.read(call_cache.get_limits, chat.base_url, chat.model)
            return fitted(settings, *known)
    return settings


class Home:
    """An open home, with the meter of one command."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self.settings: Settings = wiring.settings
        self.store = wiring.store
        """The open store."""
        self.clients = wiring.clients
        """The connections to the endpoints."""
        self.meter: Meter = wiring.meter()
        """What this command has cost so far, its conversations included, and its budget."""
        self.learning = Learning(lambda character: self.runtime(character.dimension))
        """The work behind conversations; it counts on this command's meter."""

    def runtime(self, dimension: int | None = None, meter: Meter | None = None) -> Runtime:
        """Store and models, counting on this command's meter, or on another."""
        return self.wiring.runtime(meter or self.meter, dimension)

    def turn(self, character: Character, *, fleeting: bool = False) -> tuple[Runtime, Meter]:
        """Store and models for a turn, counted for itself as well; the budget is the command's.

        Of a ``fleeting`` one nothing is kept, nor what a model makes of its question.
        """
        meter = self.meter.part()
        runtime = self.wiring.runtime(meter, character.dimension, fleeting=fleeting)
        return replace(runtime, settings=answering(self.settings, character)), meter

    async def find(self, name: str, *, only: bool = False) -> Character:
        """Find the character of this name or id; accents and case may be left out.

        Args:
            name: The name or id. Of several that have the name, the first is meant.
            only: Refuse a name that several have, rather than take the first.

        Raises:
            UnknownName: there is none; the nearest is in the hint.
        """
        return await self.store.read(find_character, name, only=only)


PASSAGES: Final = 8
"""Passages behind a reply of a character whose book no model has read: a novel says everything of
everybody, and naive RAG over so many was right more often than a graph that rules had made."""


def answering(settings: Settings, character: Character) -> SettingsModel:
    """The settings by which a character replies: those in force, whatever anybody has set.

    Where nobody has named a method, a character of a book, or one whose texts are being read for
    the first time, answers from passages until a model has made the indexes of the default method.
    """
    values = settings.values
    if not character.settings.get(characters.BY_PASSAGES) or settings.origin("method") != DEFAULT:
        return values
    naive = values.naive
    if settings.origin("naive.k") == DEFAULT:
        naive = naive.model_copy(update={"k": PASSAGES})
    return values.model_copy(update={"method": "naive", "naive": naive})


class Opened(Protocol):
    """An open offbook, or one as a variant of an evaluation sees it."""

    @property
    def settings(self) -> Settings:
        """Those in force."""

    @property
    def store(self) -> Store:
        """The open store."""

    def runtime(self, dimension: int | None = None) -> Runtime:
        """Store and models."""


_OPTIONS: Final = {
    "method": "--method",
    "preset": "--preset",
    "home": "--home",
    "chat.model": "--model",
    "chat.base_url": "--base-url",
}
_SECRET: Final = ("api_key", "database.url")
_NOT_BUILT_BY: Final = ("limits.", "reply.", "judge.")


def build_command(settings: Settings, character: str, method: str | None = None) -> str:
    """``offbook ingest`` with the flags that decide what is built, and by which model."""
    words = ["offbook", "ingest", character]
    if method is not None:
        words += ["--method", method]
    for name, value, origin in settings.rows():
        if name == "method" and method is not None:
            continue
        if origin != "flag" or name.endswith(_SECRET) or name.startswith(_NOT_BUILT_BY):
            continue
        if STARS in value:
            continue  # a password in a URL is not handed on
        option = _OPTIONS.get(name)
        words += [option, value] if option else ["--set", f"{name}={value}"]
    return shlex.join(words)


@asynccontextmanager
async def priced(
    home: Opened, character: Character, *, with_cost: bool = True
) -> AsyncIterator[None]:
    """Let what happens inside say how to build the index that it misses.

    Args:
        home: Where the character is.
        character: Whose index it is.
        with_cost: Whether to estimate what that costs: it splits all of the documents.

    Raises:
        IndexMissing: with the command, and perhaps its estimate, as the hint.
    """
    try:
        yield
    except IndexMissing as error:
        stored = await home.store.read(documents.list_all, character.id)
        command = build_command(home.settings, character.id)
        if stored and with_cost:
            from offbook.app.estimate import estimate_ingestion

            cost = await estimate_ingestion(home.runtime(character.dimension), character, ())
            error.hint = f"build it: {command} ({cost.in_words()})"
        else:
            files = "" if stored else " FILE..."
            error.hint = f"build it: {command}{files} (what it costs: add --estimate)"
        raise


def find_character(conn: Connection, name: str, *, only: bool = False) -> Character:
    """The character whose id or name is ``name``, or the only one that is so but for accents.

    Of several that have the name, the first is meant, unless it has to be the ``only`` one.

    Raises:
        UnknownName: there is none, or several; the hint names the nearest.
    """
    exact = characters.find(conn, name)
    if exact is not None and not (only and exact.id != name):
        return exact
    folded = fold(name)
    close = [c for c in characters.list_all(conn) if folded in (fold(c.name), fold(c.id))]
    if len(close) == 1:
        return close[0]
    if close:
        ids = ", ".join(repr(c.id) for c in close)
        raise UnknownName(f"several characters answer to {name!r}", f"give an id: {ids}")
    return characters.require(conn, name)


def fold(name: str) -> str:
    """Letters and digits of a name without accents, case, or anything between them."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())
