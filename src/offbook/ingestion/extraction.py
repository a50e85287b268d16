"""What is made of each chunk alone: entities and relations by a model, terms without one.

Small chunks that follow one another share a call, and each keeps what is said of it; what no answer
could be got for goes into quarantine.
Paper: RoleRAG (001), section 3.1. All windows are asked about at once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook import registry
from offbook.errors import AnswerError, InputRefused
from offbook.graph.mentions import find_mention, find_mentions
from offbook.ingestion.reports import Steps, begin_jobs
from offbook.models.batching import run_all
from offbook.models.beside import worked_out
from offbook.names.character import learn_names
from offbook.names.identity import in_words, name_key
from offbook.names.person import is_person
from offbook.prompts.ask import ask
from offbook.prompts.extraction import Extraction as ExtractionAnswer
from offbook.prompts.extraction import (
    ExtractionInputs,
    KeyedRelation,
    Section,
    extraction,
    plain,
)
from offbook.retrieval.search import ANALYZER, encode_terms
from offbook.stores import chunks, graph, jobs
from offbook.text.encodings import token_counter
from offbook.text.grammar import MONTHS_AND_DAYS, word_set
from offbook.text.sentences import sentences
from offbook.text.words import fold
from offbook.types import Chunk, RawEntity, RawRelation, traits_of

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.batching import Asking
    from offbook.prompts.extraction import ExtractedEntity, ExtractedRelation
    from offbook.protocols import ChatModel, Store
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.text.encodings import TokenCounter


_AT_ONCE: Final = 512
"""Chunks that are read and written together."""


async def index_terms(store: Store, character: str) -> None:
    """Make the terms for lexical search that chunks lack, or have of an older analyzer."""
    while pending := await store.read(chunks.without_terms, character, ANALYZER, _AT_ONCE):
        texts = [chunk.text_with_headings for chunk in pending]
        packed = [await worked_out(encode_terms, text) for text in texts]
        terms = {chunk.id: blob for chunk, blob in zip(pending, packed, strict=True)}
        await store.write(chunks.set_terms, character, ANALYZER, terms)


@dataclass(slots=True)
class Extraction:
    """One run over the chunks that were not extracted yet.

    Args:
        runtime: Where results go, and what is looked for.
        character: Id of the character.
        every: The chunks of the story in its order.
        pending: Those to extract, from :func:`unextracted`.
        asking: The extractor.
        progress: Called after every call.
    """

    runtime: Runtime
    character: str
    every: Sequence[Chunk]
    pending: Sequence[Chunk]
    asking: Asking
    progress: ProgressListener
    _steps: Steps = field(init=False)
    _before: dict[str, str] = field(init=False, default_factory=dict)
    _names: Mapping[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _left: dict[str, int] = field(init=False, default_factory=dict)
    _listed: dict[str, ExtractedEntity] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._steps = Steps("extracting", self.progress)

    async def run(self) -> None:
        """Ask about every chunk, and store the answer or put the chunk aside.

        Raises:
            ModelError: the endpoint failed for good.
            BudgetReached: the next call would go over the budget.
        """
        if not self.pending:
            return
        store, settings = self.runtime.store, self.runtime.settings
        await store.write(begin_jobs, self.character, jobs.EXTRACT, self.pending)
        self._steps.begin(len(self.pending))
        if settings.graph.window:
            self._before = {
                later.id: last_sentence(earlier.text)
                for earlier, later in pairwise(self.every)
                if earlier.document == later.document
            }
            if not traits_of(self.asking.model).free:  # the rules read one section at a time
                self._names = await worked_out(names_so_far, self.asking.character, self.every)
        count = token_counter(settings.tokens.encoding)
        windows = windows_of(self.every, self.pending, settings.graph.window, count)
        await run_all([partial(self._extract, window) for window in windows])
        # A weak model reads the beginning of a window only: it is asked about the rest once more.
        left = [chunk for chunk in self.every if self._left.get(chunk.id)]
        again = windows_of(left, left, settings.graph.window, count)
        again.sort(key=lambda window: -sum(self._left[chunk.id] for chunk in window))
        again = again[: calls_left(self.pending, len(windows))]
        for chunk in chain.from_iterable(again):
            del self._left[chunk.id]
        await run_all([partial(self._extract, window, again=True) for window in again])
        await self._keep([(c, self._names_alone(c)) for c in self.every if c.id in self._left])

    def _inputs(self, window: Sequence[Chunk]) -> ExtractionInputs:
        return ExtractionInputs(
            self.asking.character,
            tuple(Section(chunk.heading_path, chunk.text) for chunk in window),
            tuple(self.runtime.settings.graph.entity_types),
            self._before.get(window[0].id, ""),
            self._names.get(window[-1].id, ()),
            keywords=self.runtime.settings.graph.keywords,
        )

    async def _extract(self, window: Sequence[Chunk], *, again: bool = False) -> None:
        """Ask about a window, and store what is said of each of its chunks, or put it aside.

        Chunks that the answer passes over are left: whether to be asked about again is seen when
        all windows are answered.
        """
        asking, inputs = self.asking, self._inputs(window)
        documents = asking.documents([chunk.id for chunk in window])
        shape = partial(extraction, inputs.types, len(window), keywords=inputs.keywords)
        try:
            answer = await ask(
                asking.model, shape(), inputs, documents=documents, retries=asking.retries
            )
            if self.runtime.settings.graph.gleaning:
                known = tuple(dict.fromkeys(clean(entity.name) for entity in answer.entities))
                missed = await ask(
                    asking.model,
                    shape("glean"),
                    replace(inputs, found=known),
                    documents=documents,
                    retries=asking.retries,
                )
                answer = ExtractionAnswer(
                    entities=[*answer.entities, *missed.entities],
                    relations=[*answer.relations, *missed.relations],
                )
        except (AnswerError, InputRefused) as error:
            if len(window) > 1:
                # One chunk may spoil the whole: the halves are asked about on their own.
                half = len(window) // 2
                parts = window[:half], window[half:]
                await run_all([partial(self._extract, part, again=again) for part in parts])
                return
            subject = [window[0].id]
            await self.runtime.store.write(
                jobs.quarantine, self.character, jobs.EXTRACT, subject, error.message
            )
            self._steps.add(1)
            return
        dates = self.runtime.settings.graph.dates
        self._listed.update({entity.name: entity for entity in answer.entities})
        answers = by_section(inputs.sections, answer)
        reads_all = traits_of(asking.model).free  # rules pass nothing over
        empty = [n for n, one in enumerate(answers) if not (one.entities or reads_all)]
        if again:
            alone = {n: self._names_alone(window[n]) for n in empty}
        else:
            lacking = await self._lacking(inputs, empty, answer) if empty else ()
            self._left.update(zip((window[n].id for n in empty), lacking, strict=True))
            alone = {}
        await self._keep(
            [
                (chunk, alone.get(n) or read_extraction(chunk, one, dates=dates))
                for n, (chunk, one) in enumerate(zip(window, answers, strict=True))
                if chunk.id not in self._left
            ]
        )

    async def _lacking(
        self, inputs: ExtractionInputs, empty: Sequence[int], answer: ExtractionAnswer
    ) -> list[int]:
        """Count by rules the persons of each of these sections whom the answer lacks."""
        rules: ChatModel = registry.load("model", "offline")()
        sections = tuple(inputs.sections[n] for n in empty)
        lacking = replace(inputs, sections=sections)
        by_rules = await ask(rules, extraction(inputs.types, len(sections)), lacking)
        return [
            len(persons_lacking(one.entities, answer.entities))
            for one in by_section(sections, by_rules)
        ]

    def _names_alone(self, chunk: Chunk) -> Found:
        """Read of a chunk that was passed over what this run has listed of others."""
        dates = self.runtime.settings.graph.dates
        names = names_alone(chunk.text, self._listed.values())
        read = read_extraction(chunk, names, dates=dates)
        return read._replace(note=_PASSED_OVER if read.mentions else "")

    async def _keep(self, readings: Sequence[tuple[Chunk, Found]]) -> None:
        await self.runtime.store.write(self._put, readings)
        self._steps.add(len(readings))

    def _put(self, conn: Connection, readings: Sequence[tuple[Chunk, Found]]) -> None:
        for chunk, (mentions, relations, note) in readings:
            graph.put_raw_entities(conn, self.character, mentions)
            graph.put_relations(conn, self.character, relations)
            jobs.finish(conn, self.character, jobs.EXTRACT, [chunk.id], note)


_SHORT_KB: Final = 20
_CALLS_A_KB: Final = (1.2, 0.6)
"""What a text costs at most, below so many KB of 1,024 bytes and from there on."""
_ALWAYS: Final = 4
_BESIDE: Final = 2
"""One look at all names, and the summary."""
_OF_WINDOW: Final = 5 / 3
"""The call about a window, and what its names bring: a call in two windows to merge what is said of
them, and one in six to look at all names (novels and made-up lives with many headings)."""


def calls_left(pending: Sequence[Chunk], windows: int) -> int:
    """Return how many calls may ask about passages again, beside all that a text costs anyway."""
    kilobytes = sum(len(chunk.text.encode()) for chunk in pending) / 1024
    most = max(_ALWAYS, kilobytes * _CALLS_A_KB[kilobytes >= _SHORT_KB])
    return max(0, int(most - _BESIDE - _OF_WINDOW * windows))


def persons_lacking(
    entities: Iterable[ExtractedEntity], listed: Iterable[ExtractedEntity]
) -> set[str]:
    """Return the keys of persons none of whose forms is listed: "Ana" is one of "Ana Bell"."""
    known = [in_words(name_key(entity.name)) for entity in listed]
    sought = {in_words(name_key(entity.name)) for entity in entities if is_person(entity.type)}
    return {key for key in sought if not any(key in name or name in key for name in known)}


def windows_of(
    every: Sequence[Chunk], pending: Sequence[Chunk], most: int, count: TokenCounter
) -> list[list[Chunk]]:
    """Fill windows with pending chunks that follow one another in one document.

    Args:
        every: The chunks of the story in its order; those without words part nothing.
        pending: Those to extract.
        most: Tokens of a window; a longer chunk stands alone, and with 0 every one does.
        count: Counts the tokens of a text.
    """
    ids = {chunk.id for chunk in pending}
    windows: list[list[Chunk]] = []
    held, before = 0, ""
    for chunk in filter(has_words, every):
        if chunk.id not in ids:
            before = ""
            continue
        tokens = count(chunk.text)
        if chunk.document == before and held + tokens <= most:
            windows[-1].append(chunk)
            held += tokens
        else:
            windows.append([chunk])
            held = tokens
        before = chunk.document
    return windows


_NAMES_SHOWN: Final = 12


def names_so_far(character: str, every: Sequence[Chunk]) -> dict[str, tuple[str, ...]]:
    """Map each chunk to what the character is called up to its end, as the texts spell it.

    A later name stands over no earlier passage: an assumed name is not given away.
    """
    known: dict[str, str] = {}
    names: dict[str, tuple[str, ...]] = {}
    for chunk in every:
        # A gender is given so that it is not looked for: the names do not depend on it.
        learned = learn_names(character, chunk.headings, (chunk.text,), "f")
        for alias in sorted(learned.aliases):
            if MONTHS_AND_DAYS.issuperset(alias):
                continue  # "Anne, born August 9"
            if len(known) < _NAMES_SHOWN and (key := " ".join(alias)) not in known:
                text = chunk.text_with_headings
                if (span := find_mention(text, key)) is not None:
                    known[key] = clean(text[slice(*span)])
        names[chunk.id] = tuple(known.values())
    return names


def last_sentence(text: str) -> str:
    """Return the last sentence of ``text``, at most ``_CONTEXT_CHARS`` characters of its end."""
    spans = sentences(text)
    return " ".join(text[slice(*spans[-1])].split())[-_CONTEXT_CHARS:] if spans else ""


_CONTEXT_CHARS: Final = 300


def by_section(sections: Sequence[Section], answer: ExtractionAnswer) -> list[ExtractionAnswer]:
    """Part the answer to a window by its sections.

    What bears the number of a section that does not name it belongs to the last one that does:
    nothing is kept with an earlier section than the one it was read in.
    """
    texts = [plain(f"{section.headings} {section.passage}") for section in sections]

    def home(number: int, *names: str) -> int:
        sought = [plain(name) for name in names]
        naming = [n for n, text in enumerate(texts, 1) if all(name in text for name in sought)]
        return number if number in naming or not naming else naming[-1]

    entities = [(home(entity.section, entity.name), entity) for entity in answer.entities]
    relations = [(home(one.section, one.source, one.target), one) for one in answer.relations]
    return [
        ExtractionAnswer(
            entities=[entity for section, entity in entities if section == number],
            relations=[relation for section, relation in relations if section == number],
        )
        for number in range(1, len(sections) + 1)
    ]


_PASSED_OVER: Final = "the model passed it over: only names listed elsewhere are kept of it"


def names_alone(passage: str, listed: Iterable[ExtractedEntity]) -> ExtractionAnswer:
    """List what stands in a passage of that which is listed of others, without a description."""
    text = f" {name_key(passage)} "
    names = {key: entity for entity in listed if (key := name_key(entity.name))}
    return ExtractionAnswer(
        entities=[
            entity.model_copy(update={"section": 1, "description": "", "aliases": []})
            for key, entity in names.items()
            if in_words(key) in text
        ],
        relations=[],
    )


def unextracted(conn: Connection, character: str, every: Iterable[Chunk]) -> list[Chunk]:
    """List the chunks that no answer is stored for and that may mention somebody."""
    done = {
        job.subject for job in jobs.list_jobs(conn, character, kind=jobs.EXTRACT, statuses={"done"})
    }
    return [chunk for chunk in every if chunk.id not in done and has_words(chunk)]


class Found(NamedTuple):
    """What a chunk mentions, and a note on what was left out of the answer, or nothing."""

    mentions: list[RawEntity]
    relations: list[RawRelation]
    note: str


def read_extraction(chunk: Chunk, answer: ExtractionAnswer, *, dates: bool = False) -> Found:
    """Make raw entities and relations of an answer, with the place of each name in the chunk.

    An entity that is listed twice is one mention with both descriptions. A relation's end that is
    not listed becomes a mention of its own, without a type: a name is not lost because a model
    forgot to list it. So does another name of an entity, described by the words that state it.

    Args:
        chunk: The chunk.
        answer: What is said of it.
        dates: Whether a date alone is an entity; else what relates it is told of the other end.
    """
    listing = _Listing()
    unproven = sum(
        listing.add_entity(chunk, entity)
        for entity in answer.entities
        if dates or entity.type.casefold() not in _TIMES or not is_date(clean(entity.name))
    )
    known = frozenset(key for key, _ in listing.by_key)
    relations: list[RawRelation] = []
    for relation in answer.relations:
        a, b, text = clean(relation.source), clean(relation.target), clean(relation.description)
        ends = [n for n in (a, b) if dates or (name_key(n) or n) in known or not is_date(n)]
        if len(ends) == 2:
            place = len(relations)
            identity = _id(chunk.id, "r", place, a, b)
            strength = float(relation.strength)
            keys = keywords_of(relation)
            relations.append(RawRelation(identity, chunk.id, place, a, b, text, strength, keys))
        for name in ends:
            listing.add_end(name, text, known, is_alone=len(ends) == 1)
    note = f"other names left out, since the section does not state them: {unproven}"
    return Found(listing.mentions(chunk), relations, note if unproven else "")


@dataclass(slots=True)
class _Listed:
    """A name of an answer, and what it says of it."""

    name: str
    told: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Listing:
    """The names of an answer by their keys and types, in the order in which they are listed."""

    by_key: dict[tuple[str, str], _Listed] = field(default_factory=dict)

    def _listed(self, name: str, kind: str) -> _Listed:
        return self.by_key.setdefault((name_key(name) or name, kind), _Listed(name))

    def add_entity(self, chunk: Chunk, entity: ExtractedEntity) -> int:
        """List an entity with the names that the chunk states; count those that it does not."""
        kind, unproven = clean(entity.type), 0
        bearer = self._listed(clean(entity.name), kind)
        bearer.told.append(clean(entity.description))
        text = plain(chunk.text_with_headings)
        for alias in entity.aliases:
            name, evidence = clean(alias.called), clean(alias.evidence)
            if (
                not (name_key(name) and name_key(evidence))
                or plain(name) not in text
                or plain(evidence) not in text
            ):
                unproven += 1
            elif name_key(name) != name_key(bearer.name):
                bearer.aliases.append(name)
                self._listed(name, kind).told.append(evidence)
        return unproven

    def add_end(self, name: str, description: str, known: Set[str], *, is_alone: bool) -> None:
        """List the end of a relation, if it is not known; one ``is_alone`` is told all of it."""
        key = name_key(name) or name
        if key not in known:
            self._listed(name, "").told.append(description)
        elif is_alone:
            next(one for (k, _), one in self.by_key.items() if k == key).told.append(description)

    def mentions(self, chunk: Chunk) -> list[RawEntity]:
        """All that is listed, with its place in the chunk."""
        spans = find_mentions(chunk.text, [one.name for one in self.by_key.values()])
        made = []
        for place, ((_, kind), one) in enumerate(self.by_key.items()):
            start, end = spans[one.name] or (None, None)
            text = " ".join(dict.fromkeys(part for part in one.told if part))
            identity = _id(chunk.id, "e", place, one.name, kind)
            aliases = tuple(dict.fromkeys(one.aliases))
            made.append(
                RawEntity(identity, chunk.id, place, one.name, kind, text, start, end, aliases)
            )
        return made


def keywords_of(relation: ExtractedRelation) -> tuple[str, ...]:
    """The keywords of a relation, where they were asked for; none is blank or there twice."""
    keywords = relation.keywords if isinstance(relation, KeyedRelation) else ()
    return tuple(dict.fromkeys(key for key in map(clean, keywords) if any(map(str.isalnum, key))))


_TIMES: Final = frozenset(("time", "date", "period", "era", "year"))
_DATE_WORDS: Final = MONTHS_AND_DAYS | word_set(
    "the of in on at to a an about around circa c ca early late mid day year ad bc bce ce st nd rd"
    " th s spring summer autumn winter fall morning noon evening night 年 月 日 년 월 일"
)
_DATE_PART: Final = re.compile(r"\d+|[年月日년월일]|[^\W\d_]+")


def is_date(name: str) -> bool:
    """Tell whether a name is a date alone: numbers, and words of the calendar."""
    parts = _DATE_PART.findall(fold(name))
    numbers = [part for part in parts if part.isdecimal()]
    return bool(numbers) and all(part in _DATE_WORDS for part in parts if part not in numbers)


def clean(text: str) -> str:
    """Put a text on one line, without what some database cannot store."""
    line = " ".join(text.replace("\0", "\ufffd").split())
    return line.encode("utf-8", "replace").decode("utf-8")


def has_words(chunk: Chunk) -> bool:
    """Tell whether there is anything to ask about: a row of stars costs no call."""
    return any(map(str.isalnum, chunk.text))


def _id(*parts: object) -> str:
    text = "\0".join(str(part) for part in parts)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()
