"""Who is in a text, by its names: without a model. Source: ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from offbook.names.identity import name_key
from offbook.rules.cast_forms import forms_of
from offbook.rules.cast_members import Grouping, Person
from offbook.rules.cast_names import places_of
from offbook.types import Cast, CastMember, CastMention


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
    return Cast(
        tuple(map(_member, people)),
        tuple(
            CastMention(places[n].text, places[n].start, places[n].end, numbers[grouping.whose[n]])
            for n in sorted(grouping.whose)
        ),
    )


def _member(person: Person) -> CastMember:
    forms = sorted(person.forms, key=lambda form: (-len(form.words), -form.count))
    names = [form.text for form in forms]
    return CastMember(names[0], tuple(dict.fromkeys(names)), person.gender)
