"""What a method sees of a character: its passages, its profile, the settings, nothing else.

Takes: a character and the stage objects.  Gives: searches, and recalls within their budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.context.token_budget import fit_items
from offbook.errors import IndexMissing
from offbook.language.encodings import token_counter
from offbook.types import ContextItem, Recall, Skipped, Source

if TYPE_CHECKING:
    from offbook.protocols import Embedder, Store
    from offbook.retrieval.passages import Passage
    from offbook.settings import SettingsModel
    from offbook.types import Character, Message


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One character, as a method may look at it."""

    character: Character
    settings: SettingsModel
    store: Store
    embedder: Embedder
    history: tuple[Message, ...] = ()

    async def search(self, question: str, chunking: str, k: int) -> list[Passage]:
        """The ``k`` chunks of a chunking that fit the question best, best first.

        Raises:
            IndexMissing: the chunking, or its vectors, were not built.
            EmbedderMismatch: the vectors are from another embedder.
        """
        from offbook.retrieval.follow_up import with_antecedent
        from offbook.retrieval.passages import search_passages

        mode = self.settings.retrieval.mode
        if self.settings.retrieval.follow_up:
            question = with_antecedent(question, self.history)
        return await search_passages(
            self.store, self.embedder, self.character, question, chunking=chunking, mode=mode, k=k
        )

    async def profile(self) -> tuple[str, tuple[Source, ...]]:
        """The one-paragraph summary and the documents that it was made from.

        Raises:
            IndexMissing: there is none.
        """
        from offbook.ingestion.profile import beginnings
        from offbook.ingestion.storing import stored_documents

        if self.character.profile is None:
            raise IndexMissing(
                f"{self.character.name!r} has no profile yet",
                f"build it: offbook ingest {self.character.id} --method profile",
            )
        texts = await self.store.read(lambda conn: stored_documents(conn, self.character.id))
        read = beginnings(texts, self.settings.profile.budget_tokens)
        sources = tuple(Source(begun.document, "", 0, len(begun.text)) for begun in read)
        return self.character.profile, sources

    def passage(self, passage: Passage) -> ContextItem:
        """A chunk as a piece of knowledge, its heading path as the title."""
        chunk = passage.chunk
        source = Source(chunk.document, chunk.id, chunk.start, chunk.end)
        return ContextItem("knowledge", chunk.heading_path, chunk.text, passage.score, (source,))

    def recall(self, method: str, question: str, items: Iterable[ContextItem]) -> Recall:
        """The recall of a method: what scores high enough and fits the budget, best first."""
        floor = self.settings.context.min_score
        good: list[ContextItem] = []
        low: list[Skipped] = []
        for item in items:
            if floor is not None and item.score < floor:
                why = f"score {item.score:.2f} is below {floor:.2f} (context.min_score)"
                low.append(Skipped(item.kind, item.title, why))
            else:
                good.append(item)
        count = token_counter(self.settings.tokens.encoding)
        kept, over = fit_items(good, self.settings.context.budget_tokens, count)
        return Recall(
            character=self.character.name,
            character_id=self.character.id,
            method=method,
            preset=self.settings.preset,
            question=question,
            context=kept,
            skipped=(*low, *over),
        )
