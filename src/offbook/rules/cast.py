"""Who is in a text, by its names: without a model. Source: ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from offbook.names.identity import name_key
from offbook.names.person import parse_name
from offbook.rules.cast_forms import Form, forms_of
from offbook.rules.cast_members import Grouping, Person, given_of, surname_of
from offbook.rules.cast_names import Place, places_of
from offbook.rules.name_words import OCCUPATIONS
from offbook.rules.speakers import attribute
from offbook.text.words import fold
from offbook.types import Cast, CastMember, CastMention

_MINE: Final = 0.8
"""Of the mentions of all who bear a name, so many make it one person's."""


def read_cast(
    texts: Sequence[str],
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
) -> Cast:
    """Read the cast of texts: see ``protocols.CastReader``."""
    places, counts = places_of(texts)
    forms = forms_of(texts, places, counts)
    two = {frozenset(map(name_key, pair)) for pair in different}

    def apart(a: str, b: str) -> bool:
        return bool(two) and frozenset((name_key(a), name_key(b))) in two

    grouping = Grouping(texts, places, forms, apart)
    people = [person for person in grouping.run() if person.forms]
    mentions = Counter(grouping.whose.values())
    people.sort(key=lambda person: -mentions[person])
    numbers = {person: number for number, person in enumerate(people)}
    members = tuple(_member(person, people, places) for person in people)
    named = tuple(
        CastMention(places[n].text, places[n].start, places[n].end, numbers[grouping.whose[n]])
        for n in sorted(grouping.whose)
    )
    return Cast(members, named, attribute(texts, members, named))


def _member(person: Person, people: Sequence[Person], places: Sequence[Place]) -> CastMember:
    forms = sorted(
        person.forms, key=lambda form: (form.is_role, bool(form.husband), -len(form.words), -form.count)
    )
    names = [name for form in forms for name in _names(form)]
    names += _short(person, people)
    names += [
        places[number].fond + form.text
        for form in forms
        for number in form.places
        if places[number].fond
    ]
    kept = {name.casefold(): name for name in reversed(names)}
    return CastMember(names[0], tuple(dict.fromkeys(kept[n.casefold()] for n in names)), person.gender)


def _short(person: Person, people: Sequence[Person]) -> list[str]:
    """The surname and the given name alone, where they mean hardly anybody else."""
    found = []
    for form in person.forms:
        if form.is_role:
            words = form.text.partition(" of ")[0].split()
            alone = fold(words[-1]) not in OCCUPATIONS
            if alone and not any(fold(words[-1]) in f.words for p in people for f in p.forms if p != person):
                found.append(words[-1])
            continue
        words = [word for word in form.text.split() if word[0].isupper()]
        shorts = [(surname_of(form), words[-1])]
        shorts += [(given_of(form)[0], words[-2])] if len(form.words) == 2 and given_of(form) else []
        for low, word in shorts:
            bearers = [p for p in people if low in p.surnames | p.given]
            if low and fold(word) == low and person.count > _MINE * sum(p.count for p in bearers):
                found.append(word)
    return found


def _names(form: Form) -> list[str]:
    """A form, and the full name in it without its titles."""
    if form.is_role or form.husband or len(form.words) < 2 or not form.name.titles:
        return [form.text]
    words = form.text.split()
    while len(words) > 2 and parse_name(words[0] + " X").titles:
        words = words[1:]
    return [form.text, " ".join(words)]
