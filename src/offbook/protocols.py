"""Every seam on one screen: what can be replaced, and by what shape.

Takes: nothing.  Gives: protocols of at most four methods; each has one contract suite in
tests/contracts that every implementation runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.passages import Passage
    from offbook.settings import SettingsModel
    from offbook.types import Chunk, ContextItem, Document, Needs, Recall
    from offbook.wire import ChatRequest, ChatResponse

T = TypeVar("T")
EmbedKind = Literal["document", "query"]


class ChatModel(Protocol):
    """Who answers: a model behind the narrow wire, or a wrapper around one."""

    @property
    def name(self) -> str:
        """The model's name, as it stands in settings, records and cache keys."""
        ...

    @property
    def base_url(self) -> str:
        """Where it answers; ``offline:`` for the embedded one."""
        ...

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole.

        Raises:
            ModelError: the endpoint failed for good.
            BudgetReached: the next call would go over the budget.
        """
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Answer in pieces of text; closing the iterator cancels the call."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """The embedder's name; it stays with the vectors that it made."""
        ...

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``, shape ``(len(texts), dimension)``, rows of length 1 or 0."""
        ...


class Store(Protocol):
    """Where it is kept: runs operations on the one schema, each in a transaction of its own.

    Operations are plain functions of a SQLAlchemy connection (``offbook.stores``), the same for
    both engines.
    """

    async def read(self, operation: Callable[[Connection], T]) -> T:
        """Run ``operation`` on a consistent snapshot."""
        ...

    async def write(self, operation: Callable[[Connection], T]) -> T:
        """Run ``operation`` in one transaction; it is durable when this returns.

        Raises:
            StoreFailed: the disk is full, the home is read-only, the database is locked for long.
        """
        ...

    async def purge(self) -> None:
        """Remove the remains of what was deleted, so that no file of the store holds it.

        Raises:
            StoreFailed: another process still reads what was deleted.
        """
        ...

    async def close(self) -> None:
        """Finish what is queued, then close."""
        ...


class Splitter(Protocol):
    """Cuts a document into chunks."""

    @property
    def name(self) -> str:
        """The name of the chunking that it makes."""
        ...

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text; ``document.text[c.start:c.end] == c.text``."""
        ...

    def parameters(self, document: Document) -> dict[str, Any]:
        """The parameters in force for this document (l_max, overlap, ...), kept with the chunks."""
        ...


class Searcher(Protocol):
    """A second source of passages, for a question that the first retrieval does not answer."""

    @property
    def name(self) -> str:
        """The searcher's name, as it stands in ``crag.searcher``."""
        ...

    async def search(
        self, knowledge: Knowledge, question: str, seen: Sequence[Passage], most: int
    ) -> Sequence[ContextItem]:
        """At most ``most`` passages that are not among ``seen``, best first, with their sources.

        What stands after ``knowledge.until`` is not found. A searcher that leaves the machine says
        so in its own documentation; the one that offbook brings does not.
        """
        ...


class Method(Protocol):
    """A published method, or ours: what it needs indexed, and what it recalls for a question."""

    @property
    def name(self) -> str:
        """The method's name, as it stands in the contract."""
        ...

    def needs(self, settings: SettingsModel) -> Needs:
        """What must be built at ingestion before a question can be answered."""
        ...

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What the reply to ``question`` may rest on."""
        ...
