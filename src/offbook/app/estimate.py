"""What an ingestion would cost: the ingestion itself, on a copy, with models that only count.

Takes: what would be read.  Gives: calls, tokens and money; no endpoint is asked and nothing of the
home is written. The embedded models answer in the place of the configured ones, and what the call
cache holds counts as nothing. Real models find other entities, so what follows from these differs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook import pipeline, registry
from offbook.ingestion.reports import Estimate, unheard
from offbook.models.builtin import BuiltinEmbedder
from offbook.models.caching import call_key
from offbook.models.metering import Meter, Price, prompt_tokens_of, task_of
from offbook.stores import call_cache
from offbook.stores.scratch import scratch_copy
from offbook.text.tokens import count_tokens
from offbook.types import ChatRequest, ChatResponse, Ending, traits_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.documents.readers import ReadDocument
    from offbook.protocols import ChatModel, EmbedKind, Store
    from offbook.runtime import Runtime
    from offbook.settings import SettingsModel
    from offbook.types import Character


class CountingModel:
    """Answers by rules in the place of an endpoint's model, and counts what that would be asked.

    Args:
        store: Where answers are that were paid for already.
    """

    def __init__(self, model: ChatModel, store: Store, meter: Meter) -> None:
        self.name, self.base_url = model.name, model.base_url
        self._store, self._meter = store, meter
        self._rules: ChatModel = registry.load("model", "offline")(embedder=None)
        self._counted: set[str] = set()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole."""
        key = call_key(self.base_url, self.name, request)
        stored = await self._store.read(call_cache.get, key)
        if stored is not None:
            return ChatResponse(stored.text, "stop", 0, 0, cached=True)
        is_new = key not in self._counted  # equal calls, side by side too, are one
        self._counted.add(key)
        response = await self._rules.complete(request)
        if is_new:
            counts = Ending("stop", prompt_tokens_of(request), response.completion_tokens)
            self._meter.requested(self.name, task_of(request))
            self._meter.answered(self.name, task_of(request), counts)
        return response

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Answer in one piece."""
        yield (await self.complete(request)).text


class CountingEmbedder:
    """Embeds with the embedded embedder in the place of an endpoint's, and counts requests.

    Args:
        name: Of the embedder whose place it takes.
        dimension: Of the vectors that are stored already.
    """

    def __init__(self, name: str, dimension: int | None, batch: int, meter: Meter) -> None:
        self.name = name
        self._dimension, self._batch, self._meter = dimension, batch, meter
        self._builtin = BuiltinEmbedder()

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Give vectors of the stored length: longer ones are folded, shorter ones end in zeros."""
        import numpy as np

        sent = [text for text in texts if text.strip()]
        for start in range(0, len(sent), self._batch):
            tokens = sum(map(count_tokens, sent[start : start + self._batch]))
            self._meter.embedded(self.name, tokens)
        made = await self._builtin.embed(texts, kind)
        if self._dimension is None:
            return made
        padded = np.pad(made, ((0, 0), (0, -made.shape[1] % self._dimension)))
        folded = padded.reshape(len(texts), -1, self._dimension).sum(axis=1)
        lengths = np.linalg.norm(folded, axis=1, keepdims=True)
        unit: NDArray[np.float32] = folded / np.where(lengths > 0, lengths, 1)
        return unit


async def estimate_ingestion(
    runtime: Runtime,
    character: Character,
    readings: Sequence[ReadDocument],
    order: Sequence[str] = (),
) -> Estimate:
    """Count the calls that ``ingest`` would make now; in its place nothing is done.

    Raises:
        EmbedderMismatch: ``ingest`` would be refused: the vectors are by another embedder.
    """
    settings = runtime.settings
    meter = meter_of(settings)
    if not traits_of(runtime.extractor).free:
        model = CountingModel(runtime.extractor, runtime.store, meter)
        runtime = replace(runtime, extractor=model)
    if not traits_of(runtime.embedder).free:
        embedder = CountingEmbedder(
            runtime.embedder.name, character.dimension, settings.embed.batch, meter
        )
        runtime = replace(runtime, embedder=embedder)
    async with scratch_copy(runtime.store, character) as (scratch, name):
        trial = replace(runtime, store=scratch)
        await pipeline.ingest(trial, name, readings, unheard, lambda: None, order)
    return estimate_of(meter)


def meter_of(settings: SettingsModel) -> Meter:
    """Return a meter with the prices of the settings."""
    return Meter({name: Price(p.prompt, p.completion) for name, p in settings.prices.items()})


def estimate_of(meter: Meter) -> Estimate:
    """Read what was counted."""
    usage = meter.usage()
    return Estimate(
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost_usd=usage.cost_usd,
        embed_calls=usage.embed_calls,
        by_task=usage.by_task,
    )
