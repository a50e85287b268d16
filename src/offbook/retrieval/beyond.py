"""What lies beyond a character: words that its texts never use, years after its time.

Takes: a question, or texts about a character.  Gives: words that the texts lack, as the question
writes them; the last year that the character can have seen. Both are evidence of what it cannot
know of. Source: ours; years and turns of phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from offbook.names.character import FirstPerson, Names, learn_names
from offbook.names.nicknames import is_given
from offbook.text.clauses import tokens_of
from offbook.text.english_words import is_english
from offbook.text.grammar import MONTHS_AND_DAYS, NAME_PARTICLES, TITLES
from offbook.text.sentences import sentences
from offbook.text.words import fold, search_terms, word_term, words

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORTEST_PLACE: Final = 4
_ALPHABETIC: Final = "\u2e80"
"""From here on the scripts whose words do not stand between blanks."""


def unmentioned_words(question: str, holds: Callable[[str], bool]) -> tuple[str, ...]:
    """The words of ``question`` that the texts never use in any form.

    Returns:
        Each word once, as it is written first, in the order of the question; no stop words.
    """
    lacking: dict[str, str] = {}
    for match in _WORD.finditer(question):
        word = match.group()
        if max(word) >= _ALPHABETIC:
            continue
        term = word_term(fold(word))
        if term and not holds(term) and not any(map(holds, _of_its_people(word))):
            lacking.setdefault(term, word)
    return tuple(lacking.values())


def mentions(text: str, name: str) -> bool:
    """Whether a text uses every word of a name, in any form; with its capital, where it has one."""
    if name[:1].isupper() and name.split(None, 1)[0] not in text:
        return False
    terms = set(search_terms(name))
    return bool(terms) and terms.issubset(search_terms(text))


def _of_its_people(word: str) -> Iterator[str]:
    """Terms of the adjectives that a place of this name would have: the Crimea, Crimean."""
    low = fold(word).removesuffix("'s")
    if len(low) < _SHORTEST_PLACE or is_english(low) or is_given(low):
        return  # Julian is not of Julia's people
    if low.endswith("a"):
        yield word_term(f"{low}n")
    elif low.endswith("y"):
        yield from (word_term(f"{low[:-1]}ian"), word_term(low[:-1]))
    else:
        yield from (word_term(f"{low}ian"), word_term(f"{low}ese"))


_BEHIND: Final = (
    r"(?=\s*(?:[,.;:)/?!\]–—-]|$)|\s+(?:and|or|to|when|where|while|with|as|he|she|I|we|it|they|my|his"
    r"|her|the|a|an|in|at|by|for|but|which|who|after|before|was|were|is|of)\b)"
)
_YEAR: Final = re.compile(
    r"\b(?P<marked>\d{1,4}) (?P<era>BCE?|CE|AD)\b"
    r"|\b(?:the )?(?P<century>\d{1,2})(?:st|nd|rd|th)(?:[ -]century| centuries)(?P<before> BCE?)?"
    rf"|(?<![\d.,])(?P<plain>1\d{{3}}|20\d{{2}})(?:s\b|{_BEHIND})"
    r"|(?<=\bthe )(?P<event>1[89]\d\d|20\d\d)(?= [a-z]*[^\Ws]\b)"
)
_LIFE: Final = re.compile(r"\bI,? \([^()]*?[–—-]\s*(?P<end>[^()–—]*)\)")
_END: Final = re.compile(
    r"\bI (?:\w+ly )?(?:died|perished|passed away|fell in battle|was (?:killed|executed|murdered"
    r"|assassinated|slain|beheaded|hanged|burned at the stake))\b(?P<end>[^.;]*)"
)
_UNTIL_DEATH: Final = re.compile(r"\b(?:until|till|before) (?:his|her|my) death\b(?P<end>[^.;,]*)")
"""Whose death may be another's: it counts where no later year is told."""
_SPAN: Final = re.compile(
    r"\((?P<from>[^()]{0,200}?\d[^()]{0,40}?)[–—-](?P<end>[^()–—-]{0,60}?"
    r"(?P<year>\d{3,4}|\d{1,4}(?= (?:BC|AD)))(?:/\d+)?(?P<era> BCE?)?(?: CE| AD)?) *\)"
)
"""A life in brackets, as behind the name that heads an article: "(70/69 BC – 10 August 30 BC)"."""
_RUN_OF_CAPITALS: Final = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
    r"(?: (?:(?:of|the|van|von|de|da|di|al) )*[^\W\d_a-zß-öø-ÿ][\w'’.-]*)*"
)
_TITLE: Final = re.compile(r"(?m)^#{1,6} +(.+)$")
_NEAR: Final = 80
"""Characters between the name and the bracket: the rest of the name, titles, a pronunciation."""
_HEAD: Final = 4000
"""Characters of a text that are read for the dates of a life: they stand where it is introduced."""
_DAY: Final = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?P<month>[A-ZÀ-Þ]\w+),? \d{3,4}\b")
_LIFETIME: Final = 100
"""Years that nobody sees both ends of, where the text does not tell when the character died."""
_OUR_TIME: Final = 1950
_FEWEST_YEARS: Final = 3
"""Years within a lifetime that a text must name to tell what time it is set in."""
_TELLING_LENGTH: Final = 1500
"""Characters from which on a text tells its time by the things that it does without."""
_OUTLIVED: Final = 10
"""Years after the last that a text names which a character may see."""
_OF_OUR_TIME: Final = re.compile(
    r"\b(?:televisions?|tv|computers?|internet|online|e-?mails?|web ?sites?|laptops?|smart ?phones?"
    r"|(?:cell|mobile) ?phones?|phones?|videos?|dvds?|airports?|astronauts?|robots?|apps?"
    r"|plastics?|supermarkets?|teenagers?|jeans|okay|guys|drones?"
    r"|(?:star|space) ?ships?|lasers?|galax(?:y|ies)|holograms?|androids?|cyborgs?)\b",
    re.IGNORECASE,
)
"""Things and words that nearly every longer text of our time has, and none of an earlier one."""


def years_in(text: str) -> Iterator[int]:
    """Years that a sentence names, those before our era negative; a century by its first year."""
    return map(_year, _YEAR.finditer(text))


def _year(match: re.Match[str]) -> int:
    if match["marked"]:
        return -int(match["marked"]) if match["era"].startswith("B") else int(match["marked"])
    if match["century"]:
        number = int(match["century"])
        return -100 * number if match["before"] else 100 * (number - 1) + 1
    return int(match["plain"] or match["event"])


def last_year(sentences_told: Iterable[str]) -> int | None:
    """The last year of the character's life, or the last that it can have seen.

    Args:
        sentences_told: What the text says of the character, in the first person.

    Returns:
        The year of the death where it is told, else a long lifetime after the first year that is
        told of the character; None where there is no year.
    """
    first: int | None = None
    death, last = None, 0
    for text in sentences_told:
        for pattern in (_LIFE, _END):
            if (match := pattern.search(text)) and (years := list(years_in(match["end"]))):
                return max(years)
        if until := _UNTIL_DEATH.search(text):
            death = max(years_in(until["end"]), default=death)
        for year in years_in(text):
            first, last = (year, year) if first is None else (min(first, year), max(last, year))
    if first is not None and death is not None and death >= last:
        return death
    return None if first is None else first + _LIFETIME


def last_year_of(character: str, texts: Sequence[str]) -> int | None:
    """The last year that ``character`` can have seen, as far as the heads of its texts tell.

    Returns:
        As ``last_year``; of several texts the first that tells one. None where their months are
        not ours. Where none does, as with most
        characters of fiction, the end of the time that the texts are set in, if they tell it.
    """
    if _has_its_own_calendar(texts):
        return None
    for text in texts:
        head = text[:_HEAD]
        if (year := _end_of_span(character, head)) is not None:
            return year
        names = learn_names(character, _TITLE.findall(head), (head,))
        if (year := last_year(_of_the_character(names, head))) is not None:
            return year
    return _end_of_setting(texts)


def _has_its_own_calendar(texts: Sequence[str]) -> bool:
    """Whether dates are told, and none in a month of ours: the years are then not ours either."""
    months = {fold(match["month"]) for text in texts for match in _DAY.finditer(text)}
    return bool(months) and months.isdisjoint(MONTHS_AND_DAYS)


def _end_of_setting(texts: Sequence[str]) -> int | None:
    """A few years after the last year that texts of an earlier time name.

    A story of our time may speak of earlier years, too, but does without the things of our time
    in no text of any length: one without them and without years is set before them, or nowhere.
    """
    named = {year for text in texts for year in years_in(text)}
    last = max(named, default=_OUR_TIME)
    near = [year for year in named if last - year <= _LIFETIME]
    if last > _OUR_TIME or any(map(_OF_OUR_TIME.search, texts)):
        return None
    if not named:
        return _OUR_TIME if sum(map(len, texts)) >= _TELLING_LENGTH else None
    return last + _OUTLIVED if len(near) >= _FEWEST_YEARS and last < _OUR_TIME else None


def _end_of_span(character: str, head: str) -> int | None:
    """The year after the dash in the first life in brackets that stands behind the name."""
    name_words = set(words(character)) - TITLES - NAME_PARTICLES
    for match in _SPAN.finditer(head):
        before = head[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
        named = _RUN_OF_CAPITALS.findall(re.split(r"[.!?;] ", before)[-1])
        if named and name_words & set(words(named[-1])):
            return -int(match["year"]) if match["era"] else int(match["year"])
    return None


def _of_the_character(names: Names, text: str) -> Iterator[str]:
    """The sentences that name the character or have it as their subject, "I" in its place.

    A pronoun that begins a sentence is taken for the subject of the one before.
    """
    pronoun = {"m": "he", "f": "she"}.get(names.gender, "")
    parts = [text[start:end] for start, end in sentences(text)]
    leads = False
    for sentence, turned_first in zip(parts, FirstPerson(names).passage(parts), strict=True):
        tokens = tokens_of(sentence)
        mentions = names.mentions(tokens)
        first_word = next((index for index, token in enumerate(tokens) if token.is_word), None)
        named_first = any(first == first_word for first, _ in mentions)
        leads = named_first or (
            leads and first_word is not None and tokens[first_word].low == pronoun
        )
        spans = [(tokens[first].start, tokens[last - 1].end) for first, last in mentions]
        if turned_first.about or leads:
            spans += [(t.start, t.end) for t in tokens if t.low == pronoun and not t.quoted]
        turned = sentence
        for first, last in sorted(spans, reverse=True):
            turned = f"{turned[:first]}I{turned[last:]}"
        if spans:
            yield turned
