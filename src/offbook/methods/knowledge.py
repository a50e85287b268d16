"""What a method sees of a character: its passages, its profile, its graph, the settings.

Takes: a character and the stage objects.  Gives: searches, and recalls within their budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.context.card_words import begun_with
from offbook.context.shares import fit_shares
from offbook.context.token_budget import fit_history, fit_items
from offbook.errors import ConfigurationError, IndexMissing
from offbook.language.encodings import token_counter
from offbook.memory.talk import NOBODYS, Talk
from offbook.types import Boundary, ContextItem, Recall, Skipped, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.language.encodings import TokenCounter
    from offbook.protocols import ChatModel, Embedder, Method, Store
    from offbook.retrieval.feeling import Felt
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.memories import FoundMemories
    from offbook.retrieval.mention_index import MentionIndex
    from offbook.retrieval.passages import Passage
    from offbook.retrieval.point import Point
    from offbook.retrieval.question_names import QuestionNames
    from offbook.retrieval.told import Told
    from offbook.settings import SettingsModel
    from offbook.settings.section import RetrievalMode
    from offbook.types import Character, Message, Position

_UNWRITTEN: Final = (
    "it could not be written: the model refused the passages it is made from, or gave no answer "
    "that could be used"
)
"""What the model said stands in the job and the report of the ingestion; it may quote prompts."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One character, as a method may look at it.

    ``extractor`` is the model that may be asked about the question; ``point`` the point in the
    story at which it is asked (None: the end). ``character`` is as it is at that point. ``talk``
    is the conversation: whose memories may be recalled, and how the character feels in it.
    """

    character: Character
    settings: SettingsModel
    store: Store
    embedder: Embedder
    history: tuple[Message, ...] = ()
    extractor: ChatModel | None = None
    point: Point | None = None
    talk: Talk = NOBODYS

    @property
    def until(self) -> Position | None:
        """The point in the story; what stands after it is unknown."""
        return None if self.point is None else self.point.position

    @property
    def recent(self) -> tuple[Message, ...]:
        """As much of the conversation as a prompt may hold."""
        return fit_history(self.history, self.settings.context.history_tokens, self.count)

    def in_full(self, question: str) -> str:
        """The question, with what it refers back to in front."""
        from offbook.retrieval.follow_up import with_antecedent

        follow_up = self.settings.retrieval.follow_up
        return with_antecedent(question, self.history) if follow_up else question

    def asked_by(self, method: str) -> ChatModel:
        """The model that a method asks about the question.

        Raises:
            ConfigurationError: there is none.
        """
        if self.extractor is None:
            raise ConfigurationError(
                f"the method {method!r} asks a model about the question, and was given none",
                "give Knowledge an extractor",
            )
        return self.extractor

    async def search(
        self,
        question: str,
        chunking: str,
        k: int,
        *,
        vector: NDArray[np.float32] | None = None,
        mode: RetrievalMode | None = None,
    ) -> list[Passage]:
        """The ``k`` chunks of a chunking that fit the question best, best first.

        Args:
            question: What is searched for.
            chunking: The chunking.
            k: How many.
            vector: The vector to search with; the question is then taken as it is.
            mode: Another way to search than ``retrieval.mode``.

        Raises:
            IndexMissing: the chunking, or its vectors, were not built.
            EmbedderMismatch: the vectors are from another embedder.
        """
        from offbook.retrieval.passages import search_passages

        return await search_passages(
            self.store,
            self.embedder,
            self.character,
            self.in_full(question) if vector is None else question,
            chunking=chunking,
            mode=mode or self.settings.retrieval.mode,
            k=k,
            vector=vector,
            until=self.until,
        )

    async def profile(self) -> tuple[str, tuple[Source, ...]]:
        """The one-paragraph summary and the documents that it was made from.

        Empty where it could not be written: a passage that a model refuses makes nobody mute.

        Raises:
            IndexMissing: there is none.
        """
        from offbook.ingestion.as_of import heads
        from offbook.ingestion.profile import beginnings
        from offbook.ingestion.storing import stored_documents

        if self.character.profile is None:
            if await self._is_unwritten():
                return "", ()
            raise IndexMissing(
                f"{self.character.name!r} has no profile yet",
                f"build it: offbook ingest {self.character.id} --method profile",
            )
        character, until = self.character.id, self.until
        if until is not None:
            read = await self.store.read(lambda conn: heads(conn, character, until))
        else:
            texts = await self.store.read(lambda conn: stored_documents(conn, character))
            read = beginnings(texts, self.settings.profile.budget_tokens)
        sources = tuple(Source(begun.document, "", 0, len(begun.text)) for begun in read)
        return self.character.profile, sources

    async def _is_unwritten(self) -> bool:
        """Whether the profile could not be written; not so where nobody tried."""
        from offbook.stores import jobs

        if self.character.profile is not None:
            return False
        aside = await self.store.read(
            lambda conn: jobs.list_jobs(
                conn, self.character.id, kind=jobs.PROFILE, statuses={"quarantined"}
            )
        )
        return bool(aside)

    async def graph(self) -> GraphIndex:
        """The character's graph, ready for look-ups.

        Raises:
            IndexMissing: it was not built.
            EmbedderMismatch: its vectors are from another embedder.
        """
        from offbook.retrieval.graph_index import graph_index
        from offbook.retrieval.passages import check_embedder

        check_embedder(self.character, self.embedder)
        return await graph_index(self.store, self.character, self.until)

    async def mentions(self) -> MentionIndex:
        """Entities and relations as the chunks state them, no name normalized.

        Raises:
            IndexMissing: they were not extracted, or vectors are missing.
            EmbedderMismatch: their vectors are from another embedder.
        """
        from offbook.retrieval.mention_index import mention_index
        from offbook.retrieval.passages import check_embedder

        check_embedder(self.character, self.embedder)
        return await mention_index(self.store, self.character, self.until)

    async def search_tree(self, question: str) -> list[ContextItem]:
        """The chunks and summaries of all levels that fit a question best, best first.

        Raises:
            IndexMissing: the tree was not built, or is not that of the chunks.
            EmbedderMismatch: the vectors are from another embedder.
        """
        from offbook.retrieval.collapsed_tree import search_tree

        full, until = self.in_full(question), self.until
        seen = self.store, self.embedder, self.character
        return await search_tree(*seen, full, self.settings, until=until)

    async def names(self, graph: GraphIndex, question: str) -> QuestionNames:
        """What the question names, found without a call."""
        from offbook.retrieval.question_names import names_of_question

        full, character, until = self.in_full(question), self.character.id, self.until
        return await self.store.read(
            lambda conn: names_of_question(conn, graph, character, full, until)
        )

    async def chunks(self, ids: Sequence[str]) -> list[ContextItem]:
        """Chunks by their ids as pieces of knowledge, without what stands after the point."""
        from offbook.retrieval.passages import named_passages

        character, until = self.character.id, self.until
        found = await self.store.read(lambda conn: named_passages(conn, character, ids, until))
        return [self.passage(passage) for passage in found]

    async def feel(self, question: str) -> Felt:
        """What a question means and how it is felt: one call, and an embedding beside it.

        Raises:
            ConfigurationError: there is no model to ask.
            EmbedderMismatch: the stored vectors are from another embedder.
        """
        from offbook.models.asking import Asking
        from offbook.retrieval.feeling import feel
        from offbook.retrieval.passages import check_embedder

        check_embedder(self.character, self.embedder)
        asking = None
        if self.settings.emotional.strategy != "ordinary":
            if self.extractor is None:
                raise ConfigurationError(
                    "the emotion of a question is asked of a model, and there is none",
                    "give Knowledge an extractor",
                )
            asking = Asking(
                self.extractor, self.character.name, retries=self.settings.answers.retries
            )
        return await feel(self.embedder, self.in_full(question), question, asking)

    async def memories(self, felt: Felt) -> FoundMemories:
        """The memories that fit a question best by the configured strategy."""
        from offbook.retrieval.memories import find_memories

        settings = self.settings.emotional
        return await find_memories(
            self.store, self.character, felt, self.talk, settings, self.until
        )

    async def told(self, names: Sequence[str], question: str) -> dict[str, Told]:
        """What the character was told of some names, in this conversation or before.

        Returns:
            Folded name -> the memories that say so.
        """
        from offbook.retrieval.told import Hearsay

        seen = self.store, self.character, self.talk, self.history, self.until
        return await Hearsay(*seen).of(names, self.in_full(question))

    def passage(self, passage: Passage) -> ContextItem:
        """A chunk as a piece of knowledge, its heading path as the title."""
        chunk = passage.chunk
        source = Source(chunk.document, chunk.id, chunk.start, chunk.end)
        return ContextItem("knowledge", chunk.heading_path, chunk.text, passage.score, (source,))

    async def recalled_by(self, method: Method, question: str) -> Recall:
        """What a method recalls, and what the character's lorebooks have to say beside it."""
        from offbook.retrieval.lorebook import LoreAsked, beside, find_lore

        found = await method.recall(self, question)
        if method.needs(self.settings).profile and await self._is_unwritten():
            lacking = Skipped("profile", self.character.name, _UNWRITTEN)
            found = replace(found, skipped=(*found.skipped, lacking))
        talk = self.talk
        begun = talk.greeting
        if begun is None and not talk.earlier:
            begun = begun_with(self.character.settings, self.history, talk.called)
        who = talk.called, talk.persona, talk.earlier, begun
        asked = LoreAsked(self.in_full(question), self.history, question, self.until, *who)
        seen = self.store, self.character, asked, self.settings.lore, self.count
        context, skipped = beside(await find_lore(*seen), found.context)
        return replace(found, context=context, skipped=(*found.skipped, *skipped))

    def recall(self, method: str, question: str, items: Iterable[ContextItem]) -> Recall:
        """The recall of a method: what scores high enough and fits the budget, best first."""
        good, low = self._scoring_enough(items)
        kept, over = fit_items(good, self.settings.context.budget_tokens, self.count)
        return self._recalled(method, question, kept, (*low, *over))

    def divided_recall(
        self,
        method: str,
        question: str,
        kinds: Mapping[str, Sequence[ContextItem]],
        shares: Mapping[str, float],
        *,
        boundary: Boundary | None = None,
        skipped: Sequence[Skipped] = (),
    ) -> Recall:
        """The recall of a method whose kinds of context share the budget.

        Args:
            method: The method's name.
            question: What was asked.
            kinds: Items of each kind, best first.
            shares: What each kind may use of the budget, in proportion.
            boundary: The verdict on the question.
            skipped: What was found and left out already.
        """
        good: dict[str, list[ContextItem]] = {}
        left = list(skipped)
        for kind, items in kinds.items():
            good[kind], low = self._scoring_enough(items)
            left += low
        budget = self.settings.context.budget_tokens
        kept, over = fit_shares(good, budget, shares, self.count)
        return self._recalled(method, question, kept, (*left, *over), boundary)

    @property
    def count(self) -> TokenCounter:
        """Counts tokens, as the settings say."""
        return token_counter(self.settings.tokens.encoding)

    def _scoring_enough(
        self, items: Iterable[ContextItem]
    ) -> tuple[list[ContextItem], list[Skipped]]:
        floor = self.settings.context.min_score
        good: list[ContextItem] = []
        low: list[Skipped] = []
        for item in items:
            if floor is not None and item.score < floor:
                why = f"score {item.score:.2f} is below {floor:.2f} (context.min_score)"
                low.append(Skipped(item.kind, item.title, why))
            else:
                good.append(item)
        return good, low

    def _recalled(
        self,
        method: str,
        question: str,
        context: tuple[ContextItem, ...],
        skipped: tuple[Skipped, ...],
        boundary: Boundary | None = None,
    ) -> Recall:
        return Recall(
            character=self.character.name,
            character_id=self.character.id,
            method=method,
            preset=self.settings.preset,
            question=question,
            context=context,
            boundary=boundary,
            mood=self.talk.mood,
            skipped=skipped,
            as_of=None if self.point is None else self.point.text,
        )
