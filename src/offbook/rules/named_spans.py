"""Where names stand in a passage: spans of capitalised words, told from mere openings.

Takes: a passage as tokens.  Gives: spans that are names, titles and particles included, possessive
endings and leading words stripped. Source: ours; evidence within the passage, and word lists.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from offbook.rules.name_words import (
    BARE_TITLES,
    COUNTRIES_AND_CITIES,
    FAMILY_NAMES_OF_ADDRESS,
    HEADS,
    INTERJECTIONS,
    OCCUPATIONS,
    OF_PEOPLES,
    PERSON_TITLES,
    PLACE_FIRST,
    is_common,
    is_function,
    is_given_name,
)
from offbook.rules.passage_words import Passage
from offbook.text import grammar
from offbook.text.english_words import is_english
from offbook.text.grammar import word_set
from offbook.text.verbs import is_finite, is_third_singular
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

PARTICLES: Final = _LISTS["particles"]
"""What joins the words of a name."""
_ABBREVIATED: Final = _LISTS["abbreviated"]
_INFORMING: Final = _LISTS["informing"]
_FIRMS: Final = word_set("son sons co company brothers bros daughters")
POSSESSIVE: Final = frozenset(("'s", "'", "’"))
_LONGEST_WORD: Final = 40
_ENGLISH_I: Final = frozenset(("i", "i'm", "i'll", "i'd", "i've"))
TIME_WORDS: Final = grammar.MONTHS_AND_DAYS - {"may", "march", "april", "june", "august"}
_ERAS: Final = frozenset(("ad", "bc", "bce", "ce"))
_PLACE_LEADS: Final = frozenset(("in", "on", "at", "near", "from", "to"))
LONGEST: Final = 9
"""Words of the longest name."""


def is_capital(passage: Passage, index: int) -> bool:
    """Whether the word is written as a name may be; d'Artagnan and O'Brien included."""
    token = passage.tokens[index]
    if not token.is_word or len(token.text) > _LONGEST_WORD or _is_torn(passage, token.end):
        return False
    if token.low in _ENGLISH_I:
        return _is_the_first(passage, index)
    if token.is_capital:
        return True
    return len(token.text) > 3 and token.text[1] in "'’" and token.text[2].isupper()


def _is_torn(passage: Passage, end: int) -> bool:
    """Whether an accent follows that Unicode holds apart: the word was cut in its middle."""
    return end < len(passage.text) and bool(unicodedata.combining(passage.text[end]))


def _is_the_first(passage: Passage, index: int) -> bool:
    """Whether "I" is a numeral: Ptolemy *I* Soter, Elizabeth *I*, but not "told Tom I would"."""
    if index == 0 or passage.tokens[index].text != "I" or passage.opens[index]:
        return False
    before = passage.tokens[index - 1]
    if not (before.is_capital and len(before.text) > 2) or is_common(before.low):
        return False
    after = passage.tokens[index + 1] if index + 1 < len(passage.tokens) else None
    if after is None or after.text in ",.;)":
        return True
    return after.is_capital or after.low in ("of", "and", "'s", "was", "is", "had")


def end_of_span(passage: Passage, first: int) -> int:
    """The index behind the last word that still belongs to the name that begins at ``first``."""
    index = first + 1
    while index < len(passage.tokens) and index - first < 2 * LONGEST:
        step = _next_word(passage, first, index)
        if step == 0:
            break
        index += step
    return index


def _next_word(passage: Passage, first: int, index: int) -> int:
    """How many tokens the name goes on by at ``at``; 0 where it ends."""
    token = passage.tokens[index]
    if token.text == ".":
        return _past_stop(passage, index)
    if token.low in POSSESSIVE:
        return _past_possessive(passage, index)
    if not passage.touches(index - 1, index) or passage.titled[index] != passage.titled[first]:
        return 0
    if is_capital(passage, index):
        return int(not passage.opens[index] and not _parts(passage, index))
    if token.low in PARTICLES:
        return _past_particles(passage, first, index)
    if token.low == "the" and passage.word(index - 1) not in TIME_WORDS:
        return 2 * _is_byname(passage, first, index)
    firm = token.text in ("&", "and") and _capital_after(passage, index)
    if firm and (token.text == "&" or passage.word(index + 1) in _FIRMS):
        return 2
    return 0


def _parts(passage: Passage, index: int) -> bool:
    """Whether another name begins at ``at``: after a day or month, or with a title."""
    before, word = passage.word(index - 1), passage.word(index)
    if before in TIME_WORDS | _ERAS or word in TIME_WORDS | _ERAS:
        return True
    if word in PERSON_TITLES and before in COUNTRIES_AND_CITIES:
        return True  # "In Paris Abbé Busoni kept a house"
    if _place_leads(passage, index):
        return True
    if word in PERSON_TITLES and passage.word(index + 1) == "of" and before not in PERSON_TITLES:
        return True  # "her aunt Eliza Countess of Gawsworth"
    always = word in ("mr", "mrs", "miss", "monsieur", "madame", "mademoiselle")
    return always and before not in PERSON_TITLES


def _place_leads(passage: Passage, index: int) -> bool:
    """Whether a sentence opens with a place and goes on with a person: "On Elba Edmond saw"."""
    led = index >= 2 and passage.opens[index - 2] and passage.word(index - 2) in _PLACE_LEADS
    if not led or passage.capitals[passage.word(index)] < 2 or passage.word(index) in HEADS:
        return False
    after = passage.word(index + 1)
    acts = is_finite(after) or is_third_singular(after)
    return acts or passage.word(index - 1) in COUNTRIES_AND_CITIES


def _past_stop(passage: Passage, index: int) -> int:
    """Past the full stop of an initial or an abbreviation, to the capital behind it."""
    before = passage.tokens[index - 1]
    if before.end != passage.tokens[index].start:
        return 0
    initial = len(before.text) == 1 or (before.text.isupper() and len(before.text) == 2)
    if not (initial or before.low in _ABBREVIATED):
        return 0
    if index + 1 >= len(passage.tokens) or passage.sentence[index + 1] != passage.sentence[index]:
        return 0
    following = passage.tokens[index + 1]
    gap = passage.between(index, index + 1)
    if not gap.strip() and gap.count("\n") < 2 and is_capital(passage, index + 1):
        return 2
    ends_initial = initial and len(before.text) == 1 and following.text[0].islower()
    return int(ends_initial and passage.touches(index, index + 1))


def _past_possessive(passage: Passage, index: int) -> int:
    """Past "'s" where a thing named after its owner follows: St James's Park."""
    if passage.tokens[index - 1].end != passage.tokens[index].start or not _capital_after(
        passage, index
    ):
        return 0
    last = index + 1
    while (
        last + 1 < len(passage.tokens)
        and passage.touches(last, last + 1)
        and is_capital(passage, last + 1)
        and last - index < 4
    ):
        last += 1
    head = passage.word(last)
    named = head in HEADS and head not in ("letters", "letter", "book", "books", "house", "ring")
    return last + 1 - index if named or (head == "house" and last == index + 1) else 0


def _past_particles(passage: Passage, first: int, index: int) -> int:
    """Past "of", "de la", "von der" to the capital that they lead to."""
    last = index + 1
    while last < index + 3 and passage.word(last) in PARTICLES | {"the"}:
        last += 1
    if not _capital_after(passage, last - 1) or _parts(passage, last):
        return 0
    if passage.tokens[index].low == "of" and not _of_joins(passage, first, index, last):
        return 0
    steps = range(index, last)
    return last + 1 - index if all(passage.touches(step, step + 1) for step in steps) else 0


def _of_joins(passage: Passage, first: int, place: int, last: int) -> bool:
    """Whether "X of Y" is one name: a title, a head, or someone's byname."""
    before = passage.word(place - 1)
    if before in _FIRMS | OF_PEOPLES:
        return False
    if before in HEADS | PERSON_TITLES | PLACE_FIRST:
        return before not in FAMILY_NAMES_OF_ADDRESS or not is_given_name(passage.word(last))
    if is_function(passage.word(first)) or (passage.opens[first] and is_common(before)):
        return False
    words = [index for index in range(first, place) if passage.tokens[index].is_word]
    if len(words) > 1 or (passage.word(first - 1) == "the" and not is_common(before)):
        return False  # "Archdeacon Cowley of Tring", "the Blaines of Lake Geneva"
    informed = passage.word(first - 1) in _INFORMING
    following = passage.word(last)
    return not (informed or is_given_name(following) or following in PERSON_TITLES)


def _is_byname(passage: Passage, first: int, index: int) -> bool:
    """Whether "the" leads a byname: Alexander *the Great*, Sinbad *the Sailor*."""
    if not _capital_after(passage, index) or index + 1 >= len(passage.tokens):
        return False
    word = passage.word(index + 1)
    given = passage.word(first - 1) not in _INFORMING and not is_function(passage.word(index - 1))
    apart = word in OF_PEOPLES | COUNTRIES_AND_CITIES or word in HEADS
    apart = apart or word in PERSON_TITLES or passage.word(index + 2) in POSSESSIVE
    return given and is_common(word) and not apart


def _capital_after(passage: Passage, index: int) -> bool:
    after = index + 1
    return (
        after < len(passage.tokens)
        and is_capital(passage, after)
        and passage.touches(index, after)
        and not passage.opens[after]
    )


_ROMAN: Final = re.compile(r"[IVXLC]{1,6}")
_EPITHETS: Final = _LISTS["epithets"]
_SIDES: Final = word_set("ancient old middle modern north south east west koine classical late")
_DEGREES: Final = word_set("op opus ba ma frs md phd dd mp kg kc qc bsc msc obe llb jr sr esq")
_AFTER_NAMES: Final = word_set("who whom whose and or himself herself")
_NOBLE: Final = _LISTS["noble"]
"""Titles that with a place are somebody's name: "the Count of Arran"."""
_BECOMING: Final = word_set("was is as became become made elected")
_FORMS_OF_ADDRESS: Final = _LISTS["forms of address"]


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
    names: list[NamedSpan] = []
    for span in candidates:
        key = _key(passage, span)
        borne_out = key in proven or (len(key) == 1 and key[0] in proven_words)
        if span.sure or borne_out or _is_plausible(passage, span):
            names.append(NamedSpan(span.first, span.last, span.sure or borne_out))
    return names


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
    first = _past_opening(passage, first, last)
    last = _without_tail(passage, first, last)
    if first >= last or not _may_name(passage, first, last):
        return
    sure = not passage.opens[first] and not passage.titled[first]
    if sum(token.is_word for token in passage.tokens[first:last]) == 1:
        if not _single_may_name(passage, first):
            return
        sure = sure or _is_set_off(passage, first)
    yield NamedSpan(first, last, sure or _is_marked(passage, first, last))


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
        while first < last and not is_capital(passage, first):
            first += 1
    while first + 1 < last and passage.word(first) in ("the", "a", "an", "his", "her", "my"):
        first += 1
    return _past_people(passage, first, last)


def _is_opening(passage: Passage, word: str, first: int, last: int) -> bool:
    if word in PERSON_TITLES or word in PLACE_FIRST - {"point", "rock"}:
        return False
    if is_function(word):
        return True
    following = passage.word(first + 1)
    if word in _EPITHETS:
        return following in PERSON_TITLES or is_given_name(following) or word in ("poor", "dear")
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
    """Whether one word stands in italics, as ships and works do, and nowhere else."""
    low = passage.tokens[index].low
    return is_italic(passage, index, index + 1) and low not in passage.plain


def is_italic(passage: Passage, first: int, last: int) -> bool:
    """Whether tokens stand between single signs of Markdown."""
    start, end = passage.tokens[first].start, passage.tokens[last - 1].end
    return passage.text[start - 1 : start] + passage.text[end : end + 1] in ("**", "__")


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
