"""Every seam on one screen: what can be replaced, and by what shape.

Takes: nothing.  Gives: protocols of at most four methods; each has one contract suite in
tests/contracts that every implementation runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.foreign_files import CardSource, CharacterFile, ChatRead, ChatTurn, WrittenFile
    from offbook.names.cast import Cast
    from offbook.names.story import Story
    from offbook.settings import SettingsModel
    from offbook.types import (
        ChatRequest,
        ChatResponse,
        Chunk,
        ContextItem,
        Document,
        IndexRequirements,
        LoreEntries,
        LoreQuery,
        Passage,
        Recall,
    )

T = TypeVar("T")
P = ParamSpec("P")
Knowledge_contra = TypeVar("Knowledge_contra", contravariant=True)
"""What a method or searcher sees of a character; offbook's is ``methods.knowledge.Knowledge``."""
EmbedKind = Literal["document", "query"]


class ChatModel(Protocol):
    """Who answers: a model behind the narrow wire, or a wrapper around one.

    It may have ``traits`` (``types.ModelTraits``); without them it is an endpoint that costs.
    """

    @property
    def name(self) -> str:
        """The model's name, as it stands in settings, records and cache keys."""

    @property
    def base_url(self) -> str:
        """Where it answers, as records of evaluations and counters of calls name it."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole.

        Raises:
            ModelError: the endpoint failed for good.
            BudgetReached: the next call would go over the budget.
        """

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Answer in pieces of text; closing the iterator cancels the call."""


class Embedder(Protocol):
    """Turns texts into unit vectors; it may have ``traits``, as a chat model."""

    @property
    def name(self) -> str:
        """The embedder's name; it stays with the vectors that it made."""

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``, shape ``(len(texts), dimension)``, rows of length 1 or 0."""


class Reranker(Protocol):
    """Orders texts by how well they answer a question."""

    @property
    def name(self) -> str:
        """The model's name."""

    async def rank(self, question: str, texts: Sequence[str]) -> list[int]:
        """Rank ``texts``: their places, best first."""


class Store(Protocol):
    """Where it is kept: runs operations on the one schema, each in a transaction of its own.

    Operations are plain functions of the store's open connection (``offbook.stores.connection``),
    the same for both engines; nobody else looks inside it.
    """

    async def read(
        self, operation: Callable[Concatenate[Any, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation(connection, *args, **kwargs)`` on a consistent snapshot."""

    async def write(
        self, operation: Callable[Concatenate[Any, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation(connection, *args, **kwargs)`` in one durable transaction.

        Raises:
            StoreFailed: the disk is full, the home is read-only, the database is locked for long.
        """

    async def purge(self) -> None:
        """Remove the remains of what was deleted, so that no file of the store holds it.

        Raises:
            StoreFailed: another process still reads what was deleted.
        """

    async def backup(self, file: Path) -> None:
        """Copy the whole database into ``file``, as it is at one moment, while others use it.

        Raises:
            UsageError: the database has means of its own for that.
            StoreFailed: the file cannot be written, or the database is damaged.
        """

    async def close(self) -> None:
        """Finish what is queued, then close."""


class Reader(Protocol):
    """Reads files of a type that offbook does not; registered by the ending of their names."""

    def __call__(self, name: str, data: bytes) -> str:
        """Return the text of a file, a paragraph a line, with Markdown's headings.

        Raises:
            UnreadableDocument: it is damaged, or holds no text; any other error becomes one.
        """


class Splitter(Protocol):
    """Cuts a document into chunks."""

    @property
    def name(self) -> str:
        """The name of the chunking that it makes."""

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text; ``document.text[c.start:c.end] == c.text``."""

    def parameters(self, document: Document) -> dict[str, Any]:
        """The parameters in force for this document (l_max, overlap, ...), kept with the chunks."""


class Searcher(Protocol[Knowledge_contra]):
    """A second source of passages, for a question that the first retrieval does not answer."""

    @property
    def name(self) -> str:
        """The searcher's name, as it stands in ``crag.searcher``."""

    async def search(
        self, knowledge: Knowledge_contra, question: str, passages: Sequence[Passage], most: int
    ) -> Sequence[ContextItem]:
        """Find at most ``most`` other than these ``passages``, best first, with their sources.

        What stands after ``knowledge.until`` is not found. A searcher that leaves the machine says
        so in its own documentation; the one that offbook brings does not.
        """


class Lore(Protocol):
    """The lorebooks of a character, made of it, its ``LoreFile``s and a function that embeds."""

    def recall(self, query: LoreQuery, count: Callable[[str], int]) -> LoreEntries:
        """Return the entries that belong to a question, with their sources, in their order."""


class Macros(Protocol):
    """Replaces the macros in a text that was written for whoever talks to a character."""

    def __call__(
        self, text: str, *, char: str, user: str, persona: str = "", seed: str = "", turn: str = ""
    ) -> str:
        """Return ``text`` with its macros replaced; ``seed`` and ``turn`` decide on chance."""


class CardReader(Protocol):
    """Reads and writes the cards and lorebooks of other programs."""

    def read(
        self, source: CardSource, called: str | None = None, *, lore_tokens: int = ...
    ) -> CharacterFile:
        """Read a card or a lorebook; ``called`` is the character where the file names none.

        All its entries together stay below ``lore_tokens``.

        Raises:
            UnreadableCard: there is neither in it.
        """

    def rows(
        self,
        card: dict[str, Any] | None,
        books: Sequence[dict[str, Any]],
        *,
        lore_tokens: int = ...,
    ) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return a raw card and raw lorebooks, all books in one, as ``card show`` prints them."""

    def write(
        self,
        card: dict[str, Any],
        file: str,
        *,
        spec: int | None = None,
        picture: CardSource | bytes | None = None,
        assets: Mapping[str, bytes] | None = None,
    ) -> WrittenFile:
        """Write a raw card in the format that the ending of ``file`` names.

        Raises:
            UsageError: there is no such format or version, or the picture is no PNG.
        """


class ChatReader(Protocol):
    """Reads and writes the chat logs of other programs."""

    def read(self, source: Path | bytes, name: str, character: str | None) -> ChatRead | None:
        """Read what is said to ``character`` and what it answers; None: it is no chat log.

        Raises:
            UnreadableCard: it is a chat log, and is damaged or too large.
            UsageError: the character answers nothing in it, or it is not clear who that is.
        """

    def write(self, turns: Sequence[ChatTurn], *, user: str, character: str) -> bytes:
        """Write turns as SillyTavern's JSON lines."""


class CastReader(Protocol):
    """Who is in texts, without a model call."""

    def __call__(
        self,
        texts: Sequence[str],
        same: Sequence[tuple[str, str]] = (),
        different: Sequence[tuple[str, str]] = (),
    ) -> Cast:
        """Read the cast of texts.

        Args:
            texts: Documents of one source, in the order of the story; headings are Markdown's.
            same: Pairs of names that are known to be one person's; a name that stands in no
                text is a further one of who has the other.
            different: Pairs of names that are known to be two persons'.
        """


class StoryReader(Protocol):
    """The scenes of texts and who witnessed them, without a model call."""

    def __call__(self, texts: Sequence[str], cast: Cast) -> Story:
        """Read the scenes of texts.

        Args:
            texts: Documents of one source, in the order of the story; headings are Markdown's.
            cast: Their cast; witnesses count its members.

        Returns:
            Scenes without gaps over all texts, and no episodes.
        """


class Method(Protocol[Knowledge_contra]):
    """A published method, or ours: what it needs indexed, and what it recalls for a question."""

    @property
    def name(self) -> str:
        """The method's name, as it stands in the contract."""

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """What must be built at ingestion before a question can be answered."""

    async def recall(self, knowledge: Knowledge_contra, question: str) -> Recall:
        """What the reply to ``question`` may rest on."""
