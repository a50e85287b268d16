"""What a text tells of who is meant: who says the name, and what else the person is called.

Takes: descriptions of entities.  Gives: speakers ("Said by ...") and other names ("known as ...").
Takes: a text.  Gives: pairs of folded names that it says outright are one person's ("X is the name
under which Y ..."). Source: ours; patterns of apposition, disguises, titles and pseudonyms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from offbook.names.person import parse_name
from offbook.names.titles import KIN, LOOKS, TITLES
from offbook.text.grammar import FEMALE_NOUNS, FUNCTION, MALE_NOUNS, PERSON_NOUNS, Gender, word_set
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.names")

_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*\.?"
_LINK: Final = r"(?:(?:of|the|van|von|der|de|du|da|del|di|la|le|d['’])[ ]+)*"
_PLAIN: Final = rf"{_WORD}(?:[ ]+{_LINK}{_WORD})*"
_ONE_NAME: Final = rf"(?:[Tt]he )?{_PLAIN}"
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
).replace("{name}", _ONE_NAME)

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
        re.compile(
            pattern.replace("{A}", f"(?P<a>{_ONE_NAME})").replace("{B}", f"(?P<b>{_ONE_NAME})")
        ),
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
            + _ONE_NAME
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
        (("As ",), r"(?:^|(?<=[.;!?\"”] ))As {A}, {B}(?= [a-zà-ÿ])"),
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
        (("(",), r"(?P<a>" + _WORD + r") \((?P<g>" + _WORD + r")\)(?= " + _WORD + r")"),
    )
)
"""Words of which one must stand in a text for a pattern to be tried, and the pattern."""
_FALSE_HEADS: Final = _LISTS["false heads"]
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
    pairs: dict[tuple[str, str], None] = {}
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
                pairs[(a, b)] = None
    return tuple(pairs)


def _is_post(phrase: str) -> bool:
    """Whether one after another may be it: "Prime Minister", but not "Black Prince"."""
    words = fold(phrase.partition(" of ")[0]).split()
    return bool(words) and words[-1] in _POSTS and words[0] not in LOOKS


def _clean(name: str) -> str:
    """The folded name without its article; nothing where its first word began the sentence only."""
    parts = name.strip(" .,'’").split()
    if parts and parts[0] in ("the", "The"):
        parts = parts[1:]
    return fold(" ".join(parts)) if parts and fold(parts[0]) not in _FALSE_HEADS else ""


def _may_be_one(a: str, b: str) -> bool:
    """Whether the names allow it: not a man's and a woman's."""
    one, other = parse_name(a.title()), parse_name(b.title())
    return not (one.gender and other.gender and one.gender != other.gender)


_NAME: Final = (
    r"[\"“'‘]?((?:[Tt]he )?[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
    r"(?:[ ]+(?:(?:of|the|van|von|der|de|du|da|la)[ ]+)*[^\W\d_a-zß-öø-ÿ][\w'’.-]*)*)"
)
_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_ALSO: Final = re.compile(
    r"\b(?:(?:also |better |generally |commonly |usually |otherwise |once |formerly |now )?"
    rf"(?:(?:known|remembered|spoken of){WHERE_KNOWN} as"
    r"|(?:known|called|nicknamed|dubbed|styled)(?: (?:as|simply|by the name(?: of)?|by))?)"
    r"|alias|a\.k\.a\.|aka|née|nee|(?:whose )?(?:real|true|maiden|full|other|Christian|pen) name"
    r" (?:is|was|being)"
    r"|(?:going|goes|went|passes|passed|known|travell?ing|living|lived) (?:by|under)"
    r" the (?:false |assumed )?name(?: of)?|under the (?:false |assumed )?(?:name|alias)(?: of)?"
    r"|(?:disguise[sd]?|disguised|posing|pos(?:es|ed)|masquerad(?:es|ed|ing))"
    r"(?: (?:him|her)self)? as|(?:is|was) (?:really|in truth|in fact|none other than|no other than)"
    r"|(?:now|afterwards|later|became|becomes)"
    r"(?= (?:(?:Mrs|Lady|Madame|Countess|Duchess|Sir|Lord)\b"
    rf"|{_CAPITAL} the {_CAPITAL}))|(?:(?<=, )|(?<=was )|(?<=\())born(?= {_CAPITAL} {_CAPITAL})"
    r"|changed (?:his|her) name to|call(?:s|ed)? (?:him|her)self|short for)[ ,:]+(?:the )?" + _NAME
)
_TRIGGERS: Final = (
    "known", "remembered", "spoken of", "called", "nicknamed", "dubbed", "styled", "alias",
    "a.k.a.", "aka", "née", "nee ",
    "name", "disguise", "posing", "posed", "poses", "masquerad", "really", "in truth", "in fact",
    "other than", "now ", "afterwards ", "later ", "became ", "becomes ", "self", "short for",
    "born ",
)  # fmt: skip
"""One of these stands in whatever the pattern finds: most sentences need not be searched."""
_NEAR: Final = 60
_NAMING: Final = ("called", "nicknamed", "dubbed", "styled")
_PASSIVE: Final = PERSON_NOUNS | word_set(
    "is was were are be been being who town village house inn place island city ship river one"
)
"""Behind these "called" gives the name of what stands before it; else somebody calls another."""
_NOUN_BEFORE: Final = re.compile(r"\b(?:an?|the|one|some|another) (?:[a-z-]+ ){0,2}([a-z-]+),? \Z")
_BEING: Final = word_set(
    "is was are were be been being as became becomes remained remains who which"
)
_INTERRUPTS: Final = re.compile(r"[.!?;:\"“”]|\b(?!(?:He|She|The|A|An|Who)\b)[A-ZÀ-Þ]")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_SPEAKER: Final = re.compile(r"\b[Ss](?:aid|poken) by ([^:\"“”]{1,60}):")


@lru_cache(maxsize=1 << 14)
def other_names(description: str, name: str) -> tuple[str, ...]:
    """Folded other names that the description gives to ``name``, of which it must speak."""
    if not any(trigger in description for trigger in _TRIGGERS):
        return ()
    names = [
        fold(match.group(1)).strip(" .'’")
        for match in _ALSO.finditer(description)
        if _speaks_of(description, match.start(), name)
        and _is_passive(description, match)
        and not _is_of_another(description, match, name)
    ]
    return tuple(dict.fromkeys(other for other in names if other))


@lru_cache(maxsize=1 << 14)
def names_told(description: str, name: str) -> tuple[str, ...]:
    """Folded names that the description gives to whoever bears ``name``, articles aside."""
    key = bare_key(name)
    names = [other.removeprefix("the ") for other in other_names(description, name)]
    for a, b in told_names(description):
        names += [b] * (a == key) + [a] * (b == key)
    return tuple(dict.fromkeys(other for other in names if other and other != key))


@lru_cache(maxsize=1 << 16)
def bare_key(name: str) -> str:
    """The folded name without its article and outer punctuation, as ``told_names`` writes it."""
    return fold(name).strip(" .,'’").removeprefix("the ")


_ATTACHED: Final = "|".join(sorted((word for word in KIN if word.isalpha()), key=len, reverse=True))
_NOUNS: Final = rf"(?:[a-z-]+ ){{0,2}}(?:{_ATTACHED})"
_ANY_KIN: Final = re.compile(rf"\b(?:{_ATTACHED})\b")
# What stands around a name: to search for a pattern with the name in it, it would have to be
# compiled for each of thousands of names.
_KIN_BEFORE: Final = re.compile(rf"\b({_ATTACHED}),? \Z")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+),? \Z")
_NO_LETTER: Final = re.compile(r"(?!\w)")
_NAME_ENDS: Final = re.compile(r"(?![\w’'-])")
_IS_KIN_OF: Final = re.compile(
    rf",? (?:(?:is|was|became|being|and) )?(?:the|an?) {_NOUNS} of (?:the )?{_NAME}"
)
_IS_OWNERS_KIN: Final = re.compile(rf",? (?:is|was) {_NAME}['’]s {_NOUNS}(?!\w)")
_OWNERS_KIN: Final = re.compile(rf"{_NAME}['’]s {_NOUNS},? \Z")
_CALLING: Final = re.compile(
    r", the (?:[a-z-]+ )?([a-z]+)(?:['’]s (?:[a-z]+ )?(son|daughter|child))?[,.]"
)
_WHO_IT_IS: Final = re.compile(r",? (?:\([^()]*\d{3}[^()]*\),? )?(?:was|is) (?:an?|born) ")
_OPENING: Final = re.compile(r"[.!?/] \Z")


def _behind(description: str, name: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a pattern right behind a name, as if the name stood at its head."""
    index = description.find(name)
    while index >= 0:
        match = pattern.match(description, index + len(name))
        if match is not None:
            yield match
        index = description.find(name, match.end() if match is not None else index + 1)


def _in_front(
    description: str, name: str, pattern: re.Pattern[str], end: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Matches of a pattern that ends right before a name behind which ``end`` matches."""
    done, index = 0, description.find(name)
    while index >= 0:
        match = None
        if _follows_kin(description, index) and end.match(description, index + len(name)):
            match = pattern.search(description, done, index)
        if match is not None:
            yield match
            done = index + len(name)
        index = description.find(name, max(index + 1, done))


def _follows_kin(description: str, index: int) -> bool:
    """Whether a kinship term ends right before ``at``: few names have one, and it is soon seen."""
    before = _WORD_BEFORE.search(description, max(0, index - _LONGEST_KIN - 2), index)
    return before is not None and before[1].endswith(_KIN_WORDS)


_KIN_WORDS: Final = tuple(word for word in KIN if word.isalpha())
_LONGEST_KIN: Final = max(map(len, _KIN_WORDS))


@lru_cache(maxsize=1 << 14)
def kin_attached(description: str, name: str) -> tuple[str, ...]:
    """What kin to the hero the name's bearer is called, as often as told: "his nephew Karl"."""
    if not _ANY_KIN.search(description):
        return ()
    matches = _in_front(description, name, _KIN_BEFORE, _NAME_ENDS)
    return tuple(KIN[fold(match[1])][0] for match in matches)


@lru_cache(maxsize=1 << 14)
def kin_told(description: str, name: str) -> frozenset[str]:
    """Folded names of people whose kin the description says the bearer of ``name`` is."""
    if not _ANY_KIN.search(description):
        return frozenset()
    matches = [
        *_behind(description, name, _IS_KIN_OF),
        *_in_front(description, name, _OWNERS_KIN, _NO_LETTER),
        *_behind(description, name, _IS_OWNERS_KIN),
    ]
    return frozenset(bare_key(_POSSESSIVE.sub("", match[1])) for match in matches)


@lru_cache(maxsize=1 << 14)
def callings(description: str, name: str) -> frozenset[tuple[str, str]]:
    """What trade a bearer of the name is said to have, or to be a child of: ("mayor", "son")."""
    matches = _behind(description, name, _CALLING)
    return frozenset((match[1], match[2] or "") for match in matches)


@lru_cache(maxsize=1 << 14)
def defined(description: str, name: str) -> bool:
    """Whether a sentence begins with the name and says who that is: "Tom Wren (...) was a"."""
    return any(
        not (start := match.start() - len(name)) or _OPENING.search(description, start - 2, start)
        for match in _behind(description, name, _WHO_IT_IS)
    )


def says_who(description: str, name: str) -> bool:
    """Whether a description tells who the bearer of a name is: another name, kin or a trade."""
    return bool(
        names_told(description, name)
        or defined(description, name)
        or kin_told(description, name)
        or callings(description, name)
    )


def _speaks_of(description: str, index: int, name: str) -> bool:
    before = description[:index]
    _, named, between = before.rpartition(name)
    if not named:
        between = before if not speakers(description) else "."
    return len(between) <= _NEAR and not _INTERRUPTS.search(between.lstrip('"”’)\n '))


def _is_passive(description: str, match: re.Match[str]) -> bool:
    """Not "she called Tom a fool": there Tom is not another name of hers."""
    if not match.group().startswith(_NAMING):
        return True
    before = description[: match.start()].rstrip()
    if not before or before[-1] in ",(—–":
        return True
    return fold(before.split()[-1]) in _PASSIVE


def _is_of_another(description: str, match: re.Match[str], name: str) -> bool:
    """Whether a noun of its own stands before "called": "Ann wrote of a child called Tom"."""
    between = description[: match.start()].rpartition(name)[2]
    noun = _NOUN_BEFORE.search(between)
    if noun is None or noun[1] in _BEING or not match.group().startswith((*_NAMING, "known")):
        return False
    before = between[: noun.start()].split()[-2:]
    return bool(before) and not any(w[-1] in ",(—–" or fold(w) in _BEING for w in before)


@lru_cache(maxsize=1 << 14)
def speakers(description: str) -> tuple[str, ...]:
    """Who says the name, as often as the description tells it."""
    return tuple(match.group(1).strip() for match in _SPEAKER.finditer(description))


_HEAD_NAME: Final = re.compile(
    r"^(?:(?:Mr|Mrs|Miss|Ms|Dr|Sir|Lady|Lord|Mister|Madame|Monsieur)\.? )?"
    r"[^\W\d_a-zß-öø-ÿ][\w'’-]+(?: [^\W\d_a-zß-öø-ÿ][\w'’-]+)+"
)
_HEAD_KIN: Final = re.compile(
    r"^(?:[^.;:\"“]{0,60}?\b(?:is|was),? )?(?:[Tt]he|[Aa]n?) (?:[\w-]+ ){0,2}?([\w-]+) of "
    r"([^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_a-zß-öø-ÿ][\w'’.-]*)*)"
    r"|^([^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_a-zß-öø-ÿ][\w.-]*)*)['’]s "
    r"((?:[\w-]+ ){0,2}[\w-]+)"
)
_HEAD_WORDS: Final = 9


@lru_cache(maxsize=1 << 14)
def head_name(description: str) -> str:
    """The full name with which a description begins ("Jane Lane, the eldest ..."), or nothing."""
    match = _HEAD_NAME.match(description)
    if match is None or fold(match.group().split()[0]) in FUNCTION | PERSON_NOUNS:
        return ""
    return match.group()


@lru_cache(maxsize=1 << 14)
def head_gender(description: str) -> Gender:
    """The gender of the noun that a description predicates: "A man who ...", "is a countess"."""
    if speakers(description):
        return ""
    words = re.findall(r"[\w-]+|[.,;:]", fold(description))[:_HEAD_WORDS]
    article = False
    for word in words:
        if article and word in FEMALE_NOUNS:
            return "f"
        if article and word in MALE_NOUNS:
            return "m"
        if word in ("of", "in", "to", "who", "whose", "with", "for", "by", "from", ".", ";"):
            return ""
        article = article or word in ("a", "an", "the")
    return ""


@lru_cache(maxsize=1 << 14)
def head_kinship(description: str) -> tuple[str, str] | None:
    """The kinship that a description states first: ``("father", "tom lane")``."""
    match = _HEAD_KIN.match(description)
    if match is None:
        return None
    noun, owner = match.group(1) or match.group(4), match.group(2) or match.group(3)
    kin = next((KIN[word] for word in fold(noun).split() if word in KIN), None)
    return (kin[0], fold(owner).strip(". '")) if kin else None
