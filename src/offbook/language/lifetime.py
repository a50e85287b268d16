"""What lies after a character's time: it cannot tell of that, however much its text does.

Takes: sentences in the first person, or texts about a character.  Gives: the last year that the
character can have seen, and of a sentence what is not about later times. Source: ours; years and
turns of phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from offbook.language.first_person import FirstPerson
from offbook.language.grammar import NAME_PARTICLES, TITLES
from offbook.language.names import learn_names
from offbook.language.sentences import sentences
from offbook.language.words import words

_BEHIND: Final = (
    r"(?=\s*(?:[,.;:)/?!\]–—-]|$)|\s+(?:and|or|to|when|where|while|with|as|he|she|I|we|it|they|my|his"
    r"|her|the|a|an|in|at|by|for|but|which|who|after|before|was|were|is|of)\b)"
)
_YEAR: Final = re.compile(
    r"\b(?P<marked>\d{1,4}) (?P<era>BCE?|CE|AD)\b"
    r"|\b(?:the )?(?P<century>\d{1,2})(?:st|nd|rd|th)(?:[ -]century| centuries)(?P<before> BCE?)?"
    rf"|(?<![\d.,])(?P<plain>1\d{{3}}|20\d{{2}})(?:s\b|{_BEHIND})"
)
_LIFE: Final = re.compile(r"\bI,? \([^()]*?[–—-]\s*(?P<end>[^()–—]*)\)")
_END: Final = re.compile(
    r"\bI (?:\w+ly )?(?:died|perished|passed away|fell in battle|was (?:killed|executed|murdered"
    r"|assassinated|slain|beheaded|hanged|burned at the stake))\b(?P<end>[^.;]*)"
)
_POSTHUMOUS: Final = re.compile(
    r"\bposthumous(?:ly)?\b|\bmy (?:remains|corpse|skull|bones|death mask|legacy|burial place)\b"
    r"|\b(?:after|since|following|until|upon) my (?:\w+ )?(?:death|demise|execution"
    r"|assassination|suicide|burial|funeral|passing)\b"
    r"|\b(?:to this day|nowadays|in modern times|in modern scholarship)\b"
    r"|\btoday (?:known|called|named|regarded|considered|used|kept|held|preserved)\b"
    r"|\brecently (?:been|examined|discovered|found)\b"
    r"|\b(?:am|is|are|was|were) (?:now|currently) (?:often |being |considered |known |called )"
    r"|\b(?:archaeolog\w+|excavat\w+|exhum\w+)\b",
    re.IGNORECASE,
)
_ACTS: Final = re.compile(
    r"\bI (?!(?:am|was|have|had|would|remain(?:ed)?|became|appear(?:ed)?)\b)\w"
)
_DEATH: Final = r"my (?:\w+ )?(?:death|demise|execution|assassination|suicide)"
_UNTIL: Final = re.compile(
    rf",? (?:until|till|up to) (?:(?:the (?:day|time|year) of|shortly before) )?{_DEATH}"
    r"(?: (?:in|on|at) [^,.;()]*)?"
)
"""What came before the end of a life is not posthumous: "I lived there until my death"."""
_CUT: Final = re.compile(
    r",? ?(?:;|[–—])|, (?:and|but|which|when|where|who|whose|while|although|though|yet|whereas)\b"
    r"| and (?:which|who|whose|this)\b"
)
_OPEN: Final = re.compile(r"(?:Although|Though|While|When|After|Before|Since|If|As)\b(?!.*,)")
_SHORTEST: Final = 5
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
_LIFETIME: Final = 100
"""Years that nobody sees both ends of, where the text does not tell when the character died."""
_OUR_TIME: Final = 1950
_FEWEST_YEARS: Final = 3
"""Years within a lifetime that a text must name to tell what time it is set in."""
_OUTLIVED: Final = 10
"""Years after the last that a text names which a character may see."""
_OF_OUR_TIME: Final = re.compile(
    r"\b(?:televisions?|tv|computers?|internet|online|e-?mails?|web ?sites?|laptops?|smart ?phones?"
    r"|(?:cell|mobile) ?phones?|phones?|videos?|dvds?|airports?|astronauts?|robots?|apps?"
    r"|plastics?|supermarkets?|teenagers?|jeans|okay|guys)\b",
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
    return int(match["plain"])


def last_year(told: Iterable[str]) -> int | None:
    """The last year of the character's life, or the last that it can have seen.

    Args:
        told: What the text says of the character, in the first person.

    Returns:
        The year of the death where it is told, else a long lifetime after the first year that is
        told of the character; None where there is no year.
    """
    first: int | None = None
    for text in told:
        for pattern in (_LIFE, _END):
            if (match := pattern.search(text)) and (years := list(years_in(match["end"]))):
                return max(years)
        for year in years_in(text):
            first = year if first is None else min(first, year)
    return None if first is None else first + _LIFETIME


def last_year_of(character: str, texts: Sequence[str]) -> int | None:
    """The last year that ``character`` can have seen, as far as the heads of its texts tell.

    Args:
        character: Its name.
        texts: A profile, or the documents about it in their order, in any person.

    Returns:
        As ``last_year``; of several texts the first that tells one. Where none does, as with most
        characters of fiction, the end of the time that the texts are set in, if they tell it.
    """
    for text in texts:
        head = text[:_HEAD]
        if (year := _end_of_span(character, head)) is not None:
            return year
        speaker = FirstPerson(learn_names(character, _TITLE.findall(head), (head,)))
        told = speaker.passage(head, sentences(head))
        if (year := last_year(one.text for one in told if one.about)) is not None:
            return year
    return _end_of_setting(texts)


def _end_of_setting(texts: Sequence[str]) -> int | None:
    """A few years after the last year that texts of an earlier time name; else None.

    A story of our time may speak of earlier years, too, but does without the things of our time
    in no text of any length.
    """
    named = {year for text in texts for year in years_in(text)}
    last = max(named, default=_OUR_TIME)
    near = [year for year in named if last - year <= _LIFETIME]
    if last >= _OUR_TIME or len(near) < _FEWEST_YEARS or any(map(_OF_OUR_TIME.search, texts)):
        return None
    return last + _OUTLIVED


def _end_of_span(character: str, head: str) -> int | None:
    """The year after the dash in the first life in brackets that stands behind the name."""
    own = set(words(character)) - TITLES - NAME_PARTICLES
    for match in _SPAN.finditer(head):
        before = head[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
        named = _RUN_OF_CAPITALS.findall(re.split(r"[.!?;] ", before)[-1])
        if named and own & set(words(named[-1])):
            return -int(match["year"]) if match["era"] else int(match["year"])
    return None


def within_life(text: str, last: int | None) -> str:
    """What the character can say of a sentence: without the clauses about what came after it.

    Args:
        text: A sentence in the first person.
        last: The last year that the character can have seen, if it is known.

    Returns:
        The sentence up to the first such clause; empty where nothing is left to stand alone.
    """
    text = _UNTIL.sub("", text)
    at = _first_after(text, last)
    if at < 0:
        return text
    for cut in reversed([match.start() for match in _CUT.finditer(text, 0, at)]):
        kept = text[:cut]
        if len(kept.split()) >= _SHORTEST and not _OPEN.match(kept):
            return f"{kept}."
    return ""


def _first_after(text: str, last: int | None) -> int:
    """Where the first words about a time after the character's life stand; -1 where none do."""
    found = [match.start() for match in _POSTHUMOUS.finditer(text)]
    if last is not None:
        later = [match.start() for match in _YEAR.finditer(text) if _year(match) > last]
        found += [at for at in later if not _ACTS.search(_clause(text, at))]
    return min(found, default=-1)


def _clause(text: str, at: int) -> str:
    """The clause that holds offset ``at``."""
    cuts = [match.start() for match in _CUT.finditer(text)]
    start = max((cut for cut in cuts if cut <= at), default=0)
    return text[start : min((cut for cut in cuts if cut > at), default=len(text))]
