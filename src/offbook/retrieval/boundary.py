"""The boundary of what a character knows: what a question names, one call, three branches.

Takes: a question, the character's graph, a model.  Gives: entities, relations and what is out of
scope, each with its reason, and a verdict on the question.
Paper: RoleRAG (001), section 3.4; ours in front of its call: the names that the question and the
texts have. The paper says that a name that nothing was found for is unknown (its published code
forgets to); so does ``rolerag.unmentioned = "out"``. By default the name is within, with a note,
where the model says that it is known: texts are silent on much that a character knows.

The verdict looks at the entities that stand in the question itself or, where none does, at all of
them; the character is never one. An entity is out where the character cannot know of it; in the
paper's way also where it has a name of its own that nothing speaks of. ``out``: all of them are.
``partly``: some. ``in``: none, or nothing was named. Names of the question that the model left out
are looked up, and count for nothing in the verdict. Whom somebody told the character of, before
this question, is known to it from there, whatever the model says.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from offbook.prompts.ask import ask
from offbook.prompts.entities import shortened
from offbook.prompts.extraction import ENTITY_TYPES
from offbook.prompts.question import (
    ANALYSE_QUESTION,
    HYPOTHETICAL_CONTEXT,
    QUESTION_ENTITIES,
    QuestionEntity,
)
from offbook.retrieval.beyond import mentions, unmentioned_words
from offbook.retrieval.name_table import NameInText, NameTable, composed, key_of
from offbook.retrieval.passages import text_of
from offbook.retrieval.point import known_parts, order_of
from offbook.stores import chunks as chunk_rows
from offbook.text.questions import read_question
from offbook.text.words import HAN_FUNCTION, fold, search_terms
from offbook.types import Boundary, BoundaryReason, ContextItem, Skipped, Source, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.graph.assembly import Relation
    from offbook.names.story import Reach
    from offbook.prompts.question import QuestionInputs
    from offbook.protocols import ChatModel, Embedder
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.memory_evidence import MemoryEvidence
    from offbook.retrieval.search import LexicalIndex
    from offbook.settings.methods import RoleragSettings
    from offbook.stores.connection import Connection
    from offbook.types import Entity


MOST_CANDIDATES: Final = 16
"""Names and words of one question whose vectors are made beside the call."""

_LOOKED_AT: Final = 20
"""Chunks that are read to see whether they really write a name that their words allow."""

_WIDE_RUN: Final = re.compile("[\u2e80-\u9fff\u3041-\u30ff\uac00-\ud7ff]{2,}")
_HAN_FUNCTION: Final = re.compile(f"[{HAN_FUNCTION}]+")


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """What a question names.

    Args:
        question: As it is searched for: with what it refers back to in front.
        known: Names of entities of the graph.
        in_texts: Other names and words of the question that the texts use, as written.
        places: Folded name that was looked for in the texts -> the first chunk that speaks of it,
            or None where none does.
        unmentioned: Words of the question that the texts never use.
        candidates: What else the question may name: names first, then words.
    """

    question: str
    known: tuple[NameInText, ...]
    in_texts: tuple[str, ...]
    places: dict[str, str | None]
    unmentioned: tuple[str, ...]
    candidates: tuple[str, ...]

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All that the texts mention, each once."""
        by_fold = {fold(name): name for name in (*(n.text for n in self.known), *self.in_texts)}
        return tuple(by_fold.values())

    @property
    def terms(self) -> frozenset[str]:
        """The search terms of the question."""
        return frozenset(search_terms(self.question))

    @property
    def lacking(self) -> tuple[str, ...]:
        """Words that the texts never use, and names that they have as common words alone."""
        other = (name for name, place in self.places.items() if place is None)
        return (*self.unmentioned, *(name for name in other if len(key_of(name)) == 1))

    def place_of(self, name: str, texts: LexicalIndex) -> tuple[bool, str | None]:
        """Whether the texts speak of a name that the graph lacks, and the first chunk that does.

        A name of several words of which each stands somewhere is not said to be unknown: "Joseph
        Bonaparte" may be "his brother Joseph".
        """
        key = fold(name)
        if key in self.places:
            place = self.places[key]
            several = len(key_of(name)) > 1
            return place is not None or (several and _all_held(name, texts)), place
        if not _all_held(name, texts):
            return False, None
        return True, next(iter(texts.chunks_with(search_terms(name), 1)), None)

    def nearest_candidate(self, name: str) -> int | None:
        """The candidate that shares most words with a name, or None where none shares any."""
        terms = set(search_terms(name)) or set(key_of(name))
        shared = [
            len(terms & (set(search_terms(candidate)) or set(key_of(candidate))))
            for candidate in self.candidates
        ]
        best = max(range(len(shared)), key=lambda place: (shared[place], -place), default=None)
        return best if best is not None and shared[best] else None


def names_of_question(
    conn: Connection, index: GraphIndex, character: str, question: str, reach: Reach | None
) -> QuestionNames:
    """Find what a question names."""
    question = composed(question)
    known = index.names.find(question)
    own_key = frozenset(key_of(index.character))
    read = read_question(question, own_key)
    taken = {word for name in known for word in name.key} | own_key
    names = [name for name in read.names if not set(key_of(name)) <= taken]
    words = [
        term.word
        for term in read.terms
        if term.weight >= 1 and not term.name and not set(key_of(term.word)) <= taken
    ]
    places = _places(conn, index, character, names, reach)
    written = {fold(name) for name in names if places[fold(name)] is not None}
    used = [word for word in words if _all_held(word, index.texts)]
    return QuestionNames(
        question=question,
        known=tuple(known),
        in_texts=tuple([name for name in names if fold(name) in written] + used),
        places=places,
        unmentioned=unmentioned_words(question, index.texts.holds),
        candidates=tuple(_texts_once([*names, *_wide_runs(question), *words])[:MOST_CANDIDATES]),
    )


def _places(
    conn: Connection, index: GraphIndex, character: str, names: list[str], reach: Reach | None
) -> dict[str, str | None]:
    """The first chunk that writes each name, with the capital that it has in the question.

    Equal stems are not enough: somebody who asks after "Apple" does not mean the apples.
    """
    places: dict[str, str | None] = {fold(name): None for name in names}
    order = order_of(conn, character) if names and reach is not None else {}
    for name in names:
        ids = index.texts.chunks_with(search_terms(name), _LOOKED_AT)
        table = NameTable([(name, 0)])
        for chunk in chunk_rows.get_chunks(conn, character, ids):
            parts = [chunk] if reach is None else known_parts(chunk, order, reach)
            written = table.find(text_of(parts)) if parts else []
            if any(w.text[:1].isupper() or not name[:1].isupper() for w in written):
                places[fold(name)] = chunk.id
                break
    return places


def _all_held(name: str, texts: LexicalIndex) -> bool:
    return all(map(texts.holds, search_terms(name)))


def _wide_runs(question: str) -> Iterable[str]:
    """Runs of Han, Kana and Hangul between particles and question words."""
    for match in _WIDE_RUN.finditer(question):
        yield from (run for run in _HAN_FUNCTION.split(match.group()) if len(run) > 1)


def _texts_once(texts: Iterable[str]) -> list[str]:
    return list({fold(text): text for text in reversed(list(texts))}.values())[::-1]


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
        answer = await ask(model, ANALYSE_QUESTION, inputs, documents=documents, retries=retries)
        matrix = await embedding
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)
    entities = tuple(_distinct(answer.entities))
    vectors = {}
    for entity in entities:
        place = names.nearest_candidate(entity.name)
        if place is not None:
            vectors[fold(entity.name)] = matrix[place + 1]
    return Analysis(answer.context, entities, matrix[0], vectors)


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
    answer = await ask(model, QUESTION_ENTITIES, with_context, documents=documents, retries=retries)
    entities = tuple(_distinct(answer.entities))
    texts = [names.question, *(entity.name for entity in entities)]
    matrix = await embedder.embed(texts, "query")
    vectors = {fold(e.name): matrix[place + 1] for place, e in enumerate(entities)}
    return Analysis(context, entities, matrix[0], vectors, complete=True)


def find_context(
    index: GraphIndex,
    names: QuestionNames,
    analysis: Analysis,
    settings: RoleragSettings,
    grounds: tuple[Source, ...] = (),
    evidence: Mapping[str, MemoryEvidence] = MappingProxyType({}),
    types: Sequence[str] = ENTITY_TYPES,
    profile: str = "",
    *,
    at_a_point: bool = False,
) -> Findings:
    """The three branches for every entity, and the verdict on the question.

    Args:
        index: The character's graph.
        names: What the question names.
        analysis: What the model made of it.
        settings: How many, and how near.
        grounds: What the model's verdicts rest on: the sources of the character's profile.
        evidence: Folded name of an entity -> what the character was told of it.
        types: What an entity of the graph may be (``graph.entity_types``).
        profile: The character's summary, which may mention what no chunk was found for.
        at_a_point: Whether a part of the story alone is known: then what no text has mentioned
            yet is unheard of, whatever the model has read of the rest.
    """
    branches = _Branches(
        index, names, analysis, settings, grounds, evidence, types, profile, at_a_point=at_a_point
    )
    return branches.run()


def names_to_look_up(index: GraphIndex, analysis: Analysis) -> list[str]:
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
    findings = Findings()
    collected = _Collected(index, findings, names.question)
    for name in names.known:
        for place in name.entities:
            collected.specific(place, 1.0)
    findings.passages = [chunk for chunk in names.places.values() if chunk is not None]
    collected.sort()
    return findings


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
        evidence: Mapping[str, MemoryEvidence],
        types: Sequence[str],
        profile: str,
        *,
        at_a_point: bool,
    ) -> None:
        self._index, self._names, self._analysis = index, names, analysis
        self._settings, self._grounds = settings, grounds
        self._told, self._types = evidence, types
        self._profile, self._at_a_point = profile, at_a_point
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
        for place in sorted(positions, key=lambda place: -float(self._near[place])):
            self._collected.specific(place, 1.0)

    def _specific(self, entity: QuestionEntity, positions: Sequence[int]) -> None:
        self._look_up(positions)
        if positions:
            return
        near = self._bearing(entity.name) or self._similar(entity.name)
        for place, score in near:
            self._collected.specific(place, score)
        spoken_of, chunk = self._names.place_of(entity.name, self._index.texts)
        if chunk is not None:
            self._found.passages.append(chunk)
        was_told = fold(entity.name.strip()) in self._told
        if near or spoken_of or was_told:
            return
        trusting = self._settings.unmentioned == "in"
        if trusting and self._is_described(entity.name):
            return
        if trusting and not self._at_a_point and self._in_question(entity.name):
            why = "nothing in the texts mentions it"
            self._reasons.append(BoundaryReason(entity.name, why))
        else:
            self._not_found(entity)

    def _is_described(self, name: str) -> bool:
        """Whether summary or descriptions speak of it; these entities are found then."""
        describing = self._index.describing(name)[: self._settings.k]
        for place in describing:
            self._collected.specific(place, _PART_OF_NAME)
        return bool(describing) or mentions(self._profile, name)

    def _bearing(self, part: str) -> list[tuple[int, float]]:
        """Who may be called so by a part of a name, the nearest to the question first."""
        people = self._index.bearing(part) if self._settings.parts_of_names else []
        ranked = sorted(people, key=lambda place: -float(self._near[place]))
        return [(place, _PART_OF_NAME) for place in ranked[: self._settings.k]]

    def _similar(self, name: str) -> list[tuple[int, float]]:
        vector = self._analysis.vectors.get(fold(name))
        if vector is None:
            return []
        return self._index.similar(vector, self._settings.k, self._settings.threshold)

    def _was_told(self, name: str) -> bool:
        """Whether the character was told of it; then the memories that say so are found."""
        evidence = self._told.get(fold(name.strip()))
        if evidence is None:
            return False
        self._found.told += [item for item in evidence.items if item not in self._found.told]
        sentence = shortened(evidence.sentence, _REASON)
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
        for place, strength in near:
            self._collected.specific(place, strength / STRONGEST)
        if not near and not positions:
            why = f"no {entity.type} in the graph is linked to this character"
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

    def __init__(self, index: GraphIndex, findings: Findings, question: str) -> None:
        self._index, self._found, self._question = index, findings, question
        self._entities: dict[int, ContextItem] = {}
        self._relations: dict[tuple[str, str, str], ContextItem] = {}

    def specific(self, position: int, score: float) -> None:
        """An entity with its relations with the character."""
        old = self._entities.get(position)
        if old is None or old.score < score:
            self._entities[position] = entity_item(self._index, position, score, self._question)
        self_position = self._index.own
        if self_position is None or self_position == position:
            return
        for relation in self._index.between(self_position, position):
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
    folded = fold(question)
    aliases = sorted(entity.aliases, key=lambda alias: fold(alias) not in folded)
    shown = ", ".join(aliases[:_ALIASES_SHOWN])
    return f"{entity.name} ({shown})" if shown else entity.name


def _once(sources: Iterable[Source]) -> tuple[Source, ...]:
    """One source a chunk, so that a main character does not carry thousands."""
    return tuple({(s.document, s.chunk): s for s in reversed(list(sources))}.values())[::-1]
