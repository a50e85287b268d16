"""Where names stand in a passage: spans of capitalised words, told from mere openings.

Takes: a passage as tokens.  Gives: spans that are names, titles and particles included, possessive
endings and leading words stripped. Source: ours; evidence within the passage, and word lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from offbook.language import grammar
from offbook.language.english_words import is_english
from offbook.language.grammar import word_set
from offbook.language.verbs import is_finite, is_third_singular
from offbook.language.words import fold
from offbook.models.offline.common_words import INTERJECTIONS, is_common, is_function
from offbook.models.offline.name_words import (
    BARE_TITLES,
    COUNTRIES_AND_CITIES,
    FAMILY_NAMES_OF_ADDRESS,
    HEADS,
    OCCUPATIONS,
    OF_PEOPLES,
    PERSON_TITLES,
    PLACE_FIRST,
    is_given_name,
)
from offbook.models.offline.passage_words import Passage
from offbook.models.offline.span_growth import (
    LONGEST,
    PARTICLES,
    POSSESSIVE,
    TIME_WORDS,
    end_of_span,
    is_capital,
)

_ROMAN: Final = re.compile(r"[IVXLC]{1,6}")
_EPITHETS: Final = word_set(
    "poor dear old young little good sweet honest brave great fair pretty dearest noble gentle"
    " late wicked mad lucky clever handsome foolish kind unhappy silly wretched"
)
_SIDES: Final = word_set("ancient old middle modern north south east west koine classical late")
_DEGREES: Final = word_set("op opus ba ma frs md phd dd mp kg kc qc bsc msc obe llb jr sr esq")
_AFTER_NAMES: Final = word_set("who whom whose and or himself herself")
_NOBLE: Final = word_set(
    "king queen prince princess duke duchess count countess earl baron baroness lord lady marquis"
    " marquess marquise viscount viscountess emperor empress archbishop bishop pope tsar sultan"
    " abbot abbess archduke elector comte comtesse duc duchesse vicomte infanta dauphin khan"
    " emir caliph margrave landgrave maid sister mother saint st"
)
"""Titles that with a place are somebody's name: "the Count of Arran"."""
_BECOMING: Final = word_set("was is as became become made elected")
_FORMS_OF_ADDRESS: Final = word_set(
    "majesty highness excellency lordship ladyship honour honor grace worship eminence holiness"
    " bible scripture english christian god lord heaven hell nature fortune fate devil satan"
    " almighty creator maker deity ad bc bce ce anno pm am tv ok"
)


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """Tokens ``[first, last)`` that are a name; ``sure`` when a capital there means one."""

    first: int
    last: int
    sure: bool


def named_spans(passage: Passage) -> list[NamedSpan]:
    """The names of a passage in order; headings count where the text bears them out."""
    candidates = list(_candidates(passage))
    proven = {_key(passage, span) for span in candidates if span.sure}
    proven_words = {word for key in proven for word in key} - PARTICLES
    kept: list[NamedSpan] = []
    for span in candidates:
        key = _key(passage, span)
        borne_out = key in proven or (len(key) == 1 and key[0] in proven_words)
        if span.sure or borne_out or _is_plausible(passage, span):
            kept.append(NamedSpan(span.first, span.last, span.sure or borne_out))
    return kept


def _key(passage: Passage, span: NamedSpan) -> tuple[str, ...]:
    words = (passage.word(index) for index in range(span.first, span.last))
    return tuple(word for word in words if word[0].isalnum())


def _candidates(passage: Passage) -> Iterator[NamedSpan]:
    index = 0
    while index < len(passage.tokens):
        if not is_capital(passage, index):
            index += 1
            continue
        last = end_of_span(passage, index)
        yield from _trimmed(passage, index, last)
        index = last


def _trimmed(passage: Passage, first: int, last: int) -> Iterator[NamedSpan]:
    """The span without words that are no part of the name; nothing where none is left."""
    opened = passage.opens[first] or passage.titled[first]
    first = _past_opening(passage, first, last)
    last = _without_tail(passage, first, last)
    if first >= last or not _may_name(passage, first, last):
        return
    inner = first > 0 and passage.word(first - 1) and not passage.opens[first]
    if _words(passage, first, last) == 1:
        if not _single_may_name(passage, first):
            return
        sure = not passage.opens[first] and not passage.titled[first]
        sure = sure or _is_set_off(passage, first)
    else:
        sure = bool(inner) and not passage.titled[first]
    sure = sure or (_is_marked(passage, first, last) and (opened or inner) is not None)
    yield NamedSpan(first, last, bool(sure))


def _words(passage: Passage, first: int, last: int) -> int:
    return sum(passage.tokens[index].is_word for index in range(first, last))


def _past_opening(passage: Passage, first: int, last: int) -> int:
    """Past words that owe their capital to their place: "When Edmond", "Poor Jane"."""
    while first < last and passage.opens[first]:
        word = passage.word(first)
        longer = first + 1 < last
        if not _is_opening(passage, word, first, last):
            break
        if not longer and not is_function(word):
            break
        first += 1
        if first < last and not is_capital(passage, first):
            first += _leading_signs(passage, first, last)
        break_off = first >= last or not passage.opens[first]
        if break_off:
            break
    while first + 1 < last and passage.word(first) in ("the", "a", "an", "his", "her", "my"):
        first += 1
    return _past_people(passage, first, last)


def _leading_signs(passage: Passage, first: int, last: int) -> int:
    count = 0
    while first + count < last and not is_capital(passage, first + count):
        count += 1
    return count


def _is_opening(passage: Passage, word: str, first: int, last: int) -> bool:
    if word in PERSON_TITLES or word in PLACE_FIRST - {"point", "rock"}:
        return False
    if is_function(word):
        return True
    if word in _EPITHETS:
        following = passage.word(first + 1)
        return following in PERSON_TITLES or is_given_name(following) or word in ("poor", "dear")
    following = passage.word(first + 1)
    if following in HEADS or (first + 1 < last and following in PARTICLES):
        return False
    return not is_given_name(word) and is_common(word) and word not in HEADS


def _past_people(passage: Passage, first: int, last: int) -> int:
    """Past the adjective of a people in front of a person: "the Italian Abbé Faria"."""
    following = passage.word(first + 1) if first + 1 < last else ""
    if passage.word(first) in OF_PEOPLES and (
        following in PERSON_TITLES or is_given_name(following)
    ):
        return first + 1
    return first


def _without_tail(passage: Passage, first: int, last: int) -> int:
    while last > first and not passage.tokens[last - 1].is_word:
        stop = passage.tokens[last - 1].text == "." and len(passage.tokens[last - 2].text) == 1
        if stop:
            break
        last -= 1
    while last - 1 > first and (
        is_function(passage.word(last - 1))
        and not is_given_name(passage.word(last - 1))
        and not _ROMAN.fullmatch(passage.tokens[last - 1].text)
        and passage.word(last - 1) not in PERSON_TITLES
        and passage.word(last - 2) not in PERSON_TITLES | {"."}
    ):
        last -= 1
    return last


def _may_name(passage: Passage, first: int, last: int) -> bool:
    words = [passage.word(index) for index in range(first, last)]
    letters = [word for word in words if word[0].isalnum()]
    if not letters or len(letters) > LONGEST or all(word.isdigit() for word in letters):
        return False
    if all(word in TIME_WORDS or word in _FORMS_OF_ADDRESS for word in letters):
        return False
    if all(word in OF_PEOPLES or word in _SIDES for word in letters):
        return False
    if all(is_function(word) for word in letters) or letters[-1] in grammar.LANGUAGES:
        return False
    if letters[1:2] == ["of"] and _is_office(passage, first):
        return False
    return any(sum(c.isalpha() for c in word) > 1 for word in letters)


def _is_office(passage: Passage, first: int) -> bool:
    """Whether it is an office, or what somebody becomes: "she was Queen of Egypt"."""
    head = passage.word(first)
    if head in OCCUPATIONS | PERSON_TITLES and head not in _NOBLE:
        return True
    return head in _NOBLE and passage.word(first - 1) in _BECOMING


def _single_may_name(passage: Passage, index: int) -> bool:
    """Whether one capitalised word can be a name by itself."""
    token = passage.tokens[index]
    word = token.low
    if word in INTERJECTIONS or word in grammar.MONTHS_AND_DAYS or is_function(word):
        return False
    if _ROMAN.fullmatch(token.text) or (token.text.isupper() and is_common(word)):
        return False
    if len(word) < 2 or word in _DEGREES or word in PARTICLES:
        return False
    if word in PERSON_TITLES:
        return _bare_title(passage, index)
    if _is_adjective(passage, index):
        return False
    if word in HEADS and passage.word(index - 1) == "the" and not passage.opens[index]:
        return word in passage.capitals
    if is_common(word):
        return _is_set_off(passage, index) or _common_name(passage, index)
    return True


def _is_set_off(passage: Passage, index: int) -> bool:
    """Whether one word stands in italics, as ships and works do."""
    token = passage.tokens[index]
    marks = passage.text[token.start - 1 : token.start] + passage.text[token.end : token.end + 1]
    return marks in ("**", "__") and token.low not in passage.plain and not passage.opens[index - 1]


def _bare_title(passage: Passage, index: int) -> bool:
    word = passage.word(index)
    if word in FAMILY_NAMES_OF_ADDRESS:
        free = not passage.opens[index] and passage.word(index - 1) not in _DETERMINING
        return free and word in passage.capitals
    return word in BARE_TITLES and passage.word(index - 1) == "the" and not passage.titled[index]


_DETERMINING: Final = word_set(
    "the a an my your his her our their this that no every some any 's 'thy' whose its"
)


def _is_adjective(passage: Passage, index: int) -> bool:
    """Whether a noun follows what is shaped like an adjective of a name: "Victorian era"."""
    word, after = passage.word(index), passage.word(index + 1)
    if word.endswith(("ese", "ish")) and passage.word(index - 1) in ("a", "an", "the"):
        return True
    if word.endswith(("-born", "-speaking", "-style", "-like", "-based", "-era", "ism")):
        return True
    if not word.endswith(("ian", "ean", "ish", "ese", "ic", "an", "ine")):
        return False
    if not after or not after[0].isalpha() or passage.tokens[index + 1].is_capital:
        return False
    if not passage.touches(index, index + 1) or after in _AFTER_NAMES or is_function(after):
        return False
    return not (is_finite(after) or after.endswith("ly"))


def _common_name(passage: Passage, index: int) -> bool:
    """Whether an ordinary word is somebody's name here: "and Rose said", never "Rose petals"."""
    if passage.opens[index] or passage.titled[index]:
        return False
    word, before, after = passage.word(index), passage.word(index - 1), passage.word(index + 1)
    if before in _DETERMINING or word in passage.plain or word in HEADS:
        return False
    if before in ("at", "near", "from", "in"):
        return True
    acts = is_finite(after) or after in ("'s", "who")
    addressed = passage.tokens[index].quoted and before == "," and after in (",", ".", "!", "?")
    return acts or addressed or passage.capitals[word] > 1


def _is_marked(passage: Passage, first: int, last: int) -> bool:
    """Whether the words themselves show a name: a title with a name, a given name, a numeral."""
    words = [passage.word(index) for index in range(first, last) if passage.tokens[index].is_word]
    if len(words) == 1:
        return words[0] in COUNTRIES_AND_CITIES
    titled = words[0] in PERSON_TITLES
    headed = words[-1] in HEADS and not is_common(words[0])
    return titled or is_given_name(words[0]) or headed


def _is_plausible(passage: Passage, span: NamedSpan) -> bool:
    """Whether a span whose capital proves nothing reads as a name by what stands around it."""
    if passage.titled[span.first]:
        return False
    words = _key(passage, span)
    if len(words) > 1:
        return not (is_common(words[0]) and is_common(words[-1]))
    word = words[0]
    if word in passage.plain or is_common(word):
        return False
    if passage.capitals[word]:
        return True
    after = passage.word(span.last)
    if word.endswith("s") and not word.endswith("ss") and after in ("are", "were", "have", "do"):
        return False
    if is_given_name(word) and is_english(fold(word)) and after.isalpha():
        return is_finite(after) or is_function(after)  # "Rose petals fell" names nobody
    if is_given_name(word) or not after or not after[0].isalnum() or after in POSSESSIVE:
        return True
    return is_finite(after) or is_third_singular(after) or is_function(after)
