"""Who is in a text, by its names: without a model.

Takes: texts, and names that somebody decided to be one person's or two persons'.  Gives: the cast,
the most named first. Source: ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from offbook.names.cast import Cast, CastMember, CastMention
from offbook.names.identity import name_key
from offbook.names.person import parse_name
from offbook.rules.cast_forms import Form, forms_of, wide_forms_of
from offbook.rules.cast_headings import heading_places_of
from offbook.rules.cast_members import Grouping, Person, given_of, surname_of
from offbook.rules.cast_names import Place, places_of, wide_places_of, with_labels
from offbook.rules.cast_roles import role_places_of
from offbook.rules.name_words import OCCUPATIONS
from offbook.rules.speakers import attribute
from offbook.text.tokens import UNSPACED
from offbook.text.words import fold

_MINE: Final = 0.8
"""Of the mentions of all who bear a name, so many make it one person's."""
_WIDE: Final = re.compile(f"[{UNSPACED}]")
_SAMPLE: Final = 5_000
_WIDE_SHARE: Final = 0.3

Apart = Callable[[str, str], bool]


def read_cast(
    texts: Sequence[str],
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
) -> Cast:
    """Read the cast of texts: see ``protocols.CastReader``."""
    sample = "".join(text[:_SAMPLE] for text in texts)
    if len(_WIDE.findall(sample)) > _WIDE_SHARE * len(sample):
        places = with_labels(texts, wide_places_of(texts))
        forms = wide_forms_of(places)
    else:
        named, counts = places_of(texts)
        unnamed, headings = role_places_of(texts), heading_places_of(texts)
        places = with_labels(texts, [*named, *unnamed, *headings])
        forms = forms_of(texts, places, counts)
    two = {frozenset(map(name_key, pair)) for pair in different}

    def apart(a: str, b: str) -> bool:
        return bool(two) and frozenset((name_key(a), name_key(b))) in two

    grouping = Grouping(texts, places, forms, apart)
    people, whose = grouping.run(), grouping.whose
    for stated in grouping.stated():
        _join(people, whose, stated)
    further: dict[Person, list[str]] = {}
    called = _called(people, places, apart) if same else {}
    for names, bearers in _bearers(_decided(same), called, people) if same else ():
        _join(people, whose, bearers)
        if bearers:
            further[bearers[0]] = [name for key, name in names.items() if key not in called]
    mentions = Counter(whose.values())
    # Whom every mention has left for somebody else is nobody.
    people = sorted(filter(mentions.get, people), key=lambda person: -mentions[person])
    numbers = {person: number for number, person in enumerate(people)}
    mentioned = [(places[number], person) for number, person in sorted(whose.items())]
    members = tuple(
        _member(person, people, places, apart, further.get(person, ())) for person in people
    )
    placed = tuple(CastMention(p.text, p.start, p.end, numbers[person]) for p, person in mentioned)
    return Cast(members, placed, attribute(texts, members, placed))


def _decided(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """The names of each person by their keys: pairs that have a name in common are of one."""
    people: list[dict[str, str]] = []
    for pair in pairs:
        names = {name_key(name): name for name in pair}
        for known in [each for each in people if not names.keys().isdisjoint(each)]:
            people.remove(known)
            names = {**known, **names}
        people.append(names)
    return people


def _called(
    people: Sequence[Person], places: Sequence[Place], apart: Apart
) -> dict[str, list[Form]]:
    """By the key of a name a form of each person who bears it: as a form, else as an alias."""
    called: dict[str, list[Form]] = {}
    for person in people:
        for form in person.forms:
            called.setdefault(name_key(form.text), []).append(form)
    for person in people:
        for alias in _member(person, people, places, apart, ()).aliases:
            called.setdefault(name_key(alias), [person.forms[0]])
    return called


def _bearers(
    decided: Sequence[dict[str, str]], called: dict[str, list[Form]], people: Sequence[Person]
) -> list[tuple[dict[str, str], list[Person]]]:
    """Whom the names of each decided person mean: nobody is two of them.

    Who has names of several is the one by whose names the texts call them most.
    """
    best: dict[Person, tuple[int, int]] = {}
    for number, names in enumerate(decided):
        meant = {id(form) for key in names for form in called.get(key, ())}
        for person in people:
            if any(id(form) in meant for form in person.forms):
                count = sum(f.count for f in person.forms if name_key(f.text) in names)
                best[person] = max(best.get(person, (-1, 0)), (count, -number))
    return [
        (names, [p for p in people if best.get(p, (0, 1))[1] == -number])
        for number, names in enumerate(decided)
    ]


def _join(people: list[Person], whose: dict[int, Person], bearers: Sequence[Person]) -> None:
    """Make one person of several."""
    bearers = [person for person in dict.fromkeys(bearers) if person in people]
    for other in bearers[1:]:
        bearers[0].forms += other.forms
        people.remove(other)
        whose.update((n, bearers[0]) for n, person in whose.items() if person is other)


def _member(
    person: Person,
    people: Sequence[Person],
    places: Sequence[Place],
    apart: Apart,
    further: Sequence[str],
) -> CastMember:
    """The person with all forms of the name: the fullest first, those of no text last."""
    forms = sorted(person.forms, key=_by_fullness)
    spelled = [name for form in forms for name in (form.text, *_untitled(form))]
    spelled += _short(person, people)
    fond = (places[number].fond + form.text for form in forms for number in form.places)
    spelled += [name for name in fond if name not in spelled]
    spellings = [form.text for form in forms]
    names = {
        name.casefold(): name
        for name in reversed(spelled)
        if name in spellings or not any(apart(name, other) for other in spellings)
    }
    aliases = dict.fromkeys(names[key] for name in spelled if (key := name.casefold()) in names)
    keys = set(map(name_key, aliases))
    aliases |= dict.fromkeys(name for name in further if name_key(name) not in keys)
    return CastMember(forms[0].text, tuple(aliases), person.gender)


def _by_fullness(form: Form) -> tuple[bool, bool, int, int]:
    return form.is_role, bool(form.husband), -len(form.words), -form.count


def _untitled(form: Form) -> Iterable[str]:
    """The full name in a form, without its titles."""
    words = form.text.split()
    if form.is_role or form.husband or len(form.words) < 2 or not form.name.titles:
        return
    while len(words) > 2 and parse_name(f"{words[0]} X").titles:
        words = words[1:]
    yield " ".join(words)


def _short(person: Person, people: Sequence[Person]) -> list[str]:
    """Single words that mean hardly anybody else: the surname, the given name, "the Rabbit"."""
    return [
        word for form in person.forms for word in _words(form) if _is_theirs(word, person, people)
    ]


def _words(form: Form) -> Iterable[str]:
    if form.is_role:
        head = form.text.partition(" of ")[0].split()[-1]
        yield from (head,) * (not form.text.islower() and fold(head) not in OCCUPATIONS)
        return
    for word in form.text.split():
        family = "miss" in form.name.titles  # sisters share the surname
        if fold(word) in ("" if family else surname_of(form), *given_of(form)[:1]):
            yield word


def _is_theirs(word: str, person: Person, people: Sequence[Person]) -> bool:
    low = fold(word)
    bearers = [p for p in people if low in p.surnames | p.called | p.described]
    return person.count > _MINE * sum(p.count for p in bearers)
