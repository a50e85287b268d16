"""Embeddings from an OpenAI-compatible endpoint, in batches side by side.

Takes: texts.  Gives: unit vectors, checked: as many as texts, of one length, finite.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final, Self

from offbook.errors import EmbedderMismatch, ModelError, OffbookError
from offbook.models.clients import WITHOUT_OWNER, Clients
from offbook.models.failures import Place, broken, from_exception
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.models.responses import body_of
from offbook.text.tokens import count_tokens
from offbook.types import traits_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.protocols import Embedder, EmbedKind


class KnownVectors:
    """An embedder that knows some texts, so that stages share one request; see :meth:`of`.

    Args:
        inner: Who is asked for what is not known.
        kind: What the known vectors are of.
        known: Text -> its vector.
    """

    def __init__(
        self, inner: Embedder, kind: EmbedKind, known: Mapping[str, NDArray[np.float32]]
    ) -> None:
        self.name, self.traits = inner.name, traits_of(inner)
        self._inner, self._kind, self._known = inner, kind, known

    @classmethod
    async def of(cls, inner: Embedder, texts: Sequence[str], kind: EmbedKind = "query") -> Self:
        """Embed ``texts`` in one request.

        Raises:
            EmbedderMismatch: the vectors have another dimension than those that are stored.
            ModelError: the endpoint failed for good.
        """
        distinct = list(dict.fromkeys(texts))
        vectors = await inner.embed(distinct, kind)
        return cls(inner, kind, dict(zip(distinct, vectors, strict=True)))

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``; see the protocol. Nothing is asked for where all are known."""
        import numpy as np

        if texts and kind == self._kind and all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        return await self._inner.embed(texts, kind)


_BATCH: Final = 64


class OpenAIEmbedder:
    """An embedding model at an endpoint.

    Args:
        base_url: Address up to and without ``/embeddings``.
        model: The model's name there.
        api_key: The key that the endpoint asks for; it goes nowhere else and is never shown.
        limiter: The limiter of the endpoint, shared with its chat models.
        meter: Counts this command's requests; see :meth:`metered`.
        batch: Texts in one request.
        dimension: Length of the vectors where it is known; another one is refused.
        timeout_seconds: How long one request may take.
        clients: Whose connections it uses.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        limiter: Limiter | None = None,
        meter: Meter | None = None,
        batch: int = _BATCH,
        dimension: int | None = None,
        timeout_seconds: float = 120.0,
        clients: Clients = WITHOUT_OWNER,
    ) -> None:
        if batch < 1:
            raise ValueError(f"a batch holds at least one text, not {batch!r}")
        self.name, self.base_url = model, base_url.rstrip("/")
        self._place = Place(self.base_url, model, "embed", api_key, timeout_seconds)
        self._limiter = limiter or Limiter()
        self._meter = meter or Meter()
        self._batch = batch
        self.dimension = dimension  # None until it is told or seen
        self._clients = clients

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.base_url!r}, {self.name!r})"

    def metered(self, meter: Meter, *, dimension: int | None = None) -> OpenAIEmbedder:
        """The same embedder for one command; what is learned of the endpoint is shared.

        Args:
            meter: Counts this command's requests and keeps its budget.
            dimension: Length of the vectors that are stored already.
        """
        meter.budget.check_price(self.name)
        made = copy(self)
        made._meter = meter
        made.dimension = dimension or self.dimension
        return made

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``, shape ``(len(texts), dimension)``, rows of length 1 (blanks: 0).

        Raises:
            ModelError: the endpoint failed for good, or gave something else than one finite vector
                for each text.
            EmbedderMismatch: the vectors have another length than the stored ones.
            BudgetReached: the next request would go over the budget.
        """
        import numpy as np

        del kind  # the endpoints of this protocol make no difference between the two
        tasks = [
            asyncio.create_task(self._vectors(texts[start : start + self._batch]))
            for start in range(0, len(texts), self._batch)
        ]
        try:
            batches = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return (
            np.concatenate(batches) if batches else np.zeros((0, self.dimension or 0), np.float32)
        )

    async def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of one batch. Blank texts, which endpoints refuse, get the zero vector."""
        import numpy as np

        filled = [index for index, text in enumerate(texts) if text.strip()]
        if not filled:
            # Only the endpoint knows the dimension, and it takes no blanks.
            if self.dimension is None:
                await self._request(["."])
            return np.zeros((len(texts), self.dimension or 0), np.float32)
        some = await self._request([texts[index] for index in filled])
        if len(filled) == len(texts):
            return some
        vectors = np.zeros((len(texts), some.shape[1]), np.float32)
        vectors[filled] = some
        return vectors

    async def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Counting costs as much as a request does: it is done where somebody looks at it.
        counted = self._limiter.limits.tpm is not None or self._meter.budget.usd is not None
        tokens = sum(map(count_tokens, texts)) if counted else 0

        async def attempt() -> NDArray[np.float32]:
            budget = self._meter.budget
            aside = budget.reserve(self.name, tokens, 0)
            spent = 0
            try:
                body = await self._send(texts)
                spent = _tokens_of(body) or sum(map(count_tokens, texts))
            finally:
                budget.settle(self.name, aside, spent, 0)
            self._meter.embedded(self.name, spent)
            return self._read(body, len(texts))

        return await self._limiter.run(attempt, tokens=tokens)

    async def _send(self, texts: Sequence[str]) -> Mapping[str, Any]:
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        try:
            response = await self._clients.post(self._place, "/embeddings", body)
        except OffbookError:
            raise
        except Exception as error:
            raise from_exception(self._place, error) from error
        return body_of(self._place, response.content)

    def _read(self, body: Mapping[str, Any], count: int) -> NDArray[np.float32]:
        import numpy as np

        data = body.get("data")
        if not isinstance(data, list) or not all(isinstance(item, Mapping) for item in data):
            raise broken(self._place, "the response holds no list of embeddings")
        places = [item.get("index", position) for position, item in enumerate(data)]
        if sorted(map(str, places)) != sorted(map(str, range(count))):
            raise ModelError(
                f"{self.base_url} gave {len(data)} embeddings for {count} texts (model "
                f"{self.name!r})",
                "lower embed.batch, or use another embedder",
            )
        in_place = sorted(zip(places, data, strict=True), key=lambda pair: int(pair[0]))
        rows = [_row(item.get("embedding")) for _, item in in_place]
        lengths = {len(row) for row in rows}
        if len(lengths) != 1 or 0 in lengths:
            raise ModelError(
                f"{self.base_url} gave embeddings of lengths {sorted(lengths)!r} in one response",
                "check embed.model: it may not be an embedding model",
            )
        self._check_dimension(lengths.pop())
        return _to_unit(np.asarray(rows, np.float64), self)

    def _check_dimension(self, dimension: int) -> None:
        if self.dimension is None:
            self.dimension = dimension
        elif dimension != self.dimension:
            raise EmbedderMismatch(
                f"embedder {self.name!r} gave vectors of {dimension} numbers, and the stored ones "
                f"have {self.dimension}",
                "use the embedder that made the stored vectors, or run `offbook reembed`",
            )


def _tokens_of(body: Mapping[str, Any]) -> int:
    """Tokens of the request as the endpoint counts them; 0 where it does not say."""
    usage = body.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
    return tokens if isinstance(tokens, int) else 0


def _row(embedding: Any) -> NDArray[np.float32]:
    import numpy as np

    try:
        row = np.asarray(embedding, np.float32)
    except (TypeError, ValueError):
        row = None
    if row is None or row.ndim != 1:
        raise ModelError(
            f"an embedding is no list of numbers: {str(embedding)[:60]!r}",
            "check embed.base_url: it may not be an OpenAI-compatible address",
        )
    return row


def _to_unit(vectors: NDArray[np.float64], embedder: OpenAIEmbedder) -> NDArray[np.float32]:
    import numpy as np

    if not np.isfinite(vectors).all():
        raise ModelError(
            f"{embedder!r} gave a vector with NaN or infinity in it",
            "use another embedder, or look for the text that the endpoint cannot embed",
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float64] = np.zeros_like(vectors)
    np.divide(vectors, lengths, out=units, where=lengths > 0)
    return units.astype(np.float32)
