"""An embedder that has some texts embedded already, so that stages share one request.

Takes: an embedder, and texts.  Gives: an embedder that answers for these texts without a call, and
asks the other for all else. It lives as long as one question. Source: ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.protocols import Embedder, EmbedKind


class KnownVectors:
    """An embedder in front of another; make one with :meth:`of`.

    Args:
        inner: Who is asked for what is not known.
        kind: What the known vectors are of.
        known: Text -> its vector.
    """

    def __init__(
        self, inner: Embedder, kind: EmbedKind, known: Mapping[str, NDArray[np.float32]]
    ) -> None:
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

    @property
    def name(self) -> str:
        """The embedder's name."""
        return self._inner.name

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``; see the protocol. Nothing is asked for where all are known."""
        import numpy as np

        if texts and kind == self._kind and all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        return await self._inner.embed(texts, kind)
