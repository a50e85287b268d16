"""Offline merging: the best-known of several names, and several descriptions as one.

Takes: inputs of the prompts ``merge_entities`` and ``merge_relations``.  Gives: one of the given
names and the given sentences without repetition, the most telling first. Source: ours; extractive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from offbook.prompts import entities
from offbook.rules.describing import ALSO_KNOWN
from offbook.rules.name_words import FAMILY_NAMES_OF_ADDRESS, HEADS, OCCUPATIONS, PERSON_TITLES
from offbook.rules.relating import strength_of
from offbook.text.grammar import NAME_PARTICLES, NUMERALS
from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens
from offbook.text.words import fold, words

_MOST_WORDS: Final = 80
_MOST_SENTENCES: Final = 3
_SAME: Final = 0.75
_FULL: Final = 5
_LONG: Final = 4
_OFFICE: Final = 1.7
_PLACE: Final = 1.5
"""Between a title alone (1) and a lone name (2)."""
_IS_A: Final = re.compile(
    r"(?:, | (?:is|was|are|were|became) )(?:also )?(?:an?|the|one of|his|her) ", re.IGNORECASE
)
_BORN: Final = re.compile(r"\b(?:born|died|son of|daughter of|native|founded|capital)\b")
_POSSESSIVES: Final = frozenset(("my", "his", "her", "our", "their", "your"))


def merge_entities(inputs: entities.MergeEntitiesInputs) -> entities.MergeEntitiesAnswer:
    """One name and one description an entity."""
    return entities.MergeEntitiesAnswer(
        items=[
            entities.MergedEntity(
                item=number, name=canonical_name(entity), description=_entity_description(entity)
            )
            for number, entity in enumerate(inputs.entities, 1)
        ]
    )


def merge_relations(inputs: entities.MergeRelationsInputs) -> entities.MergeRelationsAnswer:
    """One description a relation."""
    return entities.MergeRelationsAnswer(
        items=[
            entities.MergedRelation(item=number, description=_relation_description(relation))
            for number, relation in enumerate(inputs.relations, 1)
        ]
    )


def canonical_name(entity: entities.EntityToMerge) -> str:
    """The given name that readers know best; always one of ``entity.names``.

    A full proper name goes before a title with a name, that before a lone name, that before an
    office ("Count of Low") and a title alone, and all before a description; among equals what the
    descriptions say most. The place of an office is no better name for its holder.
    """
    places = {fold(name.split()[-1]) for name in entity.names if _fullness(name) == _OFFICE}
    described = " ".join(fold(description) for description in entity.descriptions)

    def rank(item: tuple[int, str]) -> tuple[float, int, int, int, int]:
        order, name = item
        fullness = _fullness(name) if fold(name) not in places else _PLACE
        often = heard(fold(name), described)
        shouted = name.isupper() and len(name) > 3
        return (fullness, -shouted, min(often, 99), min(len(name), 40), -order)

    candidates = [(order, name) for order, name in enumerate(entity.names) if name.strip()]
    return max(candidates, key=rank)[1] if candidates else next(iter(entity.names), "")


def heard(name: str, text: str) -> int:
    """How often a text has a name as whole words; a pattern would be compiled for each name."""
    count, index = 0, text.find(name) if name else -1
    while index >= 0:
        end = index + len(name)
        whole = not (_is_letter(text[index - 1 : index]) or _is_letter(text[end : end + 1]))
        count += whole
        index = text.find(name, end if whole else index + 1)
    return count


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def _fullness(name: str) -> float:
    """From 0, a description, to 5, a full proper name."""
    parts = [part.strip(".,'’\"“”") for part in name.split()]
    lows = [fold(part) for part in parts if part]
    if not lows or lows[0] in _POSSESSIVES:
        return 0
    if lows[0] in ("the", "a", "an"):
        lows, parts = lows[1:], parts[1:]
    titles = [low for low in lows if low in PERSON_TITLES | FAMILY_NAMES_OF_ADDRESS]
    proper = [
        part
        for part, low in zip(parts, lows, strict=False)
        if part[:1].isupper() and low not in NUMERALS | PERSON_TITLES | NAME_PARTICLES
    ]
    wide = any(ord(character) > 0x2E80 for character in name)
    if wide:
        return 3
    if not proper:
        return 1 if titles and any(part[:1].isupper() for part in parts) else 0
    if all(low in OCCUPATIONS for low in lows):
        return 1
    return _of_proper(lows, len(proper), titled=bool(titles))


def _of_proper(lows: list[str], proper: int, *, titled: bool) -> float:
    if not titled and any(low in HEADS for low in lows):
        return _FULL if proper > 1 else 3
    if titled and "of" in lows[1:]:
        return _OFFICE  # its holder is better known by name
    if proper >= _LONG:
        return 3 if titled else 2
    if proper > 1:
        return 4 if titled else _FULL
    return 3 if titled or any(low in NUMERALS for low in lows[1:]) else 2


def _entity_description(entity: entities.EntityToMerge) -> str:
    texts = _sentences(entity.descriptions)
    names = [fold(name) for name in entity.names]

    def worth(sentence: str) -> float:
        plain = fold(sentence)
        begins = any(plain.startswith(name) for name in names if name)
        score = 2.0 * bool(_IS_A.search(sentence)) * (1.5 if begins else 0.6)
        score += 1.5 * bool(ALSO_KNOWN.search(sentence)) + 1.0 * bool(_BORN.search(sentence))
        return score + 0.5 * begins

    return _joined(texts, worth, _MOST_WORDS, len(texts)) or next(iter(entity.names), "") or "?"


def _relation_description(relation: entities.RelationToMerge) -> str:
    texts = _sentences(relation.descriptions)

    def worth(sentence: str) -> float:
        return float(strength_of(words(sentence)))

    joined = _joined(texts, worth, _MOST_WORDS, _MOST_SENTENCES)
    return joined or f"{relation.source} – {relation.target}"


def _sentences(descriptions: Sequence[str]) -> list[str]:
    """The sentences of all descriptions in their order, none that only repeats another."""
    chosen: list[tuple[str, frozenset[str]]] = []
    for description in descriptions:
        for start, end in sentences(description):
            text = " ".join(description[start:end].split())
            mine = frozenset(words(text)) or frozenset((text,))
            if any(_repeats(mine, other) for _, other in chosen):
                continue
            chosen = [item for item in chosen if not item[1] < mine]
            chosen.append((text, mine))
    return [text for text, _ in chosen]


def _repeats(mine: frozenset[str], other: frozenset[str]) -> bool:
    return len(mine & other) >= _SAME * len(mine) and len(mine) <= len(other) + 2


def _joined(
    texts: list[str], worth: Callable[[str], float], most_words: int, most_sentences: int
) -> str:
    """The worthiest sentences that fit, the very best first and the others in their order."""
    ranked = sorted(range(len(texts)), key=lambda index: (-worth(texts[index]), index))
    chosen: list[int] = []
    room = most_words
    for index in ranked:
        size = _size(texts[index])
        if len(chosen) < most_sentences and size <= room:
            chosen.append(index)
            room -= size
    if not chosen:
        return _cut(texts[ranked[0]], most_words) if ranked else ""
    best, rest = chosen[0], sorted(chosen[1:])
    return " ".join(texts[index] for index in (best, *rest))


def _size(text: str) -> int:
    """Words; in scripts without blanks about two characters are one."""
    blanks = len(text.split())
    return max(blanks, count_tokens(text) // 2 if blanks <= 1 else blanks)


def _cut(text: str, most_words: int) -> str:
    parts = text.split()
    if len(parts) > 1:
        return " ".join(parts[:most_words]) + "…"
    return text[: 2 * most_words] + "…"
