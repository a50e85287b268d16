"""Ensemble: one reply from boundary, entities, attributes and memories.

Takes: a question.  Gives: who is named, what the texts say (and let infer, where ``ensemble.gs``
and ``ensemble.ae`` ask for it), what comes back, and what cannot be known, each as far as it is of
use for this question; the rest with its reason.
It takes two waits, one more with ``ensemble.ae``.
Paper: none; ours, from RoleRAG, AMADEUS and Emotional RAG (docs/methods.md, "The ensemble").
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.context.assembly import like_enough, most_like, named, passages_once, sentences_once
from offbook.methods.amadeus import extract, none_revealing, select, unjudged
from offbook.methods.rolerag import analyse_question, look_up
from offbook.models.batching import gather_all
from offbook.models.embedders import KnownVectors
from offbook.retrieval.memories import EMBEDDED_CHARS, Felt
from offbook.text.words import fold
from offbook.types import ContextItem, IndexRequirements, Skipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.boundary import Findings, QuestionNames
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.settings import SettingsModel
    from offbook.settings.model import EnsembleSettings
    from offbook.types import Passage, Recall

_BEYOND: Final = "the question lies beyond what the character can know"
_PASSAGES: Final = 4
_FREE_PASSAGES: Final = 20
"""Passages that a reply rests on; where it costs nothing, those of a short document."""
_OTHER_NAMES: Final = 5
"""Names of an entity that passages are searched by, beside those that the question uses."""


class _Sorted(NamedTuple):
    """What of one kind is shown, and what is left out with the reason."""

    shown: list[ContextItem]
    left_out: list[Skipped]


class Ensemble:
    """RoleRAG's boundary and entities, AMADEUS's attributes, Emotional RAG's memories."""

    name = "ensemble"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """Require graph, summary, the chunks of both with vectors, memories where there are any."""
        return IndexRequirements(
            tuple(dict.fromkeys(("graph", settings.amadeus.splitter))),
            vectors=True,
            profile=True,
            graph=True,
            traits=settings.ensemble.gs == "indexed",
            memories=True,
            statements=True,
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """Recall what all of them find, as far as it is of use."""
        settings = knowledge.settings.ensemble
        # 0 -- what is there without a call, and the vectors of the question, once for all -------
        profile, grounds = await knowledge.profile()
        graph = await knowledge.graph()
        names = await knowledge.names(graph, question)
        full = names.question
        knowledge, searched = await _with_vectors(knowledge, question, graph, names)
        # 1 -- side by side: hypothetical context and entities, passages, emotion ----------------
        (analysis, unanalysed), ranked, remembered = await gather_all(
            partial(analyse_question, knowledge, graph, names, profile),
            partial(_rank, knowledge, question, searched),
            partial(_remember, knowledge, question, full),
        )
        findings = await look_up(knowledge, graph, names, analysis, profile, grounds)
        is_out = findings.boundary is not None and findings.boundary.verdict == "out"
        # 2 -- beliefs and values, and traits, from passages that reveal something ---------------
        attributes = await _attributes(knowledge, question, ranked, is_out=is_out)
        # 3 -- what is of use, once, within a budget that is divided -----------------------------
        entities = _entities(full, findings, settings)
        passages = await _passages(knowledge, ranked, findings, is_out=is_out)
        relations = _relations(full, graph, findings, settings, entities.shown, passages.shown)
        memories = _memories(remembered, findings, settings)
        recalled = knowledge.divided_recall(
            self.name,
            question,
            {
                "profile": (settings.profile_share, knowledge.summary(profile, grounds)),
                "entities": (settings.entity_share, entities.shown),
                "relations": (settings.relation_share, relations.shown),
                "knowledge": (settings.knowledge_share, passages.shown),
                "attributes": (settings.attribute_share, attributes.shown),
                "memories": (settings.memory_share, memories.shown),
                "what is unknown": (settings.outside_share, findings.outside),
            },
            boundary=findings.boundary,
            skipped=(
                *unanalysed,
                *ranked.skipped,
                *remembered.skipped,
                *attributes.left_out,
                *entities.left_out,
                *passages.left_out,
                *relations.left_out,
                *memories.left_out,
                *findings.skipped,
            ),
        )
        return replace(recalled, emotion=remembered.emotion, fallback=ranked.fallback)


async def _with_vectors(
    knowledge: Knowledge, question: str, graph: GraphIndex, names: QuestionNames
) -> tuple[Knowledge, str]:
    """Make the vectors that any stage may ask for in one request.

    Returns:
        Also what passages are searched by: the question, with the other names of whom it names,
        since a passage may use one of these. Not the character's own: any passage has them.
    """
    folded = fold(names.question)
    positions = dict.fromkeys(place for name in names.known if name.sure for place in name.entities)
    others = [
        other
        for position in positions
        if position != graph.own
        for other in graph.entity(position).names[:_OTHER_NAMES]
        if fold(other) not in folded
    ]
    searched = "\n".join([names.question, *others])
    full = knowledge.in_full(question)
    texts = [names.question, searched, full, full[:EMBEDDED_CHARS], *names.candidates]
    embedder = await KnownVectors.of(knowledge.embedder, texts)
    return replace(knowledge, embedder=embedder), searched


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Chunks by similarity, those that reveal how the character is, and why there are none."""

    similar: list[Passage]
    revealing: list[Passage] = field(default_factory=list)
    fallback: bool | None = None
    unrevealed: str = "no passage was found to reveal how the character takes this"
    skipped: list[Skipped] = field(default_factory=list)


async def _rank(knowledge: Knowledge, question: str, searched: str) -> _Ranked:
    """Rank chunks by similarity, and select those that reveal something: AMADEUS's window."""
    settings = knowledge.settings.ensemble
    vectors = await knowledge.embedder.embed([searched], "query")
    amadeus = knowledge.settings.amadeus
    wanted = settings.k or (_FREE_PASSAGES if knowledge.free else _PASSAGES)
    most = wanted
    if settings.gs != "off":
        most = max(most, amadeus.n, amadeus.m + 1)
    similar = await knowledge.search(searched, amadeus.splitter, most, vector=vectors[0])
    within = similar[:wanted]
    if settings.k is None:
        # Of more than a paid model is given, as many as need not be cut short.
        sizes = accumulate(knowledge.count(hit.chunk.text) for hit in within)
        room = knowledge.settings.context.budget_tokens // 2
        fits = [place < _PASSAGES or size <= room for place, size in enumerate(sizes)]
        within = [*compress(within, fits)]
    if settings.gs == "off" or not similar:
        return _Ranked(within, within)
    selection = await select(knowledge, question, similar, settings.gs)
    ranked = _Ranked(
        within,
        # Where nothing reveals anything, the most similar ones do not either.
        [] if selection.is_fallback else list(selection.chosen),
        selection.found_nothing,
        skipped=unjudged(selection),
    )
    if not selection.unjudged:
        return ranked
    why = none_revealing(selection.looked_at, len(selection.unjudged))
    return replace(ranked, unrevealed=why)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """Memories that are like the question, its emotion, and further places for what was felt."""

    items: list[ContextItem] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    emotion: Mapping[str, int] | None = None
    felt: int = 0


async def _remember(knowledge: Knowledge, question: str, full: str) -> _Remembered:
    """Find the emotion of the question, where there is anything to recall, and the memories."""
    vectors = await knowledge.embedder.embed([full], "query")
    least = knowledge.settings.ensemble.memory_score
    near = await knowledge.meant_memories(full, Felt(vectors[0], None), least)
    if not near.items:
        none = [Skipped("memory", "memories", "there are none that the question means")]
        return _Remembered(skipped=near.skipped or none)
    felt = await knowledge.feel(question)
    memories = await knowledge.meant_memories(full, felt, least)
    return _Remembered(memories.items, memories.skipped, felt.emotion, memories.felt)


async def _attributes(
    knowledge: Knowledge, question: str, ranked: _Ranked, *, is_out: bool
) -> _Sorted:
    """Extract attributes, unless there is nothing to infer from or nothing to answer."""
    if not knowledge.settings.ensemble.ae:
        return _Sorted([], [])
    if not ranked.revealing or is_out:
        why = _BEYOND if is_out else ranked.unrevealed
        return _Sorted([], [Skipped("attribute", "the attributes", why)])
    return _Sorted(*await extract(knowledge, question, ranked.revealing))


def _entities(full: str, findings: Findings, settings: EnsembleSettings) -> _Sorted:
    """Show whom the question names; beside them, neighbours that are like it; or neighbours."""
    by_name = [item for item in findings.entities if item.score >= 1]
    others = [item for item in findings.entities if item.score < 1]
    skipped: list[Skipped] = []
    if by_name:
        others, skipped = like_enough(full, others, settings.likeness, "ensemble.likeness")
    most = max(0, settings.entities - len(by_name))
    why = f"others are nearer to the character (ensemble.entities = {settings.entities})"
    skipped += [Skipped(item.kind, item.title, why) for item in others[most:]]
    return _Sorted([*by_name, *others[:most]], skipped)


def _relations(
    full: str,
    graph: GraphIndex,
    findings: Findings,
    settings: EnsembleSettings,
    entities: list[ContextItem],
    passages: list[ContextItem],
) -> _Sorted:
    """Show the relations with these entities that say what nothing else says."""
    shown = {item.title.partition(" (")[0] for item in entities}
    shown -= set() if graph.own is None else {graph.entity(graph.own).name}
    related = [i for i in findings.relations if not shown.isdisjoint(i.title.split(" → "))]
    new, again = sentences_once(related, [item.text for item in (*entities, *passages)])
    relations, rest = most_like(full, new, settings.relations, "ensemble.relations")
    return _Sorted(relations, [*again, *rest])


async def _passages(
    knowledge: Knowledge, ranked: _Ranked, findings: Findings, *, is_out: bool
) -> _Sorted:
    """Show chunks that speak of what the graph lacks, that are similar, that reveal something."""
    settings = knowledge.settings.ensemble
    similar = [knowledge.passage(hit) for hit in ranked.similar]
    if is_out:
        return _Sorted([], [Skipped(item.kind, item.title, _BEYOND) for item in similar])
    least = settings.passage_score
    if least is None:
        least = -1.0 if knowledge.free else 0.0
    why = f"score below {least} (ensemble.passage_score)"
    weak = [Skipped(item.kind, item.title, why) for item in similar if item.score < least]
    of_names = await knowledge.chunks(findings.passages)
    # Without guided selection these are the similar ones, which have to score high enough.
    chosen = [] if settings.gs == "off" else ranked.revealing
    revealing = [knowledge.passage(hit) for hit in chosen]
    like = [item for item in similar if item.score >= least]
    passages, again = passages_once([*of_names, *like, *revealing])
    return _Sorted(passages, [*weak, *again])


def _memories(remembered: _Remembered, findings: Findings, settings: EnsembleSettings) -> _Sorted:
    """Show the memories that speak of whom the texts lack; then those that fit the question best.

    Also where the question lies beyond the texts: of that the character may have been told.
    """
    why = f"others fit better (ensemble.memories = {settings.memories})"
    evidence = {item.memory for item in findings.told}
    others = [item for item in remembered.items if item.memory not in evidence]
    most = settings.memories + remembered.felt
    rest = [Skipped(item.kind, named(item), why) for item in others[most:]]
    return _Sorted([*findings.told, *others[:most]], rest)
