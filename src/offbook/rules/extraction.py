"""Offline extraction: what a passage mentions and how it relates, by rules.

Takes: the inputs of the prompts ``extract`` and ``glean``.  Gives: of each section entities with
descriptions in sentences of its passage, and directed relations between them; what a section gives
does not depend on those beside it, and instructions in it are only text.
Paper: RoleRAG (001), section 3.1; rules take the place of its model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from offbook.prompts.extraction import (
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    ExtractionInputs,
    KeyedRelation,
    Section,
)
from offbook.rules.describing import description
from offbook.rules.entity_kinds import Kind
from offbook.rules.languages import language_of
from offbook.rules.named_entities import Named, named_entities
from offbook.rules.passage_words import Passage, read_passage
from offbook.rules.relating import Related, binding_words, relations
from offbook.text.sentences import sentences
from offbook.text.words import fold

_MOST_ENTITIES: Final = 30
_MOST_RELATIONS: Final = 30
_MOST_GLEANED: Final = 30
_NAME_CHARS: Final = 200
_SPEAKS: Final = 2
_SYNONYMS: Final[Mapping[Kind, str]] = {
    "character": "person people human figure individual name 人物 角色 인물",
    "location": "place geo city country region gpe setting 地点 場所 장소",
    "time": "date period era year 时间 時間 시간",
    "event": "battle war incident happening 事件 사건",
    "organization": "organisation group company institution faction 组织 組織 조직",
    "object": "thing item artifact artefact work product 物品 사물",
}
"""What people call our kinds where they configure types of their own."""
_CATCH_ALL: Final = ("other", "misc", "miscellaneous", "concept", "entity", "thing", "其他")


def extract(inputs: ExtractionInputs) -> Extraction:
    """The most salient entities of each section, and the strongest relations between them."""
    return _of_all(inputs, _extracted)


def glean(inputs: ExtractionInputs) -> Extraction:
    """What the first pass left out: less salient entities, and further relations."""
    return _of_all(inputs, _gleaned)


_Found = tuple[list[ExtractedEntity], list[ExtractedRelation]]


def _of_all(
    inputs: ExtractionInputs, find: Callable[[ExtractionInputs, Section, int], _Found]
) -> Extraction:
    extracted = [find(inputs, section, number) for number, section in enumerate(inputs.sections, 1)]
    related = [relation for _, relations in extracted for relation in relations]
    if inputs.keywords:
        related = [
            KeyedRelation(**dict(relation), keywords=binding_words(relation.description))
            for relation in related
        ]
    return Extraction(
        entities=[entity for entities, _ in extracted for entity in entities], relations=related
    )


def _extracted(inputs: ExtractionInputs, section: Section, number: int) -> _Found:
    passage, entities, speaker = _read(inputs, section)
    kinds = _types(inputs.types)
    first = entities[:_MOST_ENTITIES]
    related = relations(passage, first, speaker)[:_MOST_RELATIONS]
    if not first:
        return _of_the_character(inputs, section, number), []
    return _answer(passage, first, first, related, kinds, number)


def _gleaned(inputs: ExtractionInputs, section: Section, number: int) -> _Found:
    passage, entities, speaker = _read(inputs, section)
    first = entities[:_MOST_ENTITIES]
    known = {_plain(name) for name in inputs.found}
    new = [entity for entity in entities if _plain(entity.name) not in known][:_MOST_GLEANED]
    ends = [entity for entity in entities if entity in new or _plain(entity.name) in known]
    given = {(r.source, r.target) for r in relations(passage, first, speaker)[:_MOST_RELATIONS]}
    more = [r for r in relations(passage, ends, speaker) if (r.source, r.target) not in given]
    kinds = _types(inputs.types)
    return _answer(passage, new, ends, more[:_MOST_RELATIONS], kinds, number)


def _read(inputs: ExtractionInputs, section: Section) -> tuple[Passage, list[Named], Named | None]:
    """The passage, the entities of the configured types, and whom "I" means."""
    passage = read_passage(section.passage)
    if language_of(section.passage) != "en":
        from offbook.rules.wide_names import wide_entities

        entities = wide_entities(passage, inputs.character)
    else:
        entities = named_entities(passage, inputs.character)
    kinds = _types(inputs.types)
    entities = [
        entity
        for entity in entities
        if entity.kind in kinds and 0 < len(entity.name) <= _NAME_CHARS
    ]
    speaker = _speaker(inputs.character, section.headings, passage, entities)
    if speaker is not None and speaker not in entities and "character" in kinds:
        entities.insert(0, speaker)
    return passage, entities, speaker


def _of_the_character(
    inputs: ExtractionInputs, section: Section, number: int
) -> list[ExtractedEntity]:
    """The character, where a passage names nobody, described where a heading names it."""
    spans = sentences(section.passage)
    has_words = any(character.isalnum() for character in section.passage)
    if not (spans and has_words and any(map(str.isalnum, inputs.character))):
        return []
    kinds = _types(inputs.types)
    named = _plain(inputs.character) in _plain(section.headings)
    return [
        ExtractedEntity(
            section=number,
            name=" ".join(inputs.character.split())[:_NAME_CHARS],
            type=kinds.get("character", inputs.types[0]),
            description=" ".join(section.passage[slice(*spans[0])].split()) if named else "",
            aliases=[],
        )
    ]


def _answer(
    passage: Passage,
    entities: Sequence[Named],
    ends: Sequence[Named],
    related: Sequence[Related],
    kinds: Mapping[Kind, str],
    number: int,
) -> _Found:
    names = {entity.key: entity.name for entity in ends}
    listed = [
        ExtractedEntity(
            section=number,
            name=entity.name,
            type=kinds[entity.kind],
            description=description(passage, entity),
            aliases=[],
        )
        for entity in entities
    ]
    return listed, [
        ExtractedRelation(
            section=number,
            source=names[relation.source],
            target=names[relation.target],
            description=relation.description,
            strength=relation.strength,
        )
        for relation in related
        if relation.source in names and relation.target in names
    ]


def _plain(name: str) -> str:
    return " ".join(fold(name).split())


def _types(configured: Sequence[str]) -> dict[Kind, str]:
    """Our kinds to the configured types: by name, by a synonym, else a catch-all or nothing."""
    by_name = {fold(name): name for name in reversed(configured)}
    rest = next((by_name[fold(name)] for name in _CATCH_ALL if fold(name) in by_name), None)
    types: dict[Kind, str] = {}
    for kind, synonyms in _SYNONYMS.items():
        names = (kind, *synonyms.split())
        known = next((by_name[fold(name)] for name in names if fold(name) in by_name), rest)
        if known is not None:
            types[kind] = known
    return types


def _speaker(
    character: str, headings: str, passage: Passage, entities: Sequence[Named]
) -> Named | None:
    """Whom "I" means: the character, where a heading names it and the passage says "I"."""
    spans = tuple(
        (index, index + 1)
        for index, token in enumerate(passage.tokens)
        if token.text == "I" and not token.quoted
    )
    key = _plain(character)
    named = any(map(str.isalnum, key)) and key in _plain(headings)
    if len(spans) < _SPEAKS or not named:
        return None
    known = (one for one in entities if one.kind == "character" and _plain(one.name) == key)
    fresh = Named(" ".join(character.split()), key, "character", spans, 0.0)
    return next(known, fresh)
