"""What a method sees of a character: its passages, its profile, its graph, the settings.

Takes: a character, and what a ``Runtime`` holds.  Gives: searches, and recalls within their budget.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.context.assembly import fit_items, fit_shares
from offbook.errors import AnswerError, ConfigurationError, IndexMissing, InputRefused
from offbook.memory.turns import NO_CONVERSATION, ConversationContext
from offbook.models.failures import PassingError, why_without
from offbook.names.story import Reach
from offbook.retrieval.search import IndexCache
from offbook.retrieval.witnessing import ENOUGH
from offbook.stores.characters import NAMES
from offbook.text.encodings import token_counter
from offbook.text.words import search_terms
from offbook.types import Boundary, ContextItem, Recall, Skipped, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.protocols import ChatModel, Embedder, Reranker, Store
    from offbook.retrieval.boundary import QuestionNames
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.memories import Felt, RecalledMemories
    from offbook.retrieval.point import Point
    from offbook.retrieval.standing import Standing
    from offbook.settings import SettingsModel
    from offbook.settings.model import RetrievalMode
    from offbook.text.encodings import TokenCounter
    from offbook.types import Character, Message, Passage, Position


_REFERS_BACK: Final = re.compile(
    r"\b(?:he|she|they|him|her|his|hers|them|their|theirs|it|its|this|that|these|those)\b"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere\b(?! (?:is|are|was|were)\b)"
    r"|^\s*(?:and|but|why|how so|what about|what else|since when|when|where|who)\b"
    r"[^,.\s]*\s*\S*\?\s*$"
    r"|^\s*(?:please |can you |could you )*(?:(?:tell (?:me|us)|say) more|go on|continue)\b"
    r"|[他她它那这]|\b그(?:는|의|를|가|에게|녀|것|들)|거기|彼|それ|そこ|その",
    re.IGNORECASE,
)
_YOU: Final = re.compile(r"\b(?:you|your|yours|yourself)\b|[你您]|\bdu\b|\bdein", re.IGNORECASE)
_NAMES_ITS_OWN: Final = re.compile(r"(?<=[\s(\"'“])(?!I\b|I')[^\W\d_a-z]\w+")


def with_antecedent(question: str, history: Sequence[Message]) -> str:
    """``question``, with what it refers back to in front, where it does.

    "And who taught him?" alone finds nothing; together with "Tell me about Faria" it does. What it
    refers to is the person's last message that stands alone, else the last one.
    """
    if not _refers_back(question):
        return question
    said = [message.content for message in reversed(history) if message.role == "user"]
    before = next((text for text in said if not _refers_back(text)), said[0] if said else "")
    return f"{before}\n{question}" if before else question


def _refers_back(question: str) -> bool:
    """Whether it leans on what was said; one that names someone mostly means that one."""
    if not _REFERS_BACK.search(question):
        return False
    cased = any(letter.isupper() or letter.islower() for letter in question)
    return not (cased and _NAMES_ITS_OWN.search(question))


UNWRITTEN: Final = (
    "it could not be written: the model refused the passages it is made from, or gave no answer "
    "that could be used"
)
"""What the model said stands in the job and the report of the ingestion; it may quote prompts."""
_FROM_TEXTS: Final = frozenset(("knowledge", "entity", "relation", "attribute", "profile"))
"""Kinds of context whose words are those of texts, or were made of them."""
_TELLING: Final = 0.2
"""The score from which a passage says something of what is asked; chance gives next to nothing."""
UNWITNESSED: Final = "unwitnessed"
"""What kind of thing a question is for that is best answered by what nobody has told."""
_ELSEWHERE: Final = "what fits it best happened where they were not, and nobody has told them of it"
KEPT_GROUNDS: Final = 32
"""Characters of whom it is remembered which documents their profile was made from."""
_Key = tuple[str, int, "Position | None"]
_grounds: Final[IndexCache[_Key, tuple[Source, ...]]] = IndexCache(KEPT_GROUNDS)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One character, as a method may look at it.

    ``extractor`` is the model that may be asked about the question; ``point`` the point in the
    story at which it is asked (None: the end). ``character`` is as it is at that point; ``free``
    where its replies cost nothing, so that there is no reason to be told little.
    ``conversation`` says whose memories may be recalled, and how the character feels in it;
    ``notes`` are what a recall had to go without, which is told with what was left out.
    ``standing`` is what a character of a story knows at the point; None: all texts are theirs.
    """

    character: Character
    settings: SettingsModel
    store: Store
    embedder: Embedder
    history: tuple[Message, ...] = ()
    extractor: ChatModel | None = None
    point: Point | None = None
    conversation: ConversationContext = NO_CONVERSATION
    free: bool = False
    reranker: Reranker | None = None
    notes: list[Skipped] = field(default_factory=list)
    standing: Standing | None = None

    @property
    def until(self) -> Position | None:
        """The point in the story; what stands after it is unknown."""
        return None if self.point is None else self.point.position

    @property
    def reach(self) -> Reach | None:
        """What of the texts is known; None: all of them."""
        if self.standing is not None:
            return self.standing.reach
        return None if self.until is None else Reach(self.until)

    def in_full(self, question: str) -> str:
        """The question, with what it refers back to in front."""
        follow_up = self.settings.retrieval.follow_up
        return with_antecedent(question, self.history) if follow_up else question

    def addressed(self, question: str) -> str:
        """The question, with whom "you" means in front, where the texts tell of others as well."""
        if self.character.settings.get(NAMES) and _YOU.search(question):
            return f"{self.character.name}\n{question}"
        return question

    def extractor_for(self, method: str) -> ChatModel:
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

        Where there is a reranker it orders the best ``rerank.candidates``, and their scores stay.
        With a ``vector`` to search with, the question is taken as it is; ``mode`` is another way
        to search than ``retrieval.mode``.

        Raises:
            IndexMissing: the chunking, or its vectors, were not built.
            EmbedderMismatch: the vectors are from another embedder.
        """
        from offbook.retrieval.passages import check_embedder, query_vector, search_passages

        mode, reranker = mode or self.settings.retrieval.mode, self.reranker
        if vector is None:
            question = self.in_full(question)
        if vector is None and self.standing is not None and mode != "lexical":
            check_embedder(self.character, self.embedder)
            vector = await query_vector(self.embedder, self.character, question)
        search = partial(
            search_passages,
            self.store,
            self.embedder,
            self.character,
            question,
            chunking=chunking,
            mode=mode,
            k=k if reranker is None else max(k, self.settings.rerank.candidates),
            vector=vector,
        )
        passages = await search(reach=self.reach)
        if self.standing is not None:
            self._note_unwitnessed(question, passages, await search(reach=Reach(self.until)))
        if reranker is None:
            return passages
        texts = [passage.chunk.text_with_headings for passage in passages]
        try:
            return [passages[place] for place in (await reranker.rank(question, texts))[:k]]
        except (AnswerError, InputRefused, PassingError) as error:
            why = f"not reordered, they stay as found: {why_without(error)}"
            self.notes.append(Skipped("knowledge", "the passages", why))
            return passages[:k]

    def _note_unwitnessed(
        self, question: str, theirs: Sequence[Passage], passages: Sequence[Passage]
    ) -> None:
        """Say which passages fit as well, and why they are not the character's.

        Where one of them fits far better than any that is, what is asked may have happened there;
        but not where one of the last scene, which is in mind whole, speaks of the same.
        """
        known = () if self.standing is None else self.standing.reach.stretches or ()
        best_known = 0.0
        for passage in passages:
            chunk = passage.chunk
            if any(
                each.document == chunk.document
                and max(each.start, chunk.start) < min(each.end, chunk.end)
                for each in known
            ):
                best_known = max(best_known, passage.score)
            else:
                why = f"{self.character.name} did not witness it, and was not told of it"
                note = Skipped("knowledge", chunk.heading_path or f"@{chunk.start}", why)
                if note not in self.notes:
                    self.notes.append(note)
        best = max(passages, key=lambda passage: passage.score, default=None)
        if best is None or best.score < _TELLING or best_known >= ENOUGH * best.score:
            return
        if not self._speaks_in_last(question, theirs, best):
            self.notes.append(Skipped(UNWITNESSED, "what is asked", _ELSEWHERE))

    def _speaks_in_last(self, question: str, theirs: Sequence[Passage], best: Passage) -> bool:
        """Whether a passage of the last scene has all the words asked for that the best one has.

        The character's own name says nothing of what is asked.
        """
        last = None if self.standing is None else self.standing.last
        asked_for = {*search_terms(question)} - {*search_terms(self.character.name)}
        terms = asked_for & {*search_terms(best.chunk.text)}
        if last is None or not terms:
            return False
        return any(
            chunk.document == last.source.document
            and last.source.start < chunk.end
            and chunk.start < last.source.end
            and terms <= {*search_terms(chunk.text)}
            for chunk in (passage.chunk for passage in theirs)
        )

    async def profile(self) -> tuple[str, tuple[Source, ...]]:
        """The one-paragraph summary and the documents that it was made from.

        Of a character of a story it is made of what is theirs at the point, without a call. Empty
        where it could not be written: a passage that a model refuses makes nobody mute.

        Raises:
            IndexMissing: there is none.
        """
        if self.standing is not None:
            return self.standing.profile, self.standing.grounds
        character, until, budget = self.character, self.until, self.settings.profile.budget_tokens
        if character.profile is None:
            from offbook.stores import jobs

            if await self.store.read(
                jobs.list_jobs, character.id, kind=jobs.PROFILE, statuses={"quarantined"}
            ):
                return "", ()
            raise IndexMissing(
                f"{character.name!r} has no profile yet",
                f"build it: offbook ingest {character.id} --method profile",
            )

        async def load() -> tuple[Source, ...]:
            from offbook.ingestion.profile import heads

            read = await self.store.read(heads, character.id, budget, until)
            return tuple(
                Source(begun.document, "", begun.start, begun.start + len(begun.text))
                for begun in read
            )

        key = (character.id, budget, until)
        return character.profile, await _grounds.get(self.store, key, character.revision, load)

    def summary(self, text: str, grounds: tuple[Source, ...]) -> list[ContextItem]:
        """The summary as a piece of context; none where there is no text."""
        return [ContextItem("profile", self.character.name, text, 1.0, grounds)] if text else []

    async def graph(self) -> GraphIndex:
        """The character's graph, ready for look-ups.

        Raises:
            IndexMissing: it was not built.
            EmbedderMismatch: its vectors are from another embedder.
        """
        from offbook.retrieval.graph_index import graph_index
        from offbook.retrieval.passages import check_embedder

        check_embedder(self.character, self.embedder)
        return await graph_index(self.store, self.character, self.reach)

    async def names(self, graph: GraphIndex, question: str) -> QuestionNames:
        """What the question names, found without a call."""
        from offbook.retrieval.boundary import names_of_question

        return await self.store.read(
            names_of_question, graph, self.character.id, self.in_full(question), self.reach
        )

    async def chunks(self, ids: Sequence[str]) -> list[ContextItem]:
        """Chunks by their ids as pieces of knowledge, without what stands after the point."""
        from offbook.retrieval.passages import named_passages

        passages = await self.store.read(named_passages, self.character.id, ids, self.reach)
        return [self.passage(passage) for passage in passages]

    async def feel(self, question: str) -> Felt:
        """What a question means and how it is felt: one call, and an embedding beside it.

        Raises:
            ConfigurationError: there is no model to ask.
            EmbedderMismatch: the stored vectors are from another embedder.
        """
        from offbook.models.batching import gather_all
        from offbook.retrieval.memories import EMBEDDED_CHARS, Felt, emotion_of
        from offbook.retrieval.passages import check_embedder

        check_embedder(self.character, self.embedder)
        embed = partial(self.embedder.embed, [self.in_full(question)[:EMBEDDED_CHARS]], "query")
        if self.settings.emotional.strategy == "ordinary":
            return Felt((await embed())[0], None)
        model, retries = self.extractor_for("emotional"), self.settings.answers.retries
        rate = partial(emotion_of, model, self.character.name, question, retries)
        vectors, (emotion, why) = await gather_all(embed, rate)
        return Felt(vectors[0], emotion, why)

    async def memories(self, felt: Felt) -> RecalledMemories:
        """The memories that fit a question best by the configured strategy."""
        from offbook.retrieval.memories import find_memories

        settings = self.settings.emotional
        return await find_memories(
            self.store, self.character, felt, self.conversation, settings, self.until
        )

    async def meant_memories(self, question: str, felt: Felt, least: float) -> RecalledMemories:
        """The memories that a question means, with a score of at least ``least``."""
        from offbook.retrieval.memory_search import find_meant

        settings = self.settings.emotional
        return await find_meant(
            self.store,
            self.character,
            question,
            felt,
            self.conversation,
            k=settings.k,
            least=least,
            mood=settings.mood,
            places=self.settings.ensemble.memories,
            pool=settings.pool * settings.k,
            until=self.until,
        )

    async def asker(self) -> list[ContextItem]:
        """What the graph says of the character and whoever has the name of the person who asks.

        Raises:
            IndexMissing: the graph was not built.
        """
        from offbook.retrieval.boundary import relation_item

        called = self.conversation.called
        graph = await self.graph() if called else None
        if graph is None or called is None or graph.own is None:
            return []
        places = graph.names.lookup(called)
        ties = [tie for place in places for tie in graph.between(graph.own, place)]
        items = [relation_item(graph, tie) for tie in ties[:1]]
        note = f"(if it is this {called} who talks to you)"
        return [replace(item, title=f"{item.title} {note}") for item in items]

    def passage(self, passage: Passage) -> ContextItem:
        """A chunk as a piece of knowledge, its heading path as the title."""
        chunk = passage.chunk
        source = Source(chunk.document, chunk.id, chunk.start, chunk.end)
        item = ContextItem("knowledge", chunk.heading_path, chunk.text, passage.score, (source,))
        subjects = None if self.standing is None else self.standing.subjects
        return item if subjects is None else replace(item, subject=subjects.of(source, chunk.text))

    def recall(self, method: str, question: str, items: Iterable[ContextItem]) -> Recall:
        """The recall of a method: what scores high enough and fits the budget, best first."""
        good, low = self._scoring_enough(items)
        fitting, over = fit_items(good, self.budget, self.count)
        return self._recalled(method, question, fitting, (*low, *over))

    def divided_recall(
        self,
        method: str,
        question: str,
        kinds: Mapping[str, tuple[float, Sequence[ContextItem]]],
        *,
        boundary: Boundary | None = None,
        skipped: Sequence[Skipped] = (),
    ) -> Recall:
        """The recall of a method whose kinds of context share the budget.

        Args:
            method: The method's name.
            question: What was asked.
            kinds: Of each kind what it may use of the budget, in proportion; its items, best first.
            boundary: The verdict on the question.
            skipped: What was found and left out already.
        """
        good: dict[str, list[ContextItem]] = {}
        left = list(skipped)
        for kind, (_, items) in kinds.items():
            good[kind], low = self._scoring_enough(items)
            left += low
        budget = self.budget
        shares = {kind: share for kind, (share, _) in kinds.items()}
        fitting, over = fit_shares(good, budget, shares, self.count)
        return self._recalled(method, question, fitting, (*left, *over), boundary)

    @property
    def budget(self) -> int:
        """Tokens for what is recalled."""
        return self.settings.context.budget(free=self.free)

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
        context, unwitnessed = self._witnessed(context)
        return Recall(
            character=self.character.name,
            character_id=self.character.id,
            method=method,
            preset=self.settings.preset,
            question=question,
            context=context,
            boundary=boundary,
            mood=self.conversation.mood,
            skipped=(*skipped, *unwitnessed, *self.notes),
            as_of=None if self.point is None else self.point.text,
            stance=self.settings.reply.stance,
        )

    def _witnessed(
        self, items: tuple[ContextItem, ...]
    ) -> tuple[tuple[ContextItem, ...], list[Skipped]]:
        """Say of each piece how the character knows of it; what they do not is left out.

        Searches look at nothing else: this is for methods that read texts in another way.
        """
        if self.standing is None:
            return items, []
        theirs: list[ContextItem] = []
        skipped: list[Skipped] = []
        for item in items:
            if not item.sources or item.kind not in _FROM_TEXTS:
                theirs.append(item)
                continue
            witness = self.standing.witness(item.sources)
            words = item.kind == "knowledge" and not all(map(self.standing.holds, item.sources))
            if witness is None or words:
                why = f"{self.character.name} did not witness it, and was not told of it"
                skipped.append(Skipped(item.kind, item.title, why))
            else:
                theirs.append(replace(item, witness=witness))
        return tuple(theirs), skipped
