"""What a passage reveals of the character, by rules: deeds, habits, judgements, feelings.

Takes: the inputs of the trait prompts.  Gives: verdicts, and the passage's own sentences that show
something, told apart by what they show. Source: ours. A sentence reveals something where the
character does, says, feels or refuses something in it; it bears on a question where it shows what
the question asks for (``retrieval.facets``), or is like the question in words and meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from offbook.names.character import Names, learn_names
from offbook.prompts.traits import (
    Attributes,
    AttributesInputs,
    PassageAttribute,
    PassageAttributes,
    PassageInputs,
    Revealing,
)
from offbook.retrieval.facets import BEARS, bearing, beliefs, shown
from offbook.rules.languages import language_of
from offbook.text.clauses import Token, tokens_of
from offbook.text.sentences import sentences

_SENTENCES: Final = 3
_LISTED: Final = 4
_LONGEST: Final = 60
_LEADING: Final = 3
_HABIT: Final = re.compile(
    r"\b(?:always|never|often|seldom|rarely|usually|every (?:day|night|morning|evening|time|year)"
    r"|used to|would rather|in the habit|custom(?:arily)?|no matter|at all times|any(?:one|thing)"
    r"|no ?(?:one|body)|nothing|only|even|still|refused?s?|rather than|instead of)\b",
    re.IGNORECASE,
)
_HOLDS: Final = re.compile(
    r"\b(?:believe[ds]?|holds?|held (?:it|that)|thinks?|thought|considers?|considered|swore|sworn"
    r"|vow(?:s|ed)?|promise[ds]?|oath|must|ought|duty|right|wrong|worth|deserve[ds]?|God|honou?r"
    r"|faith|principle|forgive[sn]?|forgave|respect(?:s|ed)?|despise[ds]?|admire[ds]?|trust(?:s|ed)?"
    r"|value[ds]?|just(?:ice|ly)?|owe[ds]?|freedom|truth)\b"
)
_IS_SO: Final = re.compile(
    r"\b(?:is|was|are|were|am|seem(?:s|ed)?|grows?|grew|remain(?:s|ed)?|kn?own (?:as|for|to be))"
    r" (?:\w+ ){0,3}?\w{3,}(?:ful|less|ous|ive|able|ible|ent|ant|y|ish|al|ed|ic|ind|old|roud|rave"
    r"|alm|uiet|tubborn|onest|entle|oyal|hrewd)\b"
)
_SPEAKERS: Final = frozenset(("i", "you", "he", "she", "they"))
_OTHERS: Final = {"m": ("she", "her", "hers"), "f": ("he", "him", "his")}
"""Who begins a sentence that is not about a man, or a woman."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sentence on one line: how surely the character acts in it, and what it shows or holds."""

    text: str
    weight: float
    facets: tuple[tuple[str, float], ...]
    holds: bool


def reveals_trait(inputs: PassageInputs) -> Revealing:
    """Whether a sentence of the passage bears on the question."""
    signs = _signs(inputs.character, inputs.headings, inputs.passage)
    scores = _bearing(inputs.question, signs)
    return Revealing(reveals=any(score >= BEARS for score in scores))


def index_traits(inputs: PassageInputs) -> PassageAttributes:
    """The sentences that show most, whatever is asked."""
    signs = _signs(inputs.character, inputs.headings, inputs.passage)
    strength = {place: _strength(sign) for place, sign in enumerate(signs)}
    best = sorted((place for place, s in strength.items() if s > 0), key=lambda p: -strength[p])
    attributes = [
        PassageAttribute(
            kind="belief_and_value" if _is_belief(signs[place]) else "psychological_trait",
            text=signs[place].text,
        )
        for place in best[:_LISTED]
    ]
    return PassageAttributes(reveals=bool(attributes), attributes=attributes)


def extract_attributes(inputs: AttributesInputs) -> Attributes:
    """The sentences that bear most on the question, beliefs and traits apart."""
    signs = [
        sign for passage in inputs.passages for sign in _signs(inputs.character, *_parts(passage))
    ]
    scores = _bearing(inputs.question, signs)
    order = sorted(range(len(signs)), key=lambda place: -scores[place])
    chosen = [place for place in order if scores[place] >= BEARS / 2 and signs[place].weight]
    places: dict[bool, list[int]] = {True: [], False: []}
    texts: set[str] = set()
    for place in chosen:
        kind = places[_is_belief(signs[place])]
        if len(kind) < _SENTENCES and signs[place].text not in texts:
            kind.append(place)
            texts.add(signs[place].text)
    return Attributes(
        belief_and_values=_joined(signs[place].text for place in sorted(places[True])),
        psychological_traits=_joined(signs[place].text for place in sorted(places[False])),
    )


def _parts(passage: str) -> tuple[str, str]:
    """Headings and text of a passage that has its headings in front."""
    head, line_break, text = passage.partition("\n")
    is_heading = bool(line_break) and not head.rstrip().endswith((".", "!", "?", "。"))
    return (head, text) if is_heading else ("", passage)


@lru_cache(maxsize=4096)
def _signs(character: str, headings: str, passage: str) -> tuple[Sign, ...]:
    names = learn_names(character, [headings] if headings else [], [passage])
    signs: list[Sign] = []
    about = False
    for start, end in sentences(passage):
        text = " ".join(passage[start:end].split())
        if not text or text.startswith("#"):
            continue
        weight, about = _weight(text, names, about=about)
        signs.append(Sign(text, weight, shown(text), bool(_HOLDS.search(text))))
    if signs and not any(sign.weight for sign in signs):
        # A text that never names its character (a diary, another script) is about nobody else.
        return tuple(Sign(s.text, 0.5, s.facets, s.holds) for s in signs)
    return tuple(signs)


def _weight(text: str, names: Names, *, about: bool) -> tuple[float, bool]:
    """How surely the character acts in a sentence, and whether a "he" that follows means it."""
    tokens = tokens_of(text)
    spans = names.mentions(tokens)
    if spans:
        leads = spans[0][0] <= _LEADING or _acts(tokens, spans)
        return (1.0 if leads else 0.6), leads
    spoken = [token.low for token in tokens if token.is_word and not token.quoted]
    first = spoken[0] if spoken else ""
    if first in _OTHERS.get(names.gender, ()):
        return 0.0, False
    if first in _SPEAKERS and (about or first in ("i", "you")):
        return 0.9, True
    if about and not _SPEAKERS.isdisjoint(spoken):
        return 0.5, True
    return 0.0, False


def _acts(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a verb follows the name."""
    from offbook.text.verbs import is_finite

    return any(stop < len(tokens) and is_finite(tokens[stop].low) for _, stop in spans)


def _bearing(question: str, signs: Sequence[Sign]) -> list[float]:
    """How much each sign bears on the question, as far as it is about the character."""
    much = bearing(question, [sign.text for sign in signs])
    return [sign.weight * share for sign, share in zip(signs, much, strict=True)]


def _strength(sign: Sign) -> float:
    """How much a sign shows, whatever is asked."""
    if len(sign.text.split()) > _LONGEST:
        return 0.0
    shown = sum(share for _, share in sign.facets)
    cues = bool(_HABIT.search(sign.text)) + bool(_IS_SO.search(sign.text)) + sign.holds
    return sign.weight * (min(shown, 3.0) + 0.5 * cues)


def _is_belief(sign: Sign) -> bool:
    held = sum(shown for name, shown in sign.facets if name in beliefs())
    other = sum(shown for name, shown in sign.facets if name not in beliefs())
    return held + 0.7 * sign.holds > other


def _joined(texts: Iterable[str]) -> str:
    text = ""
    for part in texts:
        blank = " " if text and language_of(part) in ("en", "ko") else ""
        text += blank + part
    return text
