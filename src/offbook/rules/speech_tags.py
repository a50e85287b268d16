"""What the narration beside a quotation says of its speaker: "said Anne", "he turned and asked:".

Takes: the words of the narration between quotations, with the members named there.  Gives: the
subject of the verb of speech, or of the sentence. Source: ours; the patterns of Elson and McKeown
2010 ("Automatic Attribution of Quoted Speech in Literary Narrative") and of Muzny et al. 2017.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from offbook.names.titles import KIN
from offbook.text import grammar
from offbook.text.clauses import tokens_of
from offbook.text.english_words import is_english
from offbook.text.grammar import Gender, word_set
from offbook.text.verbs import is_finite, is_past
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.rules")
_SAYING: Final = _LISTS["saying"]
_VOICES: Final = _LISTS["voices"]
_GENDERS: Final[dict[str, Gender]] = {"he": "m", "she": "f", "his": "m", "her": "f"}
_SUBJECTS: Final = word_set("he she i they we you it who")
ENDS: Final = frozenset(".!?。！？")
_COLONS: Final = frozenset(":：")
_GOES_ON: Final = frozenset(",;:，；：")
_POSSESSIVE: Final = frozenset(("'s", "'", "’"))
_DASHES: Final = frozenset("-–—")
_NEW: Final = word_set("a an another some")
"""What names somebody who was not there before."""
_PARTICLES: Final = word_set("out on in up back off from")
_MEANWHILE: Final = word_set("while whilst till until whereupon")
_SOURCES: Final = word_set("by from of")
_HEARING: Final = word_set("heard hear")
_AT_LAST: Final = word_set("at last length")
_ADJECTIVES: Final = 3
_REACH: Final = 6
"""How many words may stand between a subject and its verb."""


class Item(NamedTuple):
    """A word, a sign, or all of a name; ``member`` is who it names."""

    low: str
    text: str
    start: int
    member: int | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is made of letters."""
        return self.text[0].isalnum()


class Subject(NamedTuple):
    """Who speaks or acts, as the narration puts it.

    A ``name`` has its member, a ``noun`` ("her mother", "the old man") or ``pronoun`` its gender;
    ``other`` is somebody who is no member, or several.
    """

    kind: Literal["name", "pronoun", "noun", "other"]
    start: int
    member: int | None = None
    gender: Gender = ""
    word: str = ""


def items_of(text: str, start: int, end: int, named: Mapping[int, tuple[int, int]]) -> list[Item]:
    """The words of ``text[start:end]``; ``named`` has the end and the member of names by start."""
    items: list[Item] = []
    behind = start
    for token in tokens_of(text[start:end]):
        offset = start + token.start
        if offset < behind:
            continue
        if not token.text.isascii():  # names stand within the runs of scripts without blanks
            offset = next((n for n in range(offset, start + token.end) if n in named), offset)
        if offset in named:
            behind, member = named[offset]
            name = text[offset:behind]
            items.append(Item(name.lower(), name, offset, member))
        else:
            items.append(Item(token.low, token.text, offset))
    return items


def sentences_of(items: Sequence[Item]) -> list[list[Item]]:
    """The items sentence by sentence, each with its stop."""
    split: list[list[Item]] = [[]]
    for before, item in zip([None, *items], items, strict=False):
        split[-1].append(item)
        short = before is not None and before.low in grammar.TITLES and item.text == "."
        if item.text in ENDS and not short:
            split.append([])
    return [sentence for sentence in split if any(item.is_word for item in sentence)]


def subject_at(items: Sequence[Item], index: int) -> tuple[Subject, int] | None:
    """Who is named at ``index``, and where the words of that end; None if nobody is."""
    item = items[index]
    rest = items[index + 1 : index + 1 + _REACH]
    if item.member is not None:
        if not rest or rest[0].low not in _POSSESSIVE:
            return Subject("name", item.start, item.member), index + 1
        voice = next((n for n, each in enumerate(rest[1:4]) if each.low in _VOICES), None)
        if voice is not None:
            return Subject("name", item.start, item.member), index + 3 + voice
        return _noun(items, index + 1, item.start)
    if item.low in _SUBJECTS:
        gender = _GENDERS.get(item.low, "")
        return Subject("pronoun", item.start, None, gender, item.low), index + 1
    if item.low in grammar.DETERMINERS:
        voice = next((n for n, each in enumerate(rest[:3]) if each.low in _VOICES), None)
        if voice is not None and item.low in _GENDERS:
            word = "he" if _GENDERS[item.low] == "m" else "she"
            return Subject("pronoun", item.start, None, _GENDERS[item.low], word), index + 2 + voice
        if voice is not None and len(rest) > voice + 2 and rest[voice + 1].low == "of":
            return subject_at(items, index + voice + 3)
        return _noun(items, index, item.start)
    if _is_name(items, index):
        end = index + 1
        while end < len(items) and items[end].text[0].isupper():
            end += 1
        return Subject("other", item.start, word=item.low), end
    return None


def _is_name(items: Sequence[Item], index: int) -> bool:
    """Whether a word outside the cast is a name, not one that begins a sentence."""
    item = items[index]
    if not item.text[0].isupper() or item.low in grammar.FUNCTION:
        return False
    follows = items[index + 1] if index + 1 < len(items) else None
    has_verb = follows is not None and (is_saying(follows) or is_finite(follows.low))
    return index > 0 or has_verb or not is_english(item.low)


def _noun(items: Sequence[Item], index: int, start: int) -> tuple[Subject, int] | None:
    """The noun for a person behind a determiner or an owner."""
    for place in range(index + 1, min(len(items), index + 1 + _REACH)):
        item = items[place]
        if item.member is not None:
            return Subject("name", start, item.member), place + 1
        ends = item.low in grammar.PREPOSITIONS or item.low in grammar.AUXILIARIES
        if not item.is_word or ends or item.low in _VOICES or is_saying(item):
            return None
        if item.low in grammar.PERSON_NOUNS or item.low in KIN:
            gender = KIN.get(item.low, ("", ""))[1]
            if item.low in grammar.MALE_NOUNS:
                gender = "m"
            elif item.low in grammar.FEMALE_NOUNS:
                gender = "f"
            follows = items[place + 1] if place + 1 < len(items) else None
            if follows and (follows.member is not None or follows.low in grammar.PERSON_NOUNS):
                continue
            if follows and follows.low in _POSSESSIVE:
                continue
            kind: Literal["noun", "other"] = "other" if items[index].low in _NEW else "noun"
            return Subject(kind, start, None, gender, item.low), place + 1
    return None


def is_saying(item: Item) -> bool:
    """Whether a word is a verb of speech."""
    return item.member is None and item.low in _SAYING


def tag_behind(items: Sequence[Item], last: str) -> Subject | None:
    """The subject of a tag right behind a quotation whose last sign is ``last``.

    None where the narration begins anew, or does not say who speaks.
    """
    words = next(iter(sentences_of(items)), [])
    index = 0
    while index < len(words) and (not words[index].is_word or _passes(words[index])):
        index += 1
    if index >= len(words):
        return None
    opens = next(item for item in words if item.is_word)
    goes_on = last in _GOES_ON or opens.text[0].islower()
    if (
        index
        and words[index - 1].low in grammar.COORDINATORS
        and (items[-1].text in _COLONS or not goes_on)
    ):
        return None  # "...," and Anne said: "..."
    if goes_on and (is_saying(words[index]) or is_past(words[index].low)):
        subject = _behind_verb(words, index)
        return subject if subject or not is_saying(words[index]) else _before_verb(words, index)
    led = subject_at(words, index)
    if led is None:
        return _of_verb(words) if goes_on else None
    return _with_verb(words, *led, goes_on)


def _with_verb(words: Sequence[Item], subject: Subject, end: int, goes_on: bool) -> Subject | None:
    """A subject that a verb follows: of speech, or any where the quotation's sentence goes on."""
    for place in range(end, len(words)):
        item = words[place]
        if is_saying(item):
            return subject
        if item.low in _HEARING:
            return _of_verb(words) or Subject("other", item.start)
        if goes_on and is_finite(item.low):
            return subject
        if not goes_on and (place > end + _REACH or item.text in ".;:"):
            return None
    return subject if goes_on and end >= len(words) - 1 else None


def _passes(item: Item) -> bool:
    """Whether a word may stand before the verb of a tag without being its subject."""
    return item.member is None and (
        item.low in grammar.ADVERBS
        or item.low in grammar.COORDINATORS
        or item.low in _AT_LAST
        or item.low.endswith("ly")
    )


def _behind_verb(words: Sequence[Item], verb: int) -> Subject | None:
    """The subject that follows its verb: "said Anne", "went on the old man"."""
    place = verb + 1
    while place < len(words) and (words[place].low in _PARTICLES or _passes(words[place])):
        place += 1
    if place >= len(words):
        return None
    if words[verb].low in grammar.AUXILIARIES:
        return _source(words, place)
    for _ in range(_ADJECTIVES):  # "remarked poor old Anne"
        named = words[place].member is not None or words[place].low in grammar.FUNCTION
        if named or not words[place].text.islower() or place + 1 == len(words):
            break
        place += 1
    subject = subject_at(words, place)
    if subject is None and is_saying(words[verb]) and words[place].low in grammar.DETERMINERS:
        return Subject("other", words[place].start)
    return subject[0] if subject and words[place].low != "it" else None


def _source(words: Sequence[Item], start: int) -> Subject | None:
    """Whose the words are: "was Anne's opinion", "was uttered by Anne"."""
    for place in range(start, len(words)):
        item, behind = words[place], words[place + 1 : place + 2]
        owns = bool(behind) and behind[0].low in _POSSESSIVE
        if item.member is not None and (owns or words[place - 1].low in _SOURCES):
            return Subject("name", item.start, item.member)
        if item.text in _GOES_ON:
            break
    return None


def _before_verb(words: Sequence[Item], verb: int) -> Subject | None:
    """The subject in front of a verb of speech, or of the clause that the verb goes on with."""
    place = verb - 1
    while place >= 0 and (
        words[place].low in grammar.AUXILIARIES
        or (words[place].low not in grammar.COORDINATORS and _passes(words[place]))
    ):
        place -= 1
    if place < 0:
        return None
    inner = words[place].text == ","
    if inner:  # "Anne, after a pause, said"
        place = next((n for n in range(place - 1, 0, -1) if words[n].text == ","), 0) - 1
    goes_on = words[place].low in grammar.COORDINATORS or words[place].low in grammar.PREPOSITIONS
    return (None if goes_on else _ending_at(words, place, inner)) or _clause_subject(words[:verb])


def _ending_at(words: Sequence[Item], last: int, inner: bool = False) -> Subject | None:
    """Who is named by words up to ``last``: as a subject, or (``inner``) as any part."""
    if last > 0 and words[last].low in _POSSESSIVE and words[last - 1].member is not None:
        return Subject("name", words[last - 1].start, words[last - 1].member)  # "Anne's saying"
    for begin in range(last, max(-1, last - _REACH), -1):
        before = words[begin - 1] if begin else None
        low = before.low if before else ""
        ends = low in grammar.PREPOSITIONS - grammar.AMBIGUOUS_PREPOSITIONS
        if (subject := subject_at(words, begin)) and subject[1] == last + 1:
            if subject[0].word == "who":
                return _ending_at(words, begin - 1 - (low == ","), inner=True)
            if inner or not (ends or low in grammar.DETERMINERS):
                return subject[0]
        elif words[begin].low in grammar.DETERMINERS and not (ends or inner):
            return Subject("other", words[begin].start)
        elif not words[begin].is_word:
            break
    return None


def _clause_subject(words: Sequence[Item]) -> Subject | None:
    """The subject of the last main clause of a sentence, which its last verb goes on with."""
    for index in range(len(words) - 2, 0, -1):
        if words[index].text == ";" or (
            (words[index].text == "," or words[index + 1].low in _MEANWHILE)
            and (words[index + 1].low in grammar.COORDINATORS or words[index + 1].low in _MEANWHILE)
            and (led := subject_at(words, index + 2) if index + 2 < len(words) else None)
            and (verb := next((w for w in words[led[1] :] if not _passes(w)), None))
            and (verb.text == "," or is_finite(verb.low))
        ):
            words = words[index + 1 :]
            break
    begins = words[0].low in grammar.SUBORDINATORS if words else False
    return main_subject(words) or (main_subject(words[1:]) if begins else None)


def _of_verb(words: Sequence[Item]) -> Subject | None:
    """The subject of the last verb of speech in a sentence that has one."""
    for verb in range(len(words) - 1, -1, -1):
        if not is_saying(words[verb]):
            continue
        behind = _behind_verb(words, verb)
        next_to = behind and behind.kind != "other" and words[verb + 1].start == behind.start
        if subject := _before_verb(words, verb) or (behind if next_to else None):
            return subject
    return None


def main_subject(words: Sequence[Item]) -> Subject | None:
    """The subject of a sentence: the first that stands in no clause or phrase before it."""
    index = 0
    while index < len(words):
        word = words[index]
        opens = word.low in grammar.SUBORDINATORS or word.low in grammar.AMBIGUOUS_PREPOSITIONS
        opens = opens and word.low not in grammar.COORDINATORS
        opens = opens or (word.low.endswith("ing") and not word.low.endswith("thing"))
        if word.member is None and (opens or word.low in grammar.PREPOSITIONS):
            while index < len(words) and words[index].low != ",":
                index += 1
        elif (subject := subject_at(words, index)) and subject[0].word != "it":
            return subject[0]
        index += 1
    return None


def tag_before(items: Sequence[Item]) -> Subject | None:
    """The subject of a sentence that leads up to a quotation: ``She said:``, ``Anne cried,``."""
    words = next(reversed(sentences_of(items)), [])
    leads_on = bool(words) and (words[-1].text in _GOES_ON or words[-1].text in _DASHES)
    while words and (words[-1].text in _DASHES or words[-1].text in _GOES_ON):
        words = words[:-1]
    if not words or words[-1].low in grammar.COORDINATORS:  # "No!" said Anne, and "No!" ...
        return None
    if words[-1].text in ENDS:
        return _spoke(words[:-1])
    if leads_on and words[-1].member is not None and [w.low for w in words[-2:-1]] == ["from"]:
        return Subject("name", words[-1].start, words[-1].member)  # "a whisper from Anne:"
    return _of_verb(words) or (_clause_subject(words) if leads_on else None)


def _spoke(words: Sequence[Item]) -> Subject | None:
    """The subject of a sentence that ends in its verb of speech: "Anne interrupted him."""
    verb = len(words) - 1
    while verb > 0 and (words[verb].low in grammar.OBJECT_PRONOUNS or _passes(words[verb])):
        verb -= 1
    first = next((n for n, item in enumerate(words) if is_saying(item)), 0)
    return _before_verb(words, verb) if 0 < verb == first else None


def leads(items: Sequence[Item]) -> list[Subject]:
    """The subjects of the sentences of narration, in order."""
    return [subject for words in sentences_of(items) if (subject := main_subject(words))]
