"""Sentences that say outright that two names are one person's: "X is the name under which Y ...".

Takes: a text.  Gives: pairs of folded names, each as the text writes it, articles aside.
Source: ours; how disguises, titles and pseudonyms are told in English. What only gives another
name of somebody named elsewhere ("known as") is in ``language.name_evidence``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.grammar import PERSON_NOUNS, word_set
from offbook.language.name_parts import LOOKS
from offbook.language.person_names import parse_name
from offbook.language.person_titles import TITLES
from offbook.language.words import fold

_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*\.?"
_LINK: Final = r"(?:(?:of|the|van|von|der|de|du|da|del|di|la|le|d['’])[ ]+)*"
_PLAIN: Final = rf"{_WORD}(?:[ ]+{_LINK}{_WORD})*"
_NAME: Final = rf"(?:[Tt]he )?{_PLAIN}"
_PHRASE: Final = rf"{_WORD}(?:[ ]+{_LINK}{_WORD})+"
_TRULY: Final = r"(?:(?:really|truly|in truth|in fact|none other than|no other than) )?"
_NUMBER: Final = r"(?:number|prisoner|no\.) \d{1,5}"
_RANK: Final = "|".join(
    sorted({re.escape(t) for t in TITLES if t.isalpha() and len(t) > 3}, key=len, reverse=True)
)
_OFFICE: Final = rf"(?:[Tt]he )?(?i:{_RANK}) of (?:the )?{_PLAIN}"
_QUIET: Final = r"[^.;:!?\"“”()]"
_SELF: Final = r"(?:him|her)self"
_MASK: Final = r"(?:the )?(?:mask|disguise|guise|robe|cloak|name|features|face|person|part|role)"
_APPEARS: Final = (
    r"(?:(?:came|come|comes|coming|went|returned|returns|returning|reappeared|reappears|appeared"
    r"|appears|rose|arrived|arrives|travelled|traveled|lived|lives|entered|visited"
    rf"|(?:present|introduce|announce)(?:s|d|ed)? {_SELF})(?: [a-z'’]+){{0,6}}? as"
    rf"|(?:poses|posed|posing|masquerad(?:es|ed|ing)|disguis(?:es|ed|ing) {_SELF}"
    rf"|disguised|passed {_SELF} off|gave {_SELF} out) as"
    rf"|(?:sign|style|call|name)(?:s|ed|d)? {_SELF}(?: as)?|(?:passed|passes|passing) for"
    r"|in the (?:disguise|guise|mask) of|(?:by|under) the (?:(?:false|assumed) )?"
    r"(?:name|names|alias|title) of)"
)
_REVEALS: Final = (
    r"(?:(?:told|tells) (?:{name}|them|him|her|everyone|everybody|us|me)"
    r"|(?:said|says|confess(?:ed|es)|reveal(?:ed|s)|admit(?:ted|s)|declare[sd]?)"
    r"(?: to (?:{name}|them|him|her))?) that (?:he|she) (?:was|is)(?: really| in truth)?"
).replace("{name}", _NAME)

_SUBJECT: Final = "".join(rf"(?<!\b{p} )(?<!\b{p} the )" for p in ("of", "in", "at", "to", "by"))
_ENDS: Final = (
    r"(?=[.,;:!?)]|$| (?:and|or|but|when|where|while|in|to|at|for|who|with|on|by|from|before"
    r"|because|after|that|during|until|since)\b)"
)

WHERE_KNOWN: Final = (
    r"(?: (?:(?:far and wide|up and down|all (?:over|along|through|round|around)|to|in|on|at|among"
    r"|amongst|throughout|across|over|along|around|by|from)(?: (?!as\b)[\w'’-]+){1,6}?"
    r"|there|here|everywhere|locally|abroad|only|simply|still|then|now|later|thereafter))?"
)
"""What may stand between "known" and "as": where, to whom or when somebody has a name."""

_APPEARING: Final = (
    " as ",
    "self ",
    "for ",
    " name",
    "alias",
    "title",
    "disguise",
    "guise",
    "mask",
)
_PATTERNS: Final = tuple(
    (
        triggers,
        re.compile(pattern.replace("{A}", f"(?P<a>{_NAME})").replace("{B}", f"(?P<b>{_NAME})")),
    )
    for triggers, pattern in (
        # The Duke of Low is the name under which Tom Wren travelled.
        (
            ("name", "title", "alias", "disguise", "mask", "pseudonym"),
            r"{A} (?:is|was) (?:only |but |merely )?the (?:other |false |assumed )?"
            r"(?:name|title|alias|disguise|mask|pseudonym)"
            r" (?:(?:under|by|in|behind) which|that|which) {B}",
        ),
        # Tom Wren was really called Sindar.
        (
            ("called", "named", "known"),
            r"{A} (?:is|was)(?: really| actually| in truth| also| in fact)?"
            r" (?:called|named|(?:better |generally |commonly |usually )?known"
            + WHERE_KNOWN
            + r" as) {B}"
            + _ENDS,
        ),
        # Tom Wren plays Father Lane, an old priest; Tom Wren plays the part of Father Lane.
        (
            ("play", "act"),
            r"{A} (?:plays|played|acts|acted) (?:the (?:part|role) of {B}|(?P<c>"
            + _NAME
            + r")(?=, an? ))",
        ),
        # Tom Wren was the Grey Fox. The Grey Fox was really Tom Wren.
        (
            (" is ", " was "),
            r"(?:^|(?<=[.!?\"“‘'] )|(?<=[\"“‘']))(?:{A} (?:is|was) "
            + _TRULY
            + rf"the (?!(?i:{_RANK})\b)(?P<h>{_PHRASE})|The (?!(?i:{_RANK})\b)(?P<i>{_PHRASE})"
            + rf" (?:is|was) {_TRULY}(?P<c>{_PHRASE}))(?=[.,;!])",
        ),
        # As the Duke of Low, Tom Wren received ...
        (
            ("As ",),
            r"(?:^|(?<=[.;!?\"”] ))As {A}, {B}(?= [a-zà-ÿ])",
        ),
        # Tom Wren signed himself Sindar; Tom Wren, who called himself Sindar.
        (
            _APPEARING,
            _SUBJECT + r"{A}(?:,? who| and)?(?: [a-zà-ÿ'’]+){0,5}?,? " + _APPEARS + r" {B}" + _ENDS,
        ),
        # Tom Wren was a clerk in Anholt who came back as the Duke of Low.
        (
            _APPEARING,
            r"(?:^|(?<=[.!?] )){A} [a-zà-ÿ]"
            + _QUIET
            + r"{0,140}?\b(?:and|who|then) "
            + _APPEARS
            + r" {B}"
            + _ENDS,
        ),
        # Ida recognised Tom Wren behind the Duke of Low.
        (
            ("ecogni",),
            r"\b[Rr]ecogni[sz](?:es?|ed|ing) {A} (?:behind|under|beneath|in) (?:"
            + _MASK
            + r" of )?{B}",
        ),
        # Father Lane took off his wig and told Ida that he was Tom Wren.
        (
            (" that he ", " that she "),
            r"(?:^|(?<=[.!?] )){A} [a-zà-ÿ]" + _QUIET + r"{0,90}?\b" + _REVEALS + r" {B}",
        ),
        # The guards called Tom Wren number 7.
        (
            ("call", "named", "dubbed", "christened"),
            r"\b(?:calls?|called|named|nicknamed|dubbed|christened) {A} (?P<d>"
            + _NUMBER
            + r"|the "
            + _PLAIN
            + r")(?=[.,;!?)]|$)",
        ),
        # Tom Wren, Duke of Low
        (
            (" of ",),
            r"{A}, (?:now |later |afterwards |then |the |the (?:first|second|third|last|future) )?"
            r"(?P<e>" + _OFFICE + r")",
        ),
        # Tom Wren had become a general and Duke of Low.
        (
            ("bec", "was made", "was cr"),
            r"{A} (?:had |has |then |later |soon |afterwards )*(?:became|become|becomes"
            r"|was (?:made|created|crowned))[^.;:!?]{0,60}?\b(?P<f>(?-i:[A-Z])\w+ of (?:the )?"
            + _PLAIN
            + r")",
        ),
        # Hetty (Henny) Wren
        (
            ("(",),
            r"(?P<a>" + _WORD + r") \((?P<g>" + _WORD + r")\)(?= " + _WORD + r")",
        ),
    )
)
"""Words of which one must stand in a text for a pattern to be tried, and the pattern."""
_FALSE_HEADS: Final = word_set(
    "as in on at when while then but and for from to by with after before so if though although"
    " he she they it his her their this that these there here what who i we you"
)
_POSTS: Final = (
    PERSON_NOUNS
    | frozenset(TITLES)
    | word_set(
        "mate ambassador housekeeper engineer butler treasurer commissioner attorney heir heiress"
    )
)


@lru_cache(maxsize=1 << 14)
def told_names(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of folded names that ``text`` says are one person's, in the order of the patterns."""
    found: dict[tuple[str, str], None] = {}
    for triggers, pattern in _PATTERNS:
        if not any(trigger in text for trigger in triggers):
            continue
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if _is_post(groups.get("h") or groups.get("i") or ""):
                continue
            a = _clean(groups["a"] or groups["i"])
            b = _clean(next(groups[key] for key in "bcdefgh" if groups.get(key)))
            if a and b and a != b and _may_be_one(a, b):
                found[(a, b)] = None
    return tuple(found)


def _is_post(phrase: str) -> bool:
    """Whether one after another may be it: "Prime Minister", but not "Black Prince"."""
    words = fold(phrase.partition(" of ")[0]).split()
    return bool(words) and words[-1] in _POSTS and words[0] not in LOOKS


def _clean(name: str) -> str:
    """The folded name without its article; nothing where its first word began the sentence only.

    Whoever stands behind "When" or "After" is in a clause of their own.
    """
    parts = name.strip(" .,'’").split()
    if parts and parts[0] in ("the", "The"):
        parts = parts[1:]
    return fold(" ".join(parts)) if parts and fold(parts[0]) not in _FALSE_HEADS else ""


def _may_be_one(a: str, b: str) -> bool:
    """Whether the names allow it: not a man's and a woman's."""
    one, other = parse_name(a.title()), parse_name(b.title())
    return not (one.gender and other.gender and one.gender != other.gender)
