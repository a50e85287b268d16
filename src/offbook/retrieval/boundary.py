"""The boundary of what a character knows: one call, then the three branches of look-up.

Takes: a question, the character's graph, a model.  Gives: entities, relations and what is out of
scope, each with its reason, and a verdict on the question.
Paper: RoleRAG (001) section 3.4. A name that nothing was found for is said to be unknown, as the
paper means and the published code forgets.

The verdict looks at what the question hinges on: the entities that stand in the question itself,
or, where none does, all of them; the character is never one. An entity is out where the character
cannot know of it, and where it has a name of its own that neither graph nor texts speak of.
``out``: all of them are. ``partly``: some. ``in``: none, or nothing was named. Names of the
question that the model left out are looked up, and count for nothing in the verdict.

Whom somebody told the character of, before this question, is known to it from there, whatever the
model says: the memory that says so is the evidence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from offbook.language.words import fold, search_terms
from offbook.prompts.ask import ask
from offbook.prompts.described import shortened
from offbook.prompts.extraction import ENTITY_TYPES
from offbook.prompts.question import (
    ANALYSE_QUESTION,
    HYPOTHETICAL_CONTEXT,
    QUESTION_ENTITIES,
    QuestionEntity,
)
from offbook.retrieval.name_table import key_of
from offbook.types import Boundary, BoundaryReason, ContextItem, Skipped, Source, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.prompts.question import QuestionInputs
    from offbook.protocols import ChatModel, Embedder
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.question_names import QuestionNames
    from offbook.retrieval.told import Told
    from offbook.settings.model import RoleragSettings
    from offbook.types import Entity, Relation

STRONGEST = 10.0
"""The greatest strength of a relation: its score is its strength divided by it."""
_PART_OF_NAME = 0.9
"""The score of an entity that the question calls by a part of its name."""
_REASON = 240
"""Characters of a told sentence that a reason quotes; the memory has all of it."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the question is about, and the vectors to look it up with.

    Args:
        context: The hypothetical context (HyDE).
        entities: Of question and context, each with its verdict.
        question: The vector of the question.
        vectors: Folded name of an entity -> the vector to look it up with.
        complete: Whether every entity was embedded, those of the hypothetical context too.
    """

    context: str
    entities: tuple[QuestionEntity, ...]
    question: NDArray[np.float32]
    vectors: dict[str, NDArray[np.float32]]
    complete: bool = False


@dataclass(slots=True)
class Findings:
    """What the branches found, kind by kind, best first.

    ``passages`` are ids of chunks that speak of what the graph lacks, ``told`` memories that do;
    ``boundary`` is None where nobody judged it.
    """

    entities: list[ContextItem] = field(default_factory=list)
    relations: list[ContextItem] = field(default_factory=list)
    outside: list[ContextItem] = field(default_factory=list)
    told: list[ContextItem] = field(default_factory=list)
    passages: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    boundary: Boundary | None = None


async def analyse(
    model: ChatModel,
    embedder: Embedder,
    inputs: QuestionInputs,
    names: QuestionNames,
    *,
    documents: frozenset[str],
    retries: int,
) -> Analysis:
    """One call for context and entities, and beside it the vectors of all that may be looked up.

    An entity's vector is that of the name or word of the question that it shares most with: to
    embed it by itself would be one more wait before the reply.

    Raises:
        AnswerError: no answer could be used.
        ModelError: an endpoint failed for good.
    """
    embedding = asyncio.ensure_future(embedder.embed([names.question, *names.candidates], "query"))
    try:
        found = await ask(model, ANALYSE_QUESTION, inputs, documents=documents, retries=retries)
        matrix = await embedding
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)
    entities = tuple(_distinct(found.entities))
    vectors = {}
    for entity in entities:
        at = names.nearest_candidate(entity.name)
        if at is not None:
            vectors[fold(entity.name)] = matrix[at + 1]
    return Analysis(found.context, entities, matrix[0], vectors)


async def analyse_in_two_calls(
    model: ChatModel,
    embedder: Embedder,
    inputs: QuestionInputs,
    names: QuestionNames,
    *,
    documents: frozenset[str],
    retries: int,
) -> Analysis:
    """As the paper has it: first the hypothetical context, then the entities, then their vectors.

    Raises:
        AnswerError: no answer could be used.
        ModelError: an endpoint failed for good.
    """
    context = await ask(model, HYPOTHETICAL_CONTEXT, inputs, documents=documents, retries=retries)
    with_context = replace(inputs, context=context)
    found = await ask(model, QUESTION_ENTITIES, with_context, documents=documents, retries=retries)
    entities = tuple(_distinct(found.entities))
    texts = [names.question, *(entity.name for entity in entities)]
    matrix = await embedder.embed(texts, "query")
    vectors = {fold(e.name): matrix[at + 1] for at, e in enumerate(entities)}
    return Analysis(context, entities, matrix[0], vectors, complete=True)


def find_context(
    index: GraphIndex,
    names: QuestionNames,
    analysis: Analysis,
    settings: RoleragSettings,
    grounds: tuple[Source, ...] = (),
    told: Mapping[str, Told] = MappingProxyType({}),
    types: Sequence[str] = ENTITY_TYPES,
) -> Findings:
    """The three branches for every entity, and the verdict on the question.

    Args:
        index: The character's graph.
        names: What the question names.
        analysis: What the model made of it.
        settings: How many, and how near.
        grounds: What the model's verdicts rest on: the sources of the character's profile.
        told: Folded name of an entity -> what the character was told of it.
        types: What an entity of the graph may be (``graph.entity_types``).
    """
    return _Branches(index, names, analysis, settings, grounds, told, types).run()


def hearsay_of(index: GraphIndex, analysis: Analysis) -> list[str]:
    """Names that the texts do not settle: what the character was told of them is looked for.

    Not those of general things: to hear the word "telephone" makes nobody know what it is.
    """
    return [
        entity.name
        for entity in analysis.entities
        if entity.specific and not (entity.known and index.names.lookup(entity.name))
    ]


def of_names_alone(index: GraphIndex, names: QuestionNames) -> Findings:
    """What the names of the question lead to, where the model's answer could not be used."""
    found = Findings()
    collected = _Collected(index, found, names.question)
    for name in names.known:
        for at in name.entities:
            collected.specific(at, 1.0)
    found.passages = [chunk for chunk in names.places.values() if chunk is not None]
    collected.sort()
    return found


def _distinct(entities: Iterable[QuestionEntity]) -> list[QuestionEntity]:
    """Each entity once, by its name in any case; the first verdict stands."""
    by_name: dict[str, QuestionEntity] = {}
    for entity in entities:
        if entity.name.strip():
            by_name.setdefault(fold(entity.name.strip()), entity)
    return list(by_name.values())


class _Branches:
    """One question on its way through the branches."""

    def __init__(
        self,
        index: GraphIndex,
        names: QuestionNames,
        analysis: Analysis,
        settings: RoleragSettings,
        grounds: tuple[Source, ...],
        told: Mapping[str, Told],
        types: Sequence[str],
    ) -> None:
        self._index, self._names, self._analysis = index, names, analysis
        self._settings, self._grounds = settings, grounds
        self._told, self._types = told, types
        self._reasons: list[BoundaryReason] = []
        self._found = Findings()
        self._collected = _Collected(index, self._found, names.question)
        self._near = index.vectors.scores(analysis.question)
        self._out: dict[str, bool] = {}
        self._covered: set[int] = set()

    def run(self) -> Findings:
        """All entities of the analysis, then the names that it left out."""
        for entity in self._analysis.entities:
            positions = self._index.names.lookup(entity.name)
            self._covered.update(positions)
            if self._is_character(entity.name, positions):
                self._look_up(positions)
            elif not (self._was_told(entity.name) or entity.known):
                self._shut_out(entity.name, entity.reason.strip() or "cannot be known")
            else:
                self._out[entity.name] = False
                general = entity.known and not entity.specific
                branch = self._general if general else self._specific
                branch(entity, positions)
        for name in self._names.known:
            if name.sure and self._covered.isdisjoint(name.entities):
                self._look_up(name.entities)
        outside = (BoundaryReason(item.title, item.text) for item in self._found.outside)
        self._found.boundary = Boundary(self._verdict(), (*outside, *self._reasons))
        self._collected.sort()
        return self._found

    def _is_character(self, name: str, positions: Sequence[int]) -> bool:
        key = key_of(name)
        return key == key_of(self._index.character) or (
            self._index.own is not None and self._index.own in positions
        )

    def _look_up(self, positions: Sequence[int]) -> None:
        """All entities of a name; of several, the one nearest to the question first."""
        for at in sorted(positions, key=lambda at: -float(self._near[at])):
            self._collected.specific(at, 1.0)

    def _specific(self, entity: QuestionEntity, positions: Sequence[int]) -> None:
        self._look_up(positions)
        if positions:
            return
        near = self._bearing(entity.name) or self._similar(entity.name)
        for at, score in near:
            self._collected.specific(at, score)
        spoken_of, chunk = self._names.place_of(entity.name, self._index.texts)
        if chunk is not None:
            self._found.passages.append(chunk)
        told = fold(entity.name.strip()) in self._told
        if not (near or spoken_of or told):
            self._not_found(entity)

    def _bearing(self, part: str) -> list[tuple[int, float]]:
        """Who may be called so by a part of a name, the nearest to the question first."""
        found = self._index.bearing(part) if self._settings.parts_of_names else []
        ranked = sorted(found, key=lambda at: -float(self._near[at]))
        return [(at, _PART_OF_NAME) for at in ranked[: self._settings.k]]

    def _similar(self, name: str) -> list[tuple[int, float]]:
        vector = self._analysis.vectors.get(fold(name))
        if vector is None:
            return []
        return self._index.similar(vector, self._settings.k, self._settings.threshold)

    def _was_told(self, name: str) -> bool:
        """Whether the character was told of it; then the memories that say so are found."""
        told = self._told.get(fold(name.strip()))
        if told is None:
            return False
        self._found.told += [item for item in told.items if item not in self._found.told]
        sentence = shortened(told.sentence, _REASON)
        self._reasons.append(BoundaryReason(name, f"{self._index.character} was told: {sentence}"))
        return True

    def _not_found(self, entity: QuestionEntity) -> None:
        """Say so; a name that only the hypothetical context came up with was a bad guess."""
        if self._analysis.complete or self._in_question(entity.name):
            who = self._index.character
            self._shut_out(entity.name, f"nothing that {who} knows mentions it")
        else:
            why = "only the hypothetical context names it, and nothing mentions it"
            self._found.skipped.append(Skipped("entity", entity.name, why))

    def _shut_out(self, name: str, reason: str) -> None:
        self._out[name] = True
        self._found.outside.append(ContextItem("out_of_scope", name, reason, 1.0, self._grounds))

    def _general(self, entity: QuestionEntity, positions: Sequence[int]) -> None:
        self._look_up(positions)  # general or not: what the graph has under this name is meant
        near = self._index.neighbours(entity.type, self._settings.neighbours, self._types)
        for at, strength in near:
            self._collected.specific(at, strength / STRONGEST)
        if not near and not positions:
            why = f"the character has no neighbour of the type {entity.type}"
            self._found.skipped.append(Skipped("entity", entity.name, why))

    def _in_question(self, name: str) -> bool:
        shared = set(search_terms(name)) & self._names.terms
        return bool(shared) or fold(name) in fold(self._names.question)

    def _verdict(self) -> Verdict:
        hinges = {name: out for name, out in self._out.items() if self._in_question(name)}
        outs = list((hinges or self._out).values())
        if not any(outs):
            return "in"
        return "out" if all(outs) else "partly"


class _Collected:
    """Entities and relations with the character, each once, with the best score it was found by."""

    def __init__(self, index: GraphIndex, found: Findings, question: str) -> None:
        self._index, self._found, self._question = index, found, question
        self._entities: dict[int, ContextItem] = {}
        self._relations: dict[tuple[str, str, str], ContextItem] = {}

    def specific(self, position: int, score: float) -> None:
        """An entity with its relations with the character."""
        old = self._entities.get(position)
        if old is None or old.score < score:
            self._entities[position] = entity_item(self._index, position, score, self._question)
        own = self._index.own
        if own is None or own == position:
            return
        for relation in self._index.between(own, position):
            item = relation_item(self._index, relation)
            self._relations.setdefault((relation.source, relation.target, item.text), item)

    def sort(self) -> None:
        """Best first; what has one score stays in the order in which it was found."""
        self._found.entities = sorted(self._entities.values(), key=lambda item: -item.score)
        self._found.relations = sorted(self._relations.values(), key=lambda item: -item.score)


def entity_item(index: GraphIndex, position: int, score: float, question: str = "") -> ContextItem:
    """An entity as a piece of context: its name, other names, and what is said of it.

    Of many names those that the question uses come first. One that nothing but relations name is
    described by them.
    """
    entity = index.entity(position)
    text, sources = entity.description.strip(), entity.sources
    if not text:
        telling = index.touching(position)[:3]
        text = " ".join(relation_item(index, relation).text for relation in telling)
        sources = (*sources, *(s for relation in telling for s in relation.sources))
    return ContextItem(
        "entity", _title(entity, question), text or entity.name, score, _once(sources)
    )


def relation_item(index: GraphIndex, relation: Relation) -> ContextItem:
    """A relation as a piece of context: who to whom, and what it is."""
    title = f"{index.name_of(relation.source)} → {index.name_of(relation.target)}"
    text = relation.description.strip() or title
    score = relation.strength / STRONGEST
    return ContextItem("relation", title, text, score, _once(relation.sources))


_ALIASES_SHOWN = 5


def _title(entity: Entity, question: str) -> str:
    asked = fold(question)
    aliases = sorted(entity.aliases, key=lambda alias: fold(alias) not in asked)
    shown = ", ".join(aliases[:_ALIASES_SHOWN])
    return f"{entity.name} ({shown})" if shown else entity.name


def _once(sources: Iterable[Source]) -> tuple[Source, ...]:
    """One source a chunk, so that a main character does not carry thousands."""
    return tuple({(s.document, s.chunk): s for s in reversed(list(sources))}.values())[::-1]
