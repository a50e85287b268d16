"""Which names of a text are persons' names: by titles, given names, and what their bearers do.

Takes: the places of names.  Gives: the forms of persons' names, parsed, with their gender.
Source: ours; explicit weights, none fitted on a corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from offbook.names.nicknames import gender_of_given, latin
from offbook.names.person import PersonName, parse_name
from offbook.rules.cast_names import Place, WordCounts
from offbook.rules.name_words import (
    BARE_TITLES,
    COUNTRIES_AND_CITIES,
    FAMILY_NAMES_OF_ADDRESS,
    HEADS,
    OCCUPATIONS,
    OF_PEOPLES,
    PERSON_TITLES,
    PLACE_ENDINGS,
    PLACE_FIRST,
    is_common,
    is_given_name,
)
from offbook.text import grammar
from offbook.text.grammar import Gender, word_set
from offbook.text.verbs import is_past
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

GERMAN_NOUNS: Final = _LISTS["german nouns like names"] | _LISTS["german function words"]
_SPEAKING: Final = _LISTS["speaking"]
_IN: Final = word_set("in into near across throughout within outside inside around beyond")
_WAYS: Final = word_set("at from via towards toward leaving left reached")
_WITH: Final = word_set("with by than like beside and")
_RELATIVE: Final = word_set("who whom whose")
_HIS: Final = re.compile(r"\b(?:(he|him|his|himself)|(she|her|hers|herself))\b", re.IGNORECASE)
_NEAR: Final = 90
_SPEAKS, _ACTS, _OWNS, _NAMED = 2.0, 0.7, 0.5, 0.3
_INSIDE, _ON_THE_WAY, _ARTICLE = 2.0, 1.0, 0.7
_ENOUGH: Final = 1.5
_SHARE: Final = 0.2
_ROLE: Final = 0.6
"""Of the mentions of a name, so many behind an article make it a description."""
_NAMES: Final = 4
"""So many times a word may be none to one that it is a given name: "may" and "May"."""
_FABLE: Final = 5
_LEAN: Final = 0.7


@dataclass(slots=True)
class Form:
    """A form of a name, and how the text uses it.

    ``words`` are the folded words of the name without titles; ``is_role`` says that it describes
    ("the Admiral", "the White Rabbit"); ``husband`` is the given name of a wife's husband ("Mrs.
    Charles Lane"); ``labels`` says that lines of a play or a log begin with it.
    """

    text: str
    name: PersonName
    places: list[int] = field(default_factory=list)
    is_role: bool = False
    gender: Gender = ""
    husband: str = ""
    words: tuple[str, ...] = ()
    labels: bool = False

    @property
    def count(self) -> int:
        """How often the text has it."""
        return len(self.places)

    @property
    def tokens(self) -> frozenset[str]:
        """Its folded words, titles included."""
        return frozenset(self.words) | self.name.titles


def forms_of(texts: Sequence[str], places: Sequence[Place], counts: WordCounts) -> list[Form]:
    """The forms that are persons' names, the most frequent first."""
    forms = _forms(places)
    surnames = _surnames(forms)
    persons = [form for form in forms if _is_person(form, places, counts, surnames)]
    persons += _personified(forms, persons, places)
    single = {(form.words, form.is_role) for form in persons if len(form.words) == 1}
    known = set(map(id, persons))
    persons += [
        form for form in forms if id(form) not in known and _extends(form, single, surnames)
    ]
    for form in persons:
        form.gender = form.name.gender or _gender(form, texts, places)
    return sorted(persons, key=_by_count)


def wide_forms_of(places: Sequence[Place]) -> list[Form]:
    """The forms of persons' names in a text without blanks, the most frequent first."""
    forms = _forms(places)
    for form in forms:
        form.gender = form.name.gender
    return sorted(forms, key=_by_count)


def _by_count(form: Form) -> tuple[int, int]:
    return -form.count, form.places[0]


def _forms(places: Sequence[Place]) -> list[Form]:
    by_form: dict[str, Form] = {}
    for number, place in enumerate(places):
        if (form := by_form.get(place.form)) is None:
            form = by_form[place.form] = Form(place.form, parse_name(place.form))
        form.places.append(number)
    for form in by_form.values():
        _read(form, places)
    return list(by_form.values())


def _read(form: Form, places: Sequence[Place]) -> None:
    """Fill in what its words say."""
    name = form.name
    form.words = name.words
    behind = sum(places[number].article for number in form.places)
    form.labels = any(places[number].labels for number in form.places)
    titled = bool(name.titles or name.kin)
    form.is_role = not name.words or (behind >= _ROLE * form.count and not (titled and name.words))
    if " of " in form.text and titled:
        form.is_role = True
    if form.is_role:
        form.words = tuple(fold(word) for word in form.text.removeprefix("the ").split())
    given = form.words[0] if form.words else ""
    gender = gender_of_given(given)
    if "mrs" in name.titles and gender != "f" and len(form.words) > 1:
        form.husband = given


def _extends(
    form: Form, single: Container[tuple[tuple[str, ...], bool]], surnames: Counter[str]
) -> bool:
    """Whether it is a longer form of what is one word elsewhere: "the White Rabbit", "old Lane"."""
    if len(form.words) < 2:
        return bool(form.name.age) and not form.is_role and (form.words, False) in single
    if form.is_role:
        return (form.words[-1:], True) in single
    last = form.words[-1]
    named = (form.words[:1], False) in single and len(last) > 1 and form.text[0].isupper()
    family = form.words[0] in surnames or last in HEADS or is_common(last)
    return named and not family


def _surnames(forms: Iterable[Form]) -> Counter[str]:
    """Words that stand as surnames behind titles and given names."""
    counts: Counter[str] = Counter()
    for form in forms:
        if form.is_role or not form.words:
            continue
        titled = form.name.takes_surname
        known = len(form.words) > 1 and is_given_name(form.words[0])
        if titled or (known and form.words[-1] not in HEADS):
            counts[form.words[-1]] += form.count * (1 + titled)
    return counts


def _is_person(
    form: Form, places: Sequence[Place], counts: WordCounts, surnames: Counter[str]
) -> bool:
    if form.labels:
        return True
    lows = [latin(fold(word)).rstrip(".") for word in form.text.removeprefix("the ").split()]
    if counts.is_german and not _is_german_name(form, lows, surnames):
        return False
    if lows[0] in ("st", "saint", "ste") or all(
        low in OF_PEOPLES or low in grammar.LANGUAGES for low in lows
    ):
        return False
    titled = bool(form.name.titles or form.name.kin) and not form.is_role
    if titled and not (len(lows) > 2 and lows[-1] in HEADS and not surnames[lows[-1]]):
        return not _is_plural(form.words[-1], surnames)
    if len(lows) > 1 and lows[-1] in HEADS and form.name.words and not surnames[lows[-1]]:
        person, place = _weights(form, places)
        if not is_given_name(lows[0]) or person <= place:
            return False
    if form.is_role:
        return _is_acting_role(form, lows, places, surnames)
    if form.name.kin or lows[0] in FAMILY_NAMES_OF_ADDRESS:
        return False
    if len(lows) > 1:
        return _is_full_name(form, lows, places, surnames)
    return _is_single_name(form, lows[0], places, counts, surnames)


def _is_german_name(form: Form, lows: Sequence[str], surnames: Counter[str]) -> bool:
    """Whether a capital may mean a name where nouns have one: a title, a given name, a surname."""
    if form.is_role or not form.words:
        return False
    if form.name.titles or form.name.kin:
        return True
    is_given = is_given_name(lows[0]) and lows[0] not in GERMAN_NOUNS
    return is_given or (len(lows) == 1 and lows[0] in surnames)


def _is_plural(word: str, surnames: Counter[str]) -> bool:
    """Whether it means a family: "the Miss Lanes"."""
    return word.endswith("s") and surnames[word[:-1]] > surnames[word]


def _is_full_name(
    form: Form, lows: Sequence[str], places: Sequence[Place], surnames: Counter[str]
) -> bool:
    if lows[0] in PLACE_FIRST or " ".join(lows) in COUNTRIES_AND_CITIES:
        return False
    if len(lows[-1]) == 1:
        return False  # "Mary M." signs
    person, place = _weights(form, places)
    if is_given_name(lows[0]) or len(lows[0]) == 1:
        return person + 1 >= place
    return person >= 1 and person > place


def _is_single_name(
    form: Form,
    low: str,
    places: Sequence[Place],
    counts: WordCounts,
    surnames: Counter[str],
) -> bool:
    if _is_plural(low, surnames):
        return False
    if low in surnames:
        return counts.capital[low] > 0
    if low in COUNTRIES_AND_CITIES or low in HEADS or low in PERSON_TITLES or len(low) < 2:
        return False
    is_given = is_given_name(low)
    capital = counts.capital[low] or not (is_given or is_common(low))
    if counts.plain[low] > capital * (1 + _NAMES * is_given) or not capital:
        return False
    person, place = _weights(form, places)
    place += sum(weight for end, weight in PLACE_ENDINGS if low.endswith(end))
    if is_given:
        return person + 1 >= place
    enough = person - place >= _ENOUGH and person >= _SHARE * form.count
    return enough and form.count > 1


def _is_acting_role(
    form: Form, lows: Sequence[str], places: Sequence[Place], surnames: Counter[str]
) -> bool:
    """Whether a description means one who acts: by office, or by speaking more than once."""
    last = lows[lows.index("of") - 1] if "of" in lows[1:] else lows[-1]
    if form.name.kin or last in FAMILY_NAMES_OF_ADDRESS:
        return False  # whose father it is, changes
    if len(lows) == 1 and _is_plural(last, surnames):
        return False
    if last in BARE_TITLES:
        return 2 * sum(places[number].article for number in form.places) >= form.count
    said = sum(_speaks(places[number]) for number in form.places)
    if last in OCCUPATIONS:
        return said > 0
    if last in HEADS or last in OF_PEOPLES:
        return False
    return said > 1 and said >= 0.1 * form.count


def _personified(
    forms: Iterable[Form], persons: Iterable[Form], places: Sequence[Place]
) -> list[Form]:
    """Who acts but once, in a text that makes persons of many: "a Canary called out"."""
    known = set(map(id, persons))
    if sum(form.is_role and not form.name.titles for form in persons) < _FABLE:
        return []
    return [
        form
        for form in forms
        if form.is_role
        and id(form) not in known
        and not (form.name.kin or form.name.titles)
        and not {form.words[-1]} & (HEADS | OF_PEOPLES)
        and any(_acts(places[number].behind) for number in form.places)
    ]


def _speaks(place: Place) -> bool:
    if place.behind in _SPEAKING and not place.signs[1] and not place.owns:
        return True
    return place.before in _SPEAKING and not place.signs[0]


def _weights(form: Form, places: Sequence[Place]) -> tuple[float, float]:
    """What the places of a form say for a person, and for a place or a thing."""
    around = [places[number] for number in form.places]
    person = sum(_by_deeds(place) + _NAMED * (place.before in _WITH) for place in around)
    return person, sum(_by_way(place) for place in around if not place.signs[0])


def _by_deeds(place: Place) -> float:
    """What the words behind a name say for a person, or that somebody says it."""
    if _speaks(place) or place.behind in _RELATIVE:
        return _SPEAKS
    if place.owns:
        return _OWNS
    return _ACTS if not place.signs[1] and _acts(place.behind) else 0.0


def _by_way(place: Place) -> float:
    """What the words before a name say for a place or a thing."""
    if place.before in _IN and not place.owns:
        return _INSIDE
    if place.before in _WAYS and not place.owns:
        return _ON_THE_WAY
    return _ARTICLE if place.article else 0.0


def _acts(word: str) -> bool:
    return is_past(word) and word not in grammar.AUXILIARIES


def _gender(form: Form, texts: Sequence[str], places: Sequence[Place]) -> Gender:
    """By the first pronoun that follows in the sentence of each mention."""
    counts: Counter[str] = Counter()
    for number in form.places[:400]:
        place = places[number]
        if place.labels:
            continue
        behind = texts[place.text][place.end : place.end + _NEAR]
        if match := _HIS.search(re.split(r"[.!?\n”\"]", behind, maxsplit=1)[0]):
            counts["m" if match[1] else "f"] += 1
    total = counts["m"] + counts["f"]
    genders: tuple[Gender, ...] = ("m", "f")
    likely = (each for each in genders if total > 1 and counts[each] >= _LEAN * total)
    return next(likely, "")
