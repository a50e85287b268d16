"""The offline profile: one paragraph made of the passages' own sentences about the character.

Takes: the inputs of the profile prompt.  Gives: at most about 120 words in the third person: who
the character is, where from, whom it belongs to. Source: ours; extractive.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.language.clauses import tokens_of
from offbook.language.names import Names, learn_names
from offbook.models.offline.editorial import is_editorial, without_editorial
from offbook.models.offline.evidence import Evidence, gather
from offbook.prompts.profile import ProfileInputs
from offbook.types import ContextItem

_WORDS: Final = 120
_LONGEST: Final = 45
_LEADING: Final = 2
_TELLING: Final = (
    (3.0, re.compile(r"\b(?:is|was|are|am) (?:an? |the |one of )")),
    (2.0, re.compile(r"\b(?:born|native of|grew up|son of|daughter of|child of|comes from)\b")),
    (1.0, re.compile(r"\b(?:father|mother|wife|husband|brother|sister|friend|married|teacher)\b")),
    (1.0, re.compile(r"\b(?:became|known (?:as|for)|famous|best|founded|wrote|led|discovered)\b")),
    (0.7, re.compile(r"\b(?:loves?|hates?|believes?|fears?|always|never)\b")),
)
_EARLY: Final = 6.0
_WIDE: Final = 0x3000
"""From here on the scripts that put no blank between sentences."""


def profile(inputs: ProfileInputs) -> str:
    """The paragraph."""
    items = [ContextItem("knowledge", "", passage, 0.0) for passage in inputs.passages]
    evidence = gather(items)
    names = learn_names(inputs.character, (), inputs.passages)
    ranked = sorted(
        (
            (-worth, index)
            for index in range(len(evidence.sentences))
            if (worth := _worth(evidence, names, index)) > 0
        ),
    )
    chosen: list[int] = []
    words = 0
    for _, index in ranked:
        size = len(_plain(evidence, index).split())
        if words + size <= _WORDS and not _repeats(evidence, index, chosen):
            chosen.append(index)
            words += size
    named = [index for index in chosen if names.mentions(tokens_of(evidence.sentences[index].text))]
    if not named:
        return _fallback(evidence, inputs.character)
    chosen = [index for index in chosen if index >= min(named)]  # no "he" before the name
    return _joined([_plain(evidence, index) for index in sorted(chosen)])


def _repeats(evidence: Evidence, index: int, chosen: list[int]) -> bool:
    mine = set(evidence.sentences[index].counts)
    return any(
        len(mine & set(evidence.sentences[other].counts)) > 0.6 * len(mine) for other in chosen
    )


def _joined(parts: list[str]) -> str:
    text = ""
    for part in parts:
        text += part if not text or ord(text[-1]) > _WIDE else f" {part}"
    return text


def _worth(evidence: Evidence, names: Names, index: int) -> float:
    """How much a sentence says of who the character is; early sentences say more."""
    sentence = evidence.sentences[index]
    text = _plain(evidence, index)
    if sentence.is_heading or not text or len(text.split()) > _LONGEST or is_editorial(text):
        return 0.0
    tokens = tokens_of(sentence.text)
    spans = names.mentions(tokens)
    named = bool(spans)
    leads = not named or spans[0][0] <= _LEADING
    first = tokens[0].low if tokens else ""
    speaks = first in ("i", "you", "he", "she", "my", "your", "his", "her")
    if not named and not (speaks and index < 12):
        return 0.0
    signs = sum(weight for weight, sign in _TELLING if sign.search(text))
    place = (1.0 if named else 0.6) * (1.0 if leads else 0.3)
    return (0.5 + signs) * (1.0 + _EARLY / (3 + index)) * place


def _plain(evidence: Evidence, index: int) -> str:
    text = " ".join(without_editorial(evidence.sentences[index].text).split())
    return text if not text or text[-1] in '.!?…。！？”"' else f"{text}."


def _fallback(evidence: Evidence, character: str) -> str:
    """The first sentences, where none names the character (other scripts, notes, lists)."""
    taken: list[str] = []
    for index, sentence in enumerate(evidence.sentences):
        size = sum(map(len, taken))
        if sentence.is_heading or size + len(sentence.text) > 500:
            continue
        taken.append(_plain(evidence, index))
        if len(taken) == 4:
            break
    return _joined(taken) or character
