"""Where a text has words with a capital that may name somebody: one pass over a whole novel.

Takes: texts.  Gives: the places of names, each with its form, what stands before and behind it, and
how often words stand with and without a capital. Source: ours; closed classes of English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.names.titles import FONDNESS, LOOKS, ORDINALS, TITLES
from offbook.rules.name_words import (
    INTERJECTIONS,
    PERSON_TITLES,
    is_function,
    is_given_name,
)
from offbook.rules.named_spans import TIME_WORDS
from offbook.rules.quotations import labelled_speech
from offbook.rules.times import times_in
from offbook.rules.wide_names import wide_people
from offbook.text.grammar import MONTHS_AND_DAYS, word_set
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

_UPPER: Final = "A-ZÀ-ÖØ-ÞŒŠŽĐŁА-ЯЁІЇЄҐ"
_LETTER: Final = r"[^\W\d_]"
_ABBREVIATED: Final = "|".join(sorted(word.title() for word in _LISTS["abbreviated"]))
_PARTICLES: Final = "van|von|vom|de|der|den|du|del|della|di|da|dos|la|le|bin|ibn|zu|ten|ter"
_WORD: Final = (
    rf"(?:(?:{_ABBREVIATED})\.|[A-HJ-Z]\.(?=\s?[A-Z])"
    rf"|(?:[dl]['’])?[{_UPPER}]{_LETTER}*(?:['’](?!(?:s|ll|d|ve|re|m|t|em)\b){_LETTER}+)*"
    rf"(?:-{_LETTER}+)*)"
)
CAPITALIZED: Final = re.compile(
    rf"(?<![^\W_])(?<![^\W_]['’-]){_WORD}(?:[ \u00a0](?:(?:{_PARTICLES})[ \u00a0]){{0,3}}{_WORD})*"
)
_PART: Final = re.compile(r"[^ \u00a0]+")
_PLAIN: Final = re.compile(r"(?<![^\W_])[a-zß-öø-ÿа-яё]+(?:-[a-z]+)*")
_OPENING: Final = re.compile(
    r"(?:\A|\n|[.!?:;…][\"”’')\]_*]*|[“\"‘«„(\[]|(?:^|\s)')[ \u00a0_*#>]*\Z"
)
_OF: Final = re.compile(rf" of (?:the )?{_WORD}(?: {_WORD})*")
_AGED: Final = re.compile(r"(?<![^\W_])(?:old|young) \Z", re.IGNORECASE)
_LED: Final = re.compile(r"(?<![^\W_])(?:van der|van den|van|von|de la|du|della|di) \Z")
_DEAR: Final = re.compile(
    r"(?<![^\W_])(?:(?:my|our) )?(?:(?:dear|dearest|poor|darling) )+\Z", re.IGNORECASE
)
_HEADING: Final = re.compile(r"#{1,6} .*")
_ROMAN: Final = re.compile(r"[IVXLC]+\.?")
_LOUD: Final = 4
_OFTEN: Final = 10
"""So many times a given name must be a word to be one before another: "Will Orme", "Die Stadt"."""
_BEFORE: Final = re.compile(rf"({_LETTER}+)?(['’]s)?([\W_]*)\Z")
_ARTICLE: Final = re.compile(r"(?<![^\W_])(?:the|an?|one) \Z", re.IGNORECASE)
_BEHIND: Final = re.compile(rf"(['’]s?(?!\w))?([\W_]*)({_LETTER}+)?")
_IN_MONTH: Final = re.compile(
    r"(?<!\w)(?:in|until|till|since|during|last|next|this|every|early|late|mid"
    rf"|(?:{'|'.join(ORDINALS)}) of)[ -]\Z",
    re.IGNORECASE,
)
_THE_DAY: Final = re.compile(rf" the (?:{'|'.join(ORDINALS)}|twenty|thirt|\d)")
_REACH: Final = 24
_LABELS: Final = 2
"""So many times a label must come to be somebody's."""
_ADDRESS: Final = word_set(
    "mr mrs miss ms sir lady lord dr captain colonel major admiral general madame monsieur"
)
_NO_NAMES: Final = (
    (MONTHS_AND_DAYS - {"may", "april", "june"}) | _LISTS["forms of address"] | INTERJECTIONS
)


@dataclass(slots=True)
class Place:
    """A name where it stands; ``before`` and ``behind`` are the words next to it, folded.

    ``fond`` is what is before it of "my dear ", as the text has it.
    ``article`` says that it stands behind "the" or "a"; ``opens`` that it owes its capital to its
    place, perhaps; ``owns`` that "'s" is behind; ``labels`` that it says who speaks a line of a
    play or a log; ``signs`` are what parts it from its neighbours.
    """

    text: int
    start: int
    end: int
    form: str
    fond: str
    before: str
    behind: str
    signs: tuple[str, str]
    article: bool
    opens: bool
    owns: bool
    labels: bool = False


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often words stand with a capital within a sentence, and without one."""

    capital: Counter[str]
    plain: Counter[str]

    @property
    def is_german(self) -> bool:
        """Whether the texts are German, where every noun has a capital."""
        return (
            self.plain["und"] > self.plain["and"]
            and self.plain["der"] + self.plain["die"] > self.plain["the"]
        )


_Words = list[tuple[str, int, int]]


def places_of(texts: Sequence[str]) -> tuple[list[Place], WordCounts]:
    """Find where the texts name somebody or something, in order."""
    counts = WordCounts(Counter(), Counter())
    runs: list[tuple[int, _Words, bool]] = []
    for number, text in enumerate(texts):
        counts.plain.update(map(str.lower, _PLAIN.findall(text)))
        headings = {match.start(): match.end() for match in _HEADING.finditer(text)}
        for match in CAPITALIZED.finditer(text):
            start = match.start()
            if headings and start < headings.get(text.rfind("\n", 0, start) + 1, 0):
                continue
            opens = _OPENING.search(text, max(0, start - 6), start) is not None
            words = [
                (word[0], start + word.start(), start + word.end())
                for word in _PART.finditer(match[0])
            ]
            counts.capital.update(fold(word) for word, *_ in words[opens:])
            runs.append((number, words, opens))
    places: list[Place] = []
    end = (-1, 0)
    for number, words, opens in runs:
        for piece, opened in _pieces(words, opens, counts):
            if _is_date(texts[number], piece):
                counts.capital[fold(piece[0][0])] -= 1
                piece, opened = piece[1:], False  # noqa: PLW2901
            place = _place(number, texts[number], piece, opened)
            if place is not None and (number, place.start) >= end:
                places.append(place)
                end = number, place.end
    return places, counts


def with_labels(texts: Sequence[str], places: Sequence[Place]) -> list[Place]:
    """Add to the places of names the labels of plays and logs that come again, in order.

    A label has its case from the names of the text. One of several people ("BOTH", "NORA AND TOM")
    is nobody's.
    """
    forms = {place.form for place in places}
    taken: dict[tuple[int, int], Place] = {}
    for number, text in enumerate(texts):
        spans = [span for span, *_ in labelled_speech(text)]
        counts = Counter(text[start:end].strip() for start, end in spans)
        for start, end in spans:
            name = text[start:end].strip()
            words = name.lower().split()
            if counts[name] < _LABELS or all(map(is_function, words)) or "and" in words:
                continue
            titled = name.title() in forms or is_given_name(words[0])
            form = name.title() if name.isupper() and titled else written(name)
            place = place_at(number, text, (start, start + len(name)), form, start)
            place.article, place.labels = False, True
            taken.update(dict.fromkeys(((number, offset) for offset in range(start, end)), place))
    names = [place for place in places if (place.text, place.start) not in taken]
    labels = {id(place): place for place in taken.values()}
    return sorted([*names, *labels.values()], key=lambda each: (each.text, each.start))


def wide_places_of(texts: Sequence[str]) -> list[Place]:
    """Find where texts without blanks between words name persons, in order."""
    names = wide_people("\n".join(texts))
    if not names:
        return []
    pattern = re.compile("|".join(map(re.escape, names)))
    return [
        Place(
            number, match.start(), match.end(), match[0], "", "", "", ("", ""), False, False, False
        )
        for number, text in enumerate(texts)
        for match in pattern.finditer(text)
    ]


def _is_date(text: str, words: _Words) -> bool:
    """Whether the first word is a month: "the 20th of May", "In May Nora came"."""
    word, start, end = words[0]
    if fold(word) not in MONTHS_AND_DAYS or (
        len(words) > 1 and not is_given_name(_low(words[1][0]))
    ):
        return False
    first = max(0, start - _REACH)
    if _IN_MONTH.search(text, first, start) or _THE_DAY.match(text, end):
        return True
    times = times_in(text[first : end + _REACH])
    return any(one < end - first and start - first < other for one, other in times)


def _pieces(words: _Words, opens: bool, counts: WordCounts) -> Iterator[tuple[_Words, bool]]:
    """The names of a run: parted at words that are none, and before titles."""
    piece: _Words = []
    opened = opens
    for index, item in enumerate(words):
        low = _low(item[0])
        leads = opens and index == 0
        if _parts_names(low, item[0]) or (leads and _is_mere_opening(low, words, counts)):
            if piece:
                yield piece, opened
            piece, opened = [], False
            continue
        if low in _ADDRESS and piece and _low(piece[-1][0]) not in PERSON_TITLES:
            yield piece, opened
            piece, opened = [], False
        piece.append(item)
    if piece:
        yield piece, opened


def _low(word: str) -> str:
    return fold(word).rstrip(".")


def _parts_names(low: str, word: str) -> bool:
    """Whether no name goes over the word."""
    if word[0].islower():
        return False  # a particle
    if low in PERSON_TITLES or low in TITLES:
        return False
    if low in TIME_WORDS or _ROMAN.fullmatch(word):
        return True
    return is_function(low) and not is_given_name(low)


def _is_mere_opening(low: str, words: _Words, counts: WordCounts) -> bool:
    """Whether the first word of a sentence has its capital from its place only."""
    if low in PERSON_TITLES or low in TITLES:
        return False
    times = _OFTEN if len(words) > 1 and is_given_name(low) else 1
    return counts.plain[low] > times * counts.capital[low]


def _place(number: int, text: str, words: _Words, opened: bool) -> Place | None:
    """The name with what stands around it; None where it cannot be one."""
    while words and (
        words[0][0][0].islower()
        or (len(words) > 1 and _low(words[0][0]) in FONDNESS)
        or (len(words) > 1 and _low(words[0][0]) in LOOKS and _low(words[1][0]) in PERSON_TITLES)
    ):
        words, opened = words[1:], False
    if not words or (len(words) == 1 and _low(words[0][0]) in _NO_NAMES):
        return None
    start, end = words[0][1], words[-1][2]
    if text[end : end + 2] in ("'t", "’t"):
        return None
    if led := _LED.search(text, max(0, start - _REACH), start):
        start = led.start()
    if aged := _AGED.search(text, max(0, start - _REACH), start):
        start = aged.start()
    if _low(words[-1][0]) in PERSON_TITLES and (of := _OF.match(text, end)):
        end = of.end()
    article = _ARTICLE.search(text, max(0, start - _REACH), start)
    edge = article.start() if article else start
    place = place_at(number, text, (start, end), written(text[start:end]), edge)
    place.fond = fond[0] if (fond := _DEAR.search(text, max(0, start - _REACH), start)) else ""
    place.article, place.opens = article is not None, opened
    return place


def place_at(number: int, text: str, span: tuple[int, int], form: str, edge: int) -> Place:
    """The place of a form behind the article that begins at ``edge``, with what is around it."""
    start, end = span
    before = _BEFORE.search(text, max(0, edge - _REACH), edge)
    word = fold(before[1]) if before and before[1] else ""
    behind = _BEHIND.match(text, end, min(len(text), end + _REACH))
    signs = (before[3] or "" if before else "", behind[2] if behind else "")
    return Place(
        number,
        start,
        end,
        form,
        "",
        word,
        fold(behind[3] or "") if behind else "",
        (signs[0].strip(" _*"), signs[1].strip(" _*")),
        article=True,
        opens=False,
        owns=bool(behind and behind[1]),
    )


def written(name: str) -> str:
    """The name on one line; what stands in capitals only is written as names are."""
    words = name.split()
    loud = name.isupper() and any(len(word) >= _LOUD for word in words)
    return " ".join(
        word.title() if word.isupper() and (loud or len(word) >= _LOUD) else word for word in words
    )
