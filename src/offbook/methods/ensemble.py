"""Ensemble: one reply from boundary, entities, attributes and memories, in three waits.

Takes: a question.  Gives: who is named, what the texts say and let infer, what comes back, and what
cannot be known, each as far as it is of use for this question; the rest with its reason.
Paper: none; ours (methods.md 5), from RoleRAG (001), AMADEUS (003) and Emotional RAG (004).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from offbook.language.words import fold
from offbook.methods.amadeus import extract, none_revealing, rank, select, unjudged
from offbook.methods.rolerag import analyse_question
from offbook.types import ContextItem, Needs, Skipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.boundary import Analysis, Findings
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.passages import Passage
    from offbook.retrieval.question_names import QuestionNames
    from offbook.settings import SettingsModel
    from offbook.types import Recall, Source

_BEYOND: Final = "the question lies beyond what the character can know"
_OTHER_NAMES: Final = 5
"""Names of an entity that passages are searched by, beside those that the question uses."""


class Ensemble:
    """RoleRAG's boundary and entities, AMADEUS's attributes, Emotional RAG's memories."""

    name = "ensemble"

    def needs(self, settings: SettingsModel) -> Needs:
        """Graph, summary, the chunks of both with their vectors; memories where there are any."""
        return Needs(
            tuple(dict.fromkeys(("graph", settings.amadeus.splitter))),
            vectors=True,
            profile=True,
            graph=True,
            traits=settings.amadeus.gs == "indexed",
            memories=True,
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What all of them find, as far as it is of use."""
        from offbook.models.side_by_side import run_all

        # 0 -- what is there without a call, and the vectors of the question, once for all -------
        profile, grounds = await knowledge.profile()
        graph = await knowledge.graph()
        names = await knowledge.names(graph, question)
        searched = _with_other_names(graph, names)
        knowledge = await _with_vectors(knowledge, question, names, searched)
        # 1 -- side by side: hypothetical context and entities, GS window, emotion ---------------
        first = _FirstRound(knowledge, question, graph, names, profile, searched)
        await run_all([first.analyse, first.select, first.remember])
        found = await first.bound(grounds)
        # 2 -- beliefs and values, and traits, from passages that reveal something ---------------
        attributes = await _attributes(first, found)
        # 3 -- what is of use, once, within a budget that is divided -----------------------------
        entities = _entities(first, found)
        passages = await _passages(first, found)
        own = ContextItem("profile", knowledge.character.name, profile, 1.0, grounds)
        kinds = {
            "profile": [own] if profile else [],
            "entities": entities,
            "relations": _relations(first, found, entities, passages),
            "knowledge": passages,
            "attributes": attributes,
            "memories": _memories(first, found),
            "what is unknown": found.outside,
        }
        recalled = knowledge.divided_recall(
            self.name,
            question,
            kinds,
            _shares(knowledge.settings, kinds),
            boundary=found.boundary,
            skipped=(*first.skipped, *found.skipped),
        )
        return replace(recalled, emotion=first.emotion, fallback=first.fallback)


def _with_other_names(graph: GraphIndex, names: QuestionNames) -> str:
    """The question, with the other names of whom it names: a passage may use one of these.

    Not the character's own: any passage has them.
    """
    asked = fold(names.question)
    positions = dict.fromkeys(at for name in names.known if name.sure for at in name.entities)
    others = [
        other
        for at in positions
        if at != graph.own
        for other in graph.entity(at).names[:_OTHER_NAMES]
        if fold(other) not in asked
    ]
    return "\n".join([names.question, *others])


async def _with_vectors(
    knowledge: Knowledge, question: str, names: QuestionNames, searched: str
) -> Knowledge:
    """The same knowledge, with the vectors that any stage may ask for made in one request."""
    from offbook.models.known_vectors import KnownVectors
    from offbook.retrieval.feeling import EMBEDDED_CHARS

    full = knowledge.in_full(question)
    texts = [names.question, searched, full, full[:EMBEDDED_CHARS], *names.candidates]
    return replace(knowledge, embedder=await KnownVectors.of(knowledge.embedder, texts))


@dataclass(slots=True)
class _FirstRound:
    """What is found side by side, and what is left out on the way."""

    knowledge: Knowledge
    question: str
    graph: GraphIndex
    names: QuestionNames
    profile: str
    searched: str
    analysis: Analysis | None = None
    ranked: list[Passage] = field(default_factory=list)
    revealing: list[Passage] = field(default_factory=list)
    memories: list[ContextItem] = field(default_factory=list)
    emotion: Mapping[str, int] | None = None
    fallback: bool | None = None
    unrevealed: str = "no passage was found to reveal how the character takes this"
    left: tuple[list[Skipped], ...] = field(default_factory=lambda: ([], [], [], []))

    @property
    def full(self) -> str:
        """The question with what it refers back to."""
        return self.names.question

    @property
    def skipped(self) -> list[Skipped]:
        """What is left out: of analyse, select, remember, in whatever order they end; the rest."""
        return [each for part in self.left for each in part]

    def leave(self, skipped: list[Skipped], part: int = 3) -> None:
        """Note what is left out."""
        self.left[part].extend(skipped)

    async def analyse(self) -> None:
        """Hypothetical context and entities: RoleRAG's call."""
        self.analysis, why = await analyse_question(
            self.knowledge, self.graph, self.names, self.profile
        )
        self.leave(why, 0)

    async def select(self) -> None:
        """The chunks by similarity, and which of them reveal something: AMADEUS's window."""
        settings = self.knowledge.settings.amadeus
        vectors = await self.knowledge.embedder.embed([self.searched], "query")
        self.ranked = await rank(self.knowledge, self.searched, vectors[0])
        if settings.gs == "off":
            self.revealing = self.ranked[: settings.k]
        elif self.ranked:
            selection = await select(self.knowledge, self.question, self.ranked)
            # Where nothing reveals anything, the most similar ones do not either.
            self.revealing = [] if selection.is_fallback else list(selection.chosen)
            self.fallback = selection.found_nothing
            self.leave(unjudged(selection), 1)
            if selection.unjudged:
                self.unrevealed = none_revealing(selection.looked_at, len(selection.unjudged))

    async def remember(self) -> None:
        """The emotion of the question, where there is anything to recall, and the memories."""
        from offbook.context.usefulness import like_enough
        from offbook.retrieval.feeling import Felt

        vectors = await self.knowledge.embedder.embed([self.full], "query")
        near = await self.knowledge.memories(Felt(vectors[0], None))
        if not near.items:
            none = [Skipped("memory", "memories", "there are none to recall")]
            self.leave(near.skipped or none, 2)
            return
        felt = await self.knowledge.feel(self.question)
        self.emotion = felt.emotion
        found = await self.knowledge.memories(felt)
        least, name = self.knowledge.settings.ensemble.likeness, "ensemble.likeness"
        self.memories, little = like_enough(self.full, found.items, least, name)
        self.leave([*found.skipped, *little], 2)

    async def bound(self, grounds: tuple[Source, ...]) -> Findings:
        """The branches of RoleRAG; whom the character was told of is not unknown."""
        from offbook.retrieval.boundary import find_context, hearsay_of, of_names_alone

        if self.analysis is None:
            return of_names_alone(self.graph, self.names)
        asked = hearsay_of(self.graph, self.analysis)
        told = await self.knowledge.told(asked, self.question)
        rolerag, types = self.knowledge.settings.rolerag, self.knowledge.settings.graph.entity_types
        return find_context(self.graph, self.names, self.analysis, rolerag, grounds, told, types)


def _is_out(found: Findings) -> bool:
    return found.boundary is not None and found.boundary.verdict == "out"


async def _attributes(first: _FirstRound, found: Findings) -> list[ContextItem]:
    """One call, and none where there is nothing to infer from or nothing to answer."""
    if not first.knowledge.settings.amadeus.ae:
        return []
    if not first.revealing or _is_out(found):
        why = _BEYOND if _is_out(found) else first.unrevealed
        first.leave([Skipped("attribute", "the attributes", why)])
        return []
    attributes, failed = await extract(first.knowledge, first.question, first.revealing)
    first.leave(failed)
    return attributes


def _entities(first: _FirstRound, found: Findings) -> list[ContextItem]:
    """Whom the question names; beside them, those neighbours that are like it; or neighbours."""
    from offbook.context.usefulness import like_enough

    settings = first.knowledge.settings.ensemble
    named = [item for item in found.entities if item.score >= 1]
    others = [item for item in found.entities if item.score < 1]
    if named:
        others, unlike = like_enough(first.full, others, settings.likeness, "ensemble.likeness")
        first.leave(unlike)
    most = max(0, settings.entities - len(named))
    why = f"others are nearer to the character (ensemble.entities = {settings.entities})"
    first.leave([Skipped(item.kind, item.title, why) for item in others[most:]])
    return [*named, *others[:most]]


def _relations(
    first: _FirstRound, found: Findings, entities: list[ContextItem], passages: list[ContextItem]
) -> list[ContextItem]:
    """The relations with these entities that say what nothing else says."""
    from offbook.context.repeats import sentences_once
    from offbook.context.usefulness import most_like

    own = first.graph.own
    shown = {item.title.partition(" (")[0] for item in entities}
    shown -= set() if own is None else {first.graph.entity(own).name}
    mine = [item for item in found.relations if not shown.isdisjoint(item.title.split(" → "))]
    new, again = sentences_once(mine, [item.text for item in (*entities, *passages)])
    most = first.knowledge.settings.ensemble.relations
    kept, rest = most_like(first.full, new, most, "ensemble.relations")
    first.leave([*again, *rest])
    return kept


async def _passages(first: _FirstRound, found: Findings) -> list[ContextItem]:
    """Chunks that speak of what the graph lacks, that are similar, and that reveal something."""
    from offbook.context.repeats import passages_once

    knowledge, settings = first.knowledge, first.knowledge.settings
    similar = [knowledge.passage(hit) for hit in first.ranked[: settings.amadeus.k]]
    if _is_out(found):
        first.leave([Skipped(item.kind, item.title, _BEYOND) for item in similar])
        return []
    least = settings.ensemble.passage_score
    weak = f"score below {least} (ensemble.passage_score)"
    first.leave([Skipped(i.kind, i.title, weak) for i in similar if i.score < least])
    named = await knowledge.chunks(found.passages)
    revealing = [knowledge.passage(hit) for hit in first.revealing]
    like = [item for item in similar if item.score >= least]
    kept, again = passages_once([*named, *like, *revealing])
    first.leave(again)
    return kept


def _memories(first: _FirstRound, found: Findings) -> list[ContextItem]:
    """The memories that speak of whom the texts lack; then those that are like the question.

    Of these, those that fit it best by meaning and emotion.
    """
    from offbook.context.usefulness import named

    if _is_out(found):
        first.leave([Skipped(item.kind, named(item), _BEYOND) for item in first.memories])
        return []
    most = first.knowledge.settings.ensemble.memories
    why = f"others fit better (ensemble.memories = {most})"
    told = {item.memory for item in found.told}
    others = [item for item in first.memories if item.memory not in told]
    first.leave([Skipped(item.kind, named(item), why) for item in others[most:]])
    return [*found.told, *others[:most]]


def _shares(settings: SettingsModel, kinds: Mapping[str, object]) -> dict[str, float]:
    """Of the budget, in the order of the kinds."""
    own = settings.ensemble
    shares = (
        own.profile_share,
        own.entity_share,
        own.relation_share,
        own.knowledge_share,
        own.attribute_share,
        own.memory_share,
        own.outside_share,
    )
    return dict(zip(kinds, shares, strict=True))
