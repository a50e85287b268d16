"""What in a text is an editor's: citations, notes in brackets, hedges, sentences about works.

Takes: a sentence.  Gives: it without those, or whether all of it is of that kind. Source: ours;
written for articles of encyclopedias, which speak of a life and of the books on it in one breath.
"""

from __future__ import annotations

import re
from typing import Final

_CITATION: Final = re.compile(r"\s*\[(?:\d+|[a-z]|note \d+|citation needed|who\?|when\?|sic)\]")
_BRACKET: Final = re.compile(r"\s*\(([^()]*)\)")
_NESTING: Final = 3
_NOTATION: Final = re.compile(r"^(?:[-+*•·]|\d{1,3}[.)])\s+|\*\*|__|^>\s*|^#+\s*")
_SPOKEN_BRACKET: Final = re.compile(r"\b(?:I|me|my|myself|we|he|she|they|who|which)\b")
_NO_SPEECH: Final = re.compile(
    r"[/ˈːəɪʊɒɑɔɜʃʒθð]|\b(?:c\.|ca\.|circa|baptised|born|died|reigned|see|Latin|Greek|French|German"
    r"|Italian|Russian|Chinese|Arabic|pronounced|lit\.|literally|Op\.|No\.|WoO|ISBN)|\d{3,4}"
    r"|\bBC\b|\bAD\b"
)
_HEDGES: Final = (
    re.compile(
        r"^(?:According to (?:[^,]{1,80}), |(?:As )?(?:[A-Z]\w+ )?(?:[Hh]istorians|[Ss]cholars"
        r"|[Ss]ources"
        r"|[Bb]iographers|[Cc]ritics|[Mm]usicologists|[Aa]ccounts|[Rr]ecords"
        r"|[Oo]ne modern author)(?: \w+){0,3}?"
        r" (?:agree|say|believe|state|report|suggest|think|claim|argue|estimates?|note|hold"
        r"|assume)s? that )"
    ),
    re.compile(
        r"^It is (?:generally |often |widely |commonly |sometimes )?(?:said|believed|thought"
        r"|known|reported|assumed"
        r"|likely|possible|probable|claimed|accepted|noted) that "
    ),
    re.compile(
        r"^[A-Z][\w.]+(?: [A-Z][\w.]+){0,2} (?:has )?(?:states?|stated|adds|added|notes|noted"
        r"|writes|reports|says) that (?=I\b|my\b)"
    ),
)
_ASIDES: Final = re.compile(
    r",? ?\b(?:reportedly|allegedly|supposedly|purportedly"
    r"|according to [A-Z][^,.;]{2,50})(?=[,.; ]),?"
)
_WORKS: Final = re.compile(
    r"\b(?:popular culture|legacy|reception|portrayals?|depictions?|adaptations?|historiography"
    r"|filmography|bibliography|commemorations?|memorials?|fandom|merchandise|casting"
    r"|in (?:film|art|literature|fiction|television|(?:other )?media)|references|see also"
    r"|external links|further reading|cultural (?:depictions?|impact|references)|posthumous)\b",
    re.IGNORECASE,
)
_META: Final = re.compile(
    r"\b[A-Z]\w+ (?:states|adds|suggests|estimates) |"
    r"\b[A-Z]\w+ has (?:said|stated|suggested|called|described|revealed|argued|noted|claimed"
    r"|written)\b|"
    r"\b[A-Z]\w+(?: the [A-Z]\w+)? (?:reports|records|relates|recounts|asserts|alleges|contends)"
    r" (?:that|in|how)\b|"
    r"\b[A-Z]\w+,? and [A-Z]\w+(?: [A-Z]\w+)? (?:all |both )?"
    r"(?:claim|state|report|suggest|record|argue|assert)\b|"
    r"\b(?:I|[Hh]e|[Ss]he|[Ii]t|[A-Z]\w+) (?:am|is) (?:alleged|thought|believed|said|supposed"
    r"|reputed|rumoured) to\b|"
    r"\b[Ii]t is (?:unclear|unknown|uncertain|disputed|debated|possible|likely|thought)\b|"
    r"\b[A-Z]\w+ (?:said|revealed|stated|confirmed|announced|commented|explained) that (?:my|I)\b|"
    r"\b(?:of|in|throughout|from) the (?:first|second|third|fourth|fifth|sixth|seventh|last|final"
    r"|next|original) (?:novel|series|book|film|movie|season|episode|instal+ment)s?\b(?! of\b)|"
    r"\b(?:(?:widespread|popular) belief|pop(?:ular)? culture|popular perceptions?)\b|"
    r"\b(?:fictional|protagonist|antagonist|film(?:s|ed)?|movies?|television|TV|screenplay|"
    r"actor|actress|portrayed|starring|franchise|biograph(?:er|ers|y|ies)"
    r"|historians?|scholars?|historiography"
    r"|musicologists?|scholarship|Wikipedia|sources?|surviving accounts|modern (?:author"
    r"|historian|scholar)s?"
    r"|critics (?:say|have)|is considered|has been described|contemporary accounts"
    r"|(?:in|of|throughout) the (?:novels?|series|books?|films?)"
    r"|character in|first appears?|no record|consensus|authentic|interpreted|depicted"
    r"|depictions?|adaptations?)\b"
)


def without_editorial(text: str) -> str:
    """``text`` without markup, citations, notes in brackets and leading hedges."""
    text = _CITATION.sub("", _NOTATION.sub("", text))
    for _ in range(_NESTING):
        text = _BRACKET.sub(_bracket, text)
    for hedge in _HEDGES:
        text = hedge.sub("", text)
    text = _ASIDES.sub(lambda match: "" if match.start() else match.group(), text)
    text = re.sub(r"\s+([,.;:!?])", r"\1", re.sub(r"\s{2,}", " ", text)).strip()
    return text[:1].upper() + text[1:]


def _bracket(match: re.Match[str]) -> str:
    inner = match.group(1)
    if _NO_SPEECH.search(inner) or not _SPOKEN_BRACKET.search(inner):
        return ""
    return match.group()


def is_editorial(text: str, heading_path: str = "") -> bool:
    """Whether the sentence, or a heading above it, speaks of works and sources, not of a life."""
    works = any(_WORKS.search(heading) for heading in heading_path.split(", ")[1:])
    return works or bool(_META.search(text))
