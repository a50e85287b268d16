"""Which forms of names are one person's: nested names, titles, nicknames, who stands near.

Takes: the forms of persons' names, and their places.  Gives: persons, each with their forms, and
whose each mention is. Source: ours; rules of address.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from offbook.names.nicknames import (
    formal_names,
    gender_of_given,
    is_own_name,
    may_be_one,
    name_stem,
)
from offbook.names.titles import GIVEN_TITLES
from offbook.rules.cast_forms import Form
from offbook.rules.cast_names import Place
from offbook.rules.name_words import is_given_name
from offbook.text.grammar import Gender, word_set

_HEADING: Final = re.compile(r"^#{1,6} ", re.MULTILINE)
_SENTENCE: Final = re.compile(r"(?<!Mr)(?<!Mrs)(?<!Dr)(?<!St)(?<!\b[A-Z])[.!?…][\"”’')_]*\s|\n\n")
_BOTH: Final = 0.03
_SOME: Final = 3
_FAMOUS: Final = 10
_HARDLY: Final = 0.02
_REACH: Final = 12_000
"""So many characters back a fuller name says whom a shorter one means."""
_MOST: Final = 0.75
"""Of the mentions of a form, so many make it a name of one of those that it may mean."""
_OFFICERS: Final = word_set(
    "captain colonel major admiral general lieutenant sergeant commodore corporal"
)
_RANKS: Final = _OFFICERS | {"sir", "lord"}
_LONGEST: Final = 60
_CALLED_SO: Final = re.compile(
    r",? (?:(?:who|whom|that|is|was|they|we|he|she|his|her|everybody|friends|often|always|usually"
    r"|commonly|generally|better|also|then|now) )*(?:called|known (?:to \w+ )?as|nicknamed|alias)"
    r"(?: (?:the|simply|only))*[ ,“\"‘']+"
)
_NOBLE: Final = (GIVEN_TITLES | {"lady"}) - {"sir", "don"}
_WIVES: Final = word_set("mrs lady countess duchess marchioness baroness viscountess")


@dataclass(slots=True, eq=False)
class Person:
    """A person as far as the forms of the name tell."""

    forms: list[Form] = field(default_factory=list)
    sentences: set[int] = field(default_factory=set)

    @property
    def gender(self) -> Gender:
        """By titles and given names first."""
        for form in self.forms:
            if form.name.gender:
                return form.name.gender
        return next((form.gender for form in self.forms if form.gender), "")

    @property
    def titles(self) -> frozenset[str]:
        """The titles of the person, but for such as are hardly ever given."""
        return self.titles_beside(0)

    def titles_beside(self, count: int) -> frozenset[str]:
        """The titles that count where so many mentions come to those of the person."""
        counts = Counter[str]()
        for form in self.forms:
            counts.update(dict.fromkeys(form.name.titles, form.count))
        return frozenset(t for t, n in counts.items() if n > _HARDLY * (self.count + count))

    @property
    def count(self) -> int:
        """How often the text names the person by forms that are hers or his."""
        return sum(form.count for form in self.forms)

    @property
    def given(self) -> set[str]:
        """All given names."""
        return {word for form in self.forms for word in given_of(form)}

    @property
    def called(self) -> set[str]:
        """Given names, and names of one word."""
        bare = {form.words[0] for form in self.forms if form.name.is_bare and form.words}
        return self.given | bare - self.surnames

    @property
    def surnames(self) -> set[str]:
        """All surnames."""
        return {word for form in self.forms if (word := surname_of(form))}

    @property
    def described(self) -> set[str]:
        """The words of descriptions."""
        return {word for form in self.forms if form.is_role for word in form.words}

    @property
    def husbands(self) -> set[str]:
        """Given names of husbands."""
        return {form.husband for form in self.forms if form.husband}


def _aged(form: Form) -> bool:
    """Sort the names with "old" and "young" behind those without."""
    return bool(form.name.age)


def given_of(form: Form) -> tuple[str, ...]:
    """The given names in a form that is no description."""
    if form.is_role or form.husband:
        return ()
    if len(form.words) > 1:
        return tuple(word for word in form.words[:-1] if len(word) > 1)
    return form.words if form.name.titles & GIVEN_TITLES or form.name.kin else ()


def surname_of(form: Form) -> str:
    """The surname in a form that is no description."""
    if form.is_role or not form.words:
        return ""
    if len(form.words) > 1:
        return form.words[-1]
    return form.words[0] if form.name.takes_surname else ""


class Grouping:
    """Forms grouped into persons, the surest first.

    Args:
        texts: What the places are in.
        places: Where names stand.
        forms: The forms of persons, the most frequent first.
        apart: Whether two forms are known to be two persons'.
    """

    def __init__(
        self,
        texts: Sequence[str],
        places: Sequence[Place],
        forms: Sequence[Form],
        apart: Callable[[str, str], bool],
    ) -> None:
        self.texts, self.places, self.forms = texts, places, forms
        self.apart = apart
        self.people: list[Person] = []
        self.whose: dict[int, Person] = {}
        self._sentences = _counted(_SENTENCE, texts, places)
        self._chapters = _counted(_HEADING, texts, places)
        self._tokens = {form.text: form.tokens for form in forms}
        self._given = Counter[str]()
        self._families = Counter[str]()
        self._husbands = {form.husband for form in forms if form.husband}
        for form in forms:
            for word in given_of(form):
                self._given[word] += form.count
            if (word := surname_of(form)) and self._is_of_family(form, word):
                self._families[word] += form.count

    def _is_of_family(self, form: Form, word: str) -> bool:
        """Whether a form tells that a word is a surname."""
        if len(form.words) > 1:
            return True
        titles = form.name.titles
        if "mrs" in titles:
            return word not in self._husbands and gender_of_given(word) != "f"
        return bool(titles & (_OFFICERS | {"mr", "dr"}))

    def run(self) -> list[Person]:
        """Group all forms, the plainest evidence first."""
        named = [form for form in self.forms if not form.is_role]
        full = [form for form in named if len(form.words) > 1]
        short = [form for form in named if len(form.words) == 1]
        titled = [form for form in short if form.name.titles or form.name.kin]
        bare = [form for form in short if not (form.name.titles or form.name.kin)]
        by_given = [form for form in titled if self._is_given(form)]
        by_surname = [form for form in titled if not self._is_given(form)]
        families = {form.words[0] for form in by_surname}
        given = [f for f in bare if self._given[f.words[0]] and f.words[0] not in families]
        done = set(map(id, given))
        for form in sorted(full, key=lambda form: (bool(form.husband), -form.count)):
            self._settle(form, [p for p in self.people if self._is_full_match(form, p)])
        for form in sorted((*by_given, *given), key=_aged):
            self._settle(form, self._of_given(form))
        wives = [form for form in by_surname if form.name.titles & _WIVES]
        others = [form for form in by_surname if form not in wives]
        for form in (*sorted(others, key=_aged), *sorted(wives, key=_aged)):
            self._settle(form, self._of_surname(form))
        for form in sorted(bare, key=_aged):
            if id(form) not in done:
                self._settle(form, self._of_bare(form))
        for form in sorted(self.forms, key=lambda form: -len(form.words)):
            if form.is_role:
                self._settle(form, self._of_role(form))
        return self.people

    def stated(self) -> list[tuple[Person, Person]]:
        """Persons of whom the text says that they are one: "Amos Wren, known as the Fox"."""
        return [
            (one, other)
            for a, b in pairwise(sorted(self.whose))
            for one, other in [(self.whose[a], self.whose[b])]
            if one is not other and self._is_said(self.places[a], self.places[b])
            if not any(self._clash(form, one) for form in other.forms)
        ]

    def _is_said(self, a: Place, b: Place) -> bool:
        if a.text != b.text or not 0 < b.start - a.end < _LONGEST:
            return False
        return _CALLED_SO.fullmatch(self.texts[a.text], a.end, b.start) is not None

    def _settle(self, form: Form, candidates: Sequence[Person]) -> None:
        """Give a form to the one person that it may mean, or its mentions to several."""
        candidates = [person for person in candidates if not self._clash(form, person)]
        if len(candidates) == 1:
            self._give(form, candidates[0])
        elif not candidates:
            self._give(form, self._new())
        else:
            self._share(form, candidates)

    def _new(self) -> Person:
        self.people.append(Person())
        return self.people[-1]

    def _give(self, form: Form, person: Person) -> None:
        person.forms.append(form)
        for number in form.places:
            self._mean(number, person)

    def _mean(self, number: int, person: Person) -> None:
        """Note whom a mention means."""
        self.whose[number] = person
        person.sentences.add(self._sentences[number])

    def _share(self, form: Form, candidates: Sequence[Person]) -> None:
        """Each mention to whom a fuller name meant last; the form to whom it means mostly."""
        chosen = {number: self._nearest(form, number, candidates) for number in form.places}
        votes = Counter(person for person in chosen.values() if person is not None)
        best = max(votes, key=votes.__getitem__) if votes else self._new()
        if not votes or votes[best] >= _MOST * votes.total():
            best.forms.append(form)
        for number, person in chosen.items():
            best = person or best
            self._mean(number, best)

    def _nearest(self, form: Form, number: int, people: Sequence[Person]) -> Person | None:
        """Whom the chapter last called by a longer name with the words of the form, or calls next.

        Where it never does: whom of them it named last.
        """
        place = self.places[number]
        named: Person | None = None
        for step in (-1, 1):
            other = number + step
            while 0 <= other < len(self.places):
                near = self.places[other]
                if near.text != place.text or abs(near.start - place.start) > _REACH:
                    break
                if self._chapters[other] != self._chapters[number]:
                    break
                person = self.whose.get(other)
                if person in people:
                    if form.tokens <= self._tokens[near.form]:
                        return person
                    named = named or person
                other += step
        return named

    def _is_full_match(self, form: Form, person: Person) -> bool:
        for other in person.forms:
            if len(other.words) < 2 or bool(form.husband) != bool(other.husband):
                continue
            if form.words[-1] == other.words[-1] and _one_given(form.words[0], other.words[0]):
                return True
            if (
                form.words == other.words[: len(form.words)]
                or other.words == form.words[: len(other.words)]
            ):
                return True
        return False

    def _is_given(self, form: Form) -> bool:
        """Whether a given name follows the title."""
        word, titles = form.words[0], form.name.titles
        if "mrs" in titles and word in self._husbands:
            return not self._families[word]
        if titles & GIVEN_TITLES or form.name.kin:
            return word in self._given or word not in self._families
        if word in self._families:
            return self._given[word] > self._families[word]
        return word in self._given or (is_given_name(word) and bool(titles - {"mr", "mrs"}))

    def _of_given(self, form: Form) -> list[Person]:
        word = form.words[0]
        if "mrs" in form.name.titles and word in self._husbands:
            return [p for p in self.people if word in p.husbands]
        same = [p for p in self.people if word in p.given]
        if not form.name.titles and word in self._families:
            same += [p for p in self.people if word in p.surnames and p not in same]
        return same or self._by_nickname(form)

    def _by_nickname(self, form: Form) -> list[Person]:
        """Those of whose given name the form is a short one; nobody calls Lady Jane "Jenny"."""
        word = form.words[0]
        return [
            p
            for p in self.people
            if any(_one_given(word, name) for name in p.called) and not p.titles & _NOBLE
        ]

    def _of_surname(self, form: Form) -> list[Person]:
        titles, surname = form.name.titles, form.words[0]
        people = [p for p in self.people if surname in p.surnames]
        same = [p for p in people if p.titles & titles]
        husbands = {husband for p in people for husband in p.husbands}
        if "miss" in titles:
            return self._eldest([p for p in people if p.gender != "m" and not p.husbands], surname)
        if titles & _WIVES:
            women = [p for p in people if p.gender == "f" and "miss" not in p.titles]
            if not any(p.gender == "m" for p in people):
                same = same or [p for p in women if not self._often_beside(form, p)]
            return same
        if same:
            return [p for p in same if not self._is_junior(form, p)]
        men = [p for p in people if p.gender != "f"]
        men = [p for p in men if not (husbands & p.given and self._goes_by_given(form, p))]
        if len(people) > 1:
            men = [p for p in men if min(p.count, form.count) >= _SOME]
        return [p for p in men if not self._is_junior(form, p) and not self._often_beside(form, p)]

    def _is_junior(self, form: Form, person: Person) -> bool:
        """Whether a man goes by his given name where another is often "Mr." with the surname."""
        elder = (
            f
            for f in self.forms
            if f.words == form.words and ("mrs" in f.name.titles or f.name.age == "old")
        )
        often = 5 * form.count >= person.count
        if not (often and any(elder) and self._goes_by_given(form, person)):
            return False
        return not person.sentences.isdisjoint(self._sentences[number] for number in form.places)

    def _goes_by_given(self, form: Form, person: Person) -> bool:
        """Whether the text calls a person by the given name as a rule, not by the surname."""
        named = (f for f in person.forms if len(f.words) == 1 and f.words[0] in person.given)
        bare = sum(f.count for f in self.forms if f.words == form.words and f.name.is_bare)
        return 2 * sum(f.count for f in named) >= person.count + bare

    def _eldest(self, women: list[Person], surname: str) -> list[Person]:
        """Of sisters, those who are never called "Miss" with the given name alone."""
        if len(women) < 2:
            return women
        younger = [
            p
            for p in women
            if any(
                "miss" in f.name.titles and f.words[0] in p.given and len(f.words) == 1
                for f in p.forms
            )
        ]
        elder = [p for p in women if p not in younger]
        return [p for p in elder if any("miss" in f.name.titles for f in p.forms)] or elder

    def _often_beside(self, form: Form, person: Person) -> bool:
        """Whether sentences name both: two people then, since one is called "he" again."""
        sentences = {self._sentences[number] for number in form.places}
        both = len(sentences & person.sentences)
        return both > 1 and both > _BOTH * min(len(sentences), len(person.sentences))

    def _of_bare(self, form: Form) -> list[Person]:
        word = form.words[0]
        if family := [p for p in self.people if word in p.surnames]:
            kin = [p for p in family if not form.gender or p.gender in (form.gender, "")]
            men = [p for p in kin if p.gender != "f"]
            most = max((p.count for p in kin), default=0)
            kin = men if any(_FAMOUS * p.count >= most for p in men) else kin or family
            return kin + [p for p in self.people if word in p.given and p not in kin]
        if given := [p for p in self.people if word in p.given]:
            return given
        return self._by_nickname(form)

    def _of_role(self, form: Form) -> list[Person]:
        titles = form.name.titles
        words = [word for word in form.words if word not in ("the", "of")]
        roles = [
            p
            for p in self.people
            for f in p.forms
            if f.is_role
            and (words[-1] == f.words[-1] or words[0] == f.words[0])
            and set(words) <= set(f.words)
        ]
        if roles:
            return list(dict.fromkeys(roles))
        if titles and len(form.words) == 1:
            return [p for p in self.people if p.titles & titles]
        return []

    def _clash(self, form: Form, person: Person) -> bool:
        """Whether something says that the form is not the person's."""
        gender = form.name.gender
        theirs = next((f.name.gender for f in person.forms if f.name.gender), "")
        if gender and theirs and gender != theirs:
            return True
        if form.gender and person.gender and form.gender != person.gender:
            return True
        for other in person.forms:
            if self.apart(form.text, other.text):
                return True
            if form.labels and other.labels and form.words == other.words:
                return True  # a play has MACBETH and LADY MACBETH
        if _titles_clash(form.name.titles, person.titles_beside(form.count)):
            return True
        given, theirs_given = given_of(form), person.given
        return bool(given and theirs_given) and not any(
            _one_given(one, other) for one in given for other in theirs_given
        )


def _titles_clash(titles: frozenset[str], others: frozenset[str]) -> bool:
    ranks = titles & _OFFICERS, others & _OFFICERS
    if all(ranks) and not ranks[0] & ranks[1]:
        return True
    if "mr" in titles and others & _RANKS and "mr" not in others:
        return True
    if "mr" in others and titles & _RANKS and not titles & others:
        return True
    return bool(
        ("miss" in titles and others & {"mrs"} and "miss" not in others)
        or ("mrs" in titles and "miss" in others and "mrs" not in others)
    )


def _one_given(a: str, b: str) -> bool:
    """Whether two given names are forms of one, and neither is as often one of its own.

    Two short forms of a name are two persons': "Lizzie Hale" and "Bessie Hale".
    """
    if a == b:
        return True
    if len(a) == 1 or len(b) == 1:
        return a[0] == b[0]
    if not may_be_one(a, b) or (is_own_name(a) and is_own_name(b)):
        return False
    return a in formal_names(b) or b in formal_names(a) or name_stem(a) == name_stem(b)


def _counted(pattern: re.Pattern[str], texts: Sequence[str], places: Sequence[Place]) -> list[int]:
    """The number of the chapter or sentence of each place, over all texts."""
    ordinals: list[int] = []
    before = 0
    ends: list[int] = []
    text = -1
    for place in places:
        while text < place.text:
            text += 1
            before += len(ends) + 1
            ends = [match.start() for match in pattern.finditer(texts[text])]
        ordinals.append(before + bisect_right(ends, place.start))
    return ordinals
