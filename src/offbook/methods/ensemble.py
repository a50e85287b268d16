"""Ensemble: one reply from boundary, entities, passages and memories.

Takes: a question.  Gives: who is named, what the texts say (and let infer, where ``ensemble.gs``
and ``ensemble.ae`` ask for it), what comes back, what is not so and what cannot be known, each as
far as it is of use for this question; the rest with its reason.
It takes one wait, of a small call with the vectors beside it, and one more with each of
``ensemble.gs`` (live) and ``ensemble.ae``; none for greetings, thanks and farewells.
Paper: none; ours, from RoleRAG, AMADEUS and Emotional RAG (docs/methods.md, "The ensemble").
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.context.assembly import named, passages_joined, sentences_once
from offbook.memory.gate import calls_for_nothing
from offbook.methods.amadeus import extract, none_revealing, select, unjudged
from offbook.methods.rolerag import look_up
from offbook.methods.understanding import analysis_of, emotion_of, of_others, understand
from offbook.models.batching import gather_all
from offbook.models.embedders import KnownVectors
from offbook.retrieval.boundary import entity_item, relation_item
from offbook.retrieval.memories import EMBEDDED_CHARS, Felt
from offbook.retrieval.pagerank import walk
from offbook.retrieval.passages import check_embedder
from offbook.retrieval.premise import false_kinship
from offbook.text.words import fold, search_terms
from offbook.types import ContextItem, IndexRequirements, Skipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from offbook.methods.knowledge import Knowledge
    from offbook.prompts.question import Understanding
    from offbook.retrieval.boundary import Findings, QuestionNames
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.memories import RecalledMemories
    from offbook.settings import SettingsModel
    from offbook.settings.methods import EnsembleSettings
    from offbook.types import Passage, Recall

_BEYOND: Final = "the question lies beyond what the character can know"
_PASSAGES: Final = 5
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
        """Require graph, summary, story, chunks with vectors, and memories where there are any."""
        return IndexRequirements(
            tuple(dict.fromkeys(("graph", settings.amadeus.splitter))),
            vectors=True,
            profile=True,
            graph=True,
            traits=settings.ensemble.gs == "indexed",
            memories=True,
            statements=True,
            story=True,
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """Recall what all of them find, as far as it is of use."""
        settings = knowledge.settings.ensemble
        # 0 -- what is there without a call ------------------------------------------------------
        profile, grounds = await knowledge.profile()
        summary = knowledge.summary(profile, grounds)
        graph = await knowledge.graph()
        own_names = () if graph.own is None else graph.entity(graph.own).names
        if why := calls_for_nothing(question, (graph.character, *graph.called, *own_names)):
            courtesy = Skipped("knowledge", "all but the summary", f"not looked for: {why}")
            return knowledge.divided_recall(
                self.name, question, {"profile": (1, summary)}, skipped=[courtesy]
            )
        names = of_others(graph, await knowledge.names(graph, question))
        # 1 -- side by side: one small call, and the vectors of all that is looked up ------------
        (knowledge, searched), (answer, unanswered) = await gather_all(
            partial(_with_vectors, knowledge, question, graph, names),
            partial(understand, knowledge, graph, names, profile),
        )
        query = "" if answer is None else f"\n{answer.query}".rstrip()
        emotion = emotion_of(answer)
        # 2 -- who is named, and what is beyond; then what the texts say, and what comes back ----
        near = await knowledge.embedder.embed([names.question, *names.candidates], "query")
        analysis = analysis_of(answer, names, near)
        findings = await look_up(knowledge, graph, names, analysis, profile, grounds)
        is_out = findings.boundary is not None and findings.boundary.verdict == "out"
        ranked = await _rank(knowledge, question, searched, query)
        attributes = await _attributes(knowledge, question, ranked, is_out=is_out)
        remembered = await _remember(knowledge, question, query, emotion)
        _walk(graph, names, f"{searched}{query}", ranked, findings, 0 if is_out else settings.hops)
        # 3 -- what is of use, once, within a budget that is divided -----------------------------
        passages = await _passages(knowledge, ranked, findings, is_out=is_out)
        entities = _entities(graph, names, near[0], findings, settings, passages.shown)
        relations = _relations(names, graph, findings, settings, entities.shown, passages.shown)
        memories = _memories(remembered, findings, settings)
        sorted_ = attributes, entities, passages, relations, memories
        recalled = knowledge.divided_recall(
            self.name,
            question,
            {
                "profile": (settings.profile_share, summary),
                "entities": (settings.entity_share, entities.shown),
                "relations": (settings.relation_share, relations.shown),
                "knowledge": (settings.knowledge_share, passages.shown),
                "attributes": (settings.attribute_share, attributes.shown),
                "memories": (settings.memory_share, memories.shown),
                "what is not so": (settings.outside_share, _premises(graph, names, answer)),
                "what is unknown": (settings.outside_share, findings.outside),
            },
            boundary=findings.boundary,
            skipped=(
                *unanswered,
                *ranked.skipped,
                *remembered.skipped,
                *(each for part in sorted_ for each in part.left_out),
                *findings.skipped,
            ),
        )
        selected = None if settings.gs == "off" else tuple(h.chunk.id for h in ranked.revealing)
        return replace(recalled, emotion=emotion, fallback=ranked.fallback, selected=selected)


async def _with_vectors(
    knowledge: Knowledge, question: str, graph: GraphIndex, names: QuestionNames
) -> tuple[Knowledge, str]:
    """Make the vectors that any stage may ask for in one request.

    Returns:
        Also what passages are searched by: the question, with the other names of whom it names,
        since a passage may use one of these.
    """
    check_embedder(knowledge.character, knowledge.embedder)
    folded = fold(names.question)
    positions = dict.fromkeys(place for name in names.known if name.sure for place in name.entities)
    others = [
        other
        for position in positions
        for other in graph.entity(position).names[:_OTHER_NAMES]
        if fold(other) not in folded
    ]
    searched = "\n".join([names.question, *others])
    full = knowledge.in_full(question)
    texts = [names.question, searched, full, full[:EMBEDDED_CHARS], *names.candidates]
    embedder = await KnownVectors.of(knowledge.embedder, texts)
    return replace(knowledge, embedder=embedder), searched


@dataclass(slots=True)
class _Ranked:
    """Chunks by similarity, those that reveal how the character is, and why there are none.

    ``far`` are the ids of chunks that the question does not resemble, and its graph leads to.
    """

    similar: list[Passage]
    revealing: list[Passage] = field(default_factory=list)
    fallback: bool | None = None
    unrevealed: str = "no passage was found to reveal how the character takes this"
    skipped: list[Skipped] = field(default_factory=list)
    far: list[str] = field(default_factory=list)


async def _rank(knowledge: Knowledge, question: str, searched: str, query: str) -> _Ranked:
    """Rank chunks by similarity, and select those that reveal something: AMADEUS's window.

    The words of the small call's query count beside those of the question; it has no vector of its
    own, which would be one more wait.
    """
    settings = knowledge.settings.ensemble
    vectors = await knowledge.embedder.embed([searched], "query")
    amadeus = knowledge.settings.amadeus
    wanted = settings.k or (_FREE_PASSAGES if knowledge.free else _PASSAGES)
    most = wanted
    if settings.gs != "off":
        most = max(most, amadeus.n, amadeus.m + 1)
    words = f"{searched}{query}"
    similar = await knowledge.search(words, amadeus.splitter, most, vector=vectors[0])
    within = similar[:wanted]
    if settings.k is None:
        # Of more than a paid model is given, as many as need not be cut short.
        sizes = accumulate(knowledge.count(hit.chunk.text) for hit in within)
        room = knowledge.budget // 2
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


def _walk(
    graph: GraphIndex,
    names: QuestionNames,
    words: str,
    ranked: _Ranked,
    findings: Findings,
    most: int,
) -> None:
    """Add up to ``most`` chunks two steps from the question, and relations on the way."""
    if not most:
        return
    sources = [each.sources for each in graph.graph.entities]
    sources += [each.sources for each in graph.graph.relations]
    places = {source.chunk: (source.document, source.start) for s in sources for source in s}
    similar = {
        chunk: max(0.0, hit.score)
        for hit in reversed(ranked.similar)
        for chunk, (document, start) in places.items()
        if document == hit.chunk.document and hit.chunk.start <= start < hit.chunk.end
    }
    named = [place for name in names.known if name.sure for place in name.entities]
    reached = walk(graph, words, named, similar)
    findings.relations += [relation_item(graph, tie) for tie in reached.relations[:most]]
    ranked.far = [chunk for chunk in reached.chunks if chunk not in similar][:most]


async def _remember(
    knowledge: Knowledge, question: str, query: str, emotion: Mapping[str, int] | None
) -> RecalledMemories:
    """Find the memories that the question means, those that were felt as it is a little before."""
    full = knowledge.in_full(question)
    vectors = await knowledge.embedder.embed([full], "query")
    felt, least = Felt(vectors[0], emotion), knowledge.settings.ensemble.memory_score
    near = await knowledge.meant_memories(f"{full}{query}", felt, least)
    if not near.items and not near.skipped:
        near.skipped.append(Skipped("memory", "memories", "there are none that it means"))
    return near


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


def _entities(
    graph: GraphIndex,
    names: QuestionNames,
    vector: NDArray[np.float32],
    findings: Findings,
    settings: EnsembleSettings,
    passages: list[ContextItem],
) -> _Sorted:
    """Show whom the question names, then who is far above chance like it; no words twice."""
    shown = {item.title for item in findings.entities}
    by_name = [item for item in findings.entities if item.score >= 1]
    others = [item for item in findings.entities if item.score < 1]
    is_out = findings.boundary is not None and findings.boundary.verdict == "out"
    above = graph.above_chance(vector)
    order = sorted(range(len(above)), key=above.__getitem__, reverse=True)
    for place in [] if is_out else order[: settings.entities]:
        item = entity_item(graph, place, min(float(above[place]) / 10, 0.99), names.question)
        if above[place] >= settings.likeness and item.title not in shown:
            others.append(item)
            self_place = graph.own
            ties = [] if self_place is None else graph.between(self_place, place)
            findings.relations += [relation_item(graph, tie) for tie in ties]
    most = max(0, settings.entities - len(by_name))
    why = f"others are nearer to the question (ensemble.entities = {settings.entities})"
    skipped = [Skipped(item.kind, item.title, why) for item in others[most:]]
    new, again = sentences_once([*by_name, *others[:most]], [item.text for item in passages])
    return _Sorted(new, [*skipped, *again])


def _relations(
    names: QuestionNames,
    graph: GraphIndex,
    findings: Findings,
    settings: EnsembleSettings,
    entities: list[ContextItem],
    passages: list[ContextItem],
) -> _Sorted:
    """Show relations that say what nothing else says, those with words of the question first."""
    new, again = sentences_once(findings.relations, [item.text for item in (*entities, *passages)])
    new.sort(key=lambda item: -len(names.terms.intersection(search_terms(item.text))))
    why = f"others say more of the question (ensemble.relations = {settings.relations})"
    rest = [Skipped(item.kind, item.title, why) for item in new[settings.relations :]]
    return _Sorted(new[: settings.relations], [*again, *rest])


def _premises(
    graph: GraphIndex, names: QuestionNames, answer: Understanding | None
) -> list[ContextItem]:
    """Say what the question wrongly takes for granted: by the graph, or as the small call says."""
    false = false_kinship(graph, names)
    if not false and answer is not None and answer.premise:
        title = "not so: what the question takes for granted"
        false = [ContextItem("premise", title, answer.premise.strip(), 1.0)]
    return false


async def _passages(
    knowledge: Knowledge, ranked: _Ranked, findings: Findings, *, is_out: bool
) -> _Sorted:
    """Show chunks that speak of what the graph lacks, that are similar, that reveal something.

    Beyond the boundary the best one alone: a verdict may be wrong, and must not leave nothing.
    """
    settings = knowledge.settings.ensemble
    similar = [knowledge.passage(hit) for hit in ranked.similar]
    least = settings.passage_score
    if least is None:
        least = -1.0 if knowledge.free else 0.0
    why = f"score below {least} (ensemble.passage_score)"
    left_out = [Skipped(item.kind, item.title, why) for item in similar if item.score < least]
    like = [item for item in similar if item.score >= least]
    if is_out:
        left_out += [Skipped(item.kind, item.title, _BEYOND) for item in like[1:]]
        return _Sorted(like[:1], left_out)
    of_names = await knowledge.chunks(findings.passages)
    far = await knowledge.chunks(ranked.far)
    # Without guided selection these are the similar ones, which have to score high enough.
    chosen = [] if settings.gs == "off" else ranked.revealing
    revealing = [knowledge.passage(hit) for hit in chosen]
    passages, again = passages_joined([*of_names, *like, *revealing, *far])
    return _Sorted(passages, [*left_out, *again])


def _memories(
    remembered: RecalledMemories, findings: Findings, settings: EnsembleSettings
) -> _Sorted:
    """Show the memories that speak of whom the texts lack; then those that fit the question best.

    Also where the question lies beyond the texts: of that the character may have been told.
    """
    why = f"others fit better (ensemble.memories = {settings.memories})"
    evidence = {item.memory for item in findings.told}
    others = [item for item in remembered.items if item.memory not in evidence]
    most = settings.memories + remembered.felt
    rest = [Skipped(item.kind, named(item), why) for item in others[most:]]
    return _Sorted([*findings.told, *others[:most]], rest)
