"""What a character of a story knows at a point: what they lived through, heard, read, were told.

Takes: a story, its cast and its texts, which member the character is, a point.  Gives: the
stretches of the texts that are theirs and how; the record of their life so far; the last scene that
they lived through; their own lines; whom pronouns in a passage mean. What is uncertain is decided
in favour of not giving away. Source: ours; docs/boundary.md, "Characters of a story".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

from offbook.documents.sections import Section, sections
from offbook.names.narrator import narrator_of
from offbook.names.story import Reach, SceneWitness, Stretch
from offbook.text.sentences import sentences
from offbook.types import Position, Source, Witness

if TYPE_CHECKING:
    from offbook.names.cast import Cast, CastMention, Quotation
    from offbook.names.story import Episode, Scene, Story
    from offbook.types import Document, WitnessHow

    Placed = TypeVar("Placed", CastMention, Quotation)

_STRENGTH: Final[Mapping[WitnessHow, int]] = {
    "present": 0, "overheard": 1, "read": 2, "told": 3, "common": 4, "absent": 5,
}  # fmt: skip
"""The closest way to know of something first."""
_LIVED: Final = frozenset(("present", "overheard"))
"""Ways of knowing a scene by having been there."""
_NEAR: Final = 3_000
"""Characters before a passage in which whom its "he" means was named: a page and a half."""
_SPEAKERS: Final = 8
"""Turns of speech in a passage whose speakers are named; of more the reader has the thread."""
_PRONOUNS: Final = {
    "m": re.compile(r"\b(?:he|him|his)\b", re.IGNORECASE),
    "f": re.compile(r"\b(?:she|her|hers)\b", re.IGNORECASE),
}
_I: Final = re.compile(r"\b(?:I|me|my|mine|myself)\b")
_SHORTEST, _LONGEST = 30, 300
"""Characters of a line that shows how somebody speaks."""
_MARKS: Final = " \t\r\n\"“”„«»‘’'"
_MET: Final = 12
"""People in a profile: those of most scenes."""


@dataclass(frozen=True, slots=True)
class Lived:
    """A scene, or an episode of one, that the character lived through or heard of."""

    title: str
    text: str
    source: Source
    witness: Witness
    gist: str = ""
    feeling: str = ""
    strength: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What a character of a story knows at a point.

    ``name`` is the character's, ``member`` its number in the cast, ``profile`` who they are by now
    and ``grounds`` where that stands. ``now`` is where and when the last scene was, ``record`` are
    their episodes up to the point, oldest first, and ``last`` is the last scene that they were in,
    up to the point. ``lines`` are their own, ``met`` who was in scenes with them, most first;
    ``chars`` is the length of all texts up to the point.
    """

    name: str
    member: int
    reach: Reach
    profile: str = ""
    grounds: tuple[Source, ...] = ()
    now: str = ""
    record: tuple[Lived, ...] = ()
    last: Lived | None = None
    lines: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    subjects: Subjects | None = None
    chars: int = 0

    def holds(self, source: Source) -> bool:
        """Say whether all of a stretch of a text is theirs."""
        return Reach(None, self.reach.stretches).covers(
            source.document, 0, source.start, source.end
        )

    def witness(self, sources: Iterable[Source]) -> Witness | None:
        """How the character comes to know what stands at some places; None: not at all."""
        ways = [
            each
            for source in sources
            for each in self.reach.stretches or ()
            if each.document == source.document
            and max(each.start, source.start) < min(each.end, source.end)
        ]
        if not ways:
            return None
        best = min(ways, key=lambda each: _STRENGTH[each.how])
        words = dict.fromkeys(w.evidence for w in ways if w.how == best.how and w.evidence)
        return Witness(best.how, tuple(words)[:3])


class Subjects:
    """Whom "he" and "she" mean where a passage begins, and who speaks in it.

    Args:
        cast: The people of the texts, where they are named and what they say.
        names: What the character calls each of them by now; empty where nothing that they know
            names somebody.
        documents: The ids of the texts.
        narrators: Who tells a text as "I", by its id.
    """

    def __init__(
        self,
        cast: Cast,
        names: Sequence[str],
        documents: Sequence[str],
        narrators: Mapping[str, int],
    ) -> None:
        self._cast, self._names, self._narrators = cast, names, narrators
        self._mentions: dict[str, list[CastMention]] = {}
        self._spoken: dict[str, list[Quotation]] = {}
        for mention in cast.mentions:
            self._mentions.setdefault(documents[mention.text], []).append(mention)
        for quotation in cast.quotations:
            self._spoken.setdefault(documents[quotation.text], []).append(quotation)

    def of(self, source: Source, text: str) -> str:
        """Name whom the pronouns of a passage mean before it names anybody, and who speaks."""
        mentions = self._mentions.get(source.document, [])
        spoken = self._spoken.get(source.document, [])
        within = _between(spoken, source.start, source.end)
        notes = []
        teller = self._narrators.get(source.document)
        if teller is not None and _first_outside(_I, text, source.start, within) is not None:
            notes.append(f"I: {self._names[teller] or 'who tells it'}")
        for gender, pronoun in _PRONOUNS.items():
            first = _first_outside(pronoun, text, source.start, within)
            named = self._first_named(gender, _between(mentions, source.start, source.end), within)
            if first is not None and (named is None or first < named):
                before = _between(mentions, source.start - _NEAR, source.start)
                meant = self._last_named(gender, before, spoken)
                if meant:
                    notes.append(f"{'he' if gender == 'm' else 'she'}: {meant}")
        speakers = [self._names[q.speaker] if q.speaker is not None else "?" for q in within]
        in_turn = [name or "?" for name, _ in groupby(speakers)]
        if 1 < len(in_turn) <= _SPEAKERS and set(in_turn) != {"?"}:
            notes.append(f"speaking in turn: {', '.join(in_turn)}")
        elif len(in_turn) == 1 and in_turn[0] != "?":
            notes.append(f"speaking: {in_turn[0]}")
        return "; ".join(notes)

    def _first_named(
        self, gender: str, mentions: Sequence[CastMention], spoken: Sequence[Quotation]
    ) -> int | None:
        for each in mentions:
            if self._cast.members[each.member].gender in (gender, "") and not _is_in(each, spoken):
                return each.start
        return None

    def _last_named(
        self, gender: str, mentions: Sequence[CastMention], spoken: Sequence[Quotation]
    ) -> str:
        for each in reversed(mentions):
            if self._cast.members[each.member].gender == gender and not _is_in(each, spoken):
                return self._names[each.member]
        return ""


def _between(places: Sequence[Placed], start: int, end: int) -> Sequence[Placed]:
    """The mentions or quotations that begin within a stretch of one text."""
    first = bisect_left(places, start, key=lambda each: each.start)
    return places[first : bisect_left(places, end, key=lambda each: each.start)]


def _is_in(mention: CastMention, spoken: Sequence[Quotation]) -> bool:
    place = bisect_right(spoken, mention.start, key=lambda each: each.start) - 1
    return place >= 0 and mention.start < spoken[place].end


def _first_outside(
    pattern: re.Pattern[str], text: str, start: int, spoken: Sequence[Quotation]
) -> int | None:
    for match in pattern.finditer(text):
        place = start + match.start()
        if not any(each.start <= place < each.end for each in spoken):
            return place
    return None


def standing_at(
    story: Story, cast: Cast, member: int, texts: Sequence[Document], until: Position | None
) -> Standing:
    """Work out what a member of a cast knows at a point of a story.

    Args:
        story: The story.
        cast: Its cast.
        member: Whom it is about, as a number of the cast.
        texts: The texts in the order of the story, as ``story`` and ``cast`` count them.
        until: The point; None: the end.
    """
    return _Reading(story, cast, member, texts, until).standing()


class _Reading:
    """One story on its way to what one person knows of it."""

    def __init__(
        self,
        story: Story,
        cast: Cast,
        member: int,
        texts: Sequence[Document],
        until: Position | None,
    ) -> None:
        self._story, self._cast, self._member = story, cast, member
        self._texts, self._until = texts, until
        self._sections: list[list[Section]] = [sections(text.text) for text in texts]
        tellers = ((n, narrator_of(text.text, n, cast)) for n, text in enumerate(texts))
        self._narrators = {n: teller for n, teller in tellers if teller is not None}

    def standing(self) -> Standing:
        """Put together what is known."""
        scenes = list(enumerate(self._story.scenes))
        known = [(n, scene, w) for n, scene in scenes if (w := self._way(scene)) is not None]
        stretches = tuple(self._stretch(*each) for each in known if self._ends(each[1]))
        reach = Reach(self._until, stretches)
        names = self._names(reach)
        lived = [each for each in known if each[2].how in _LIVED and self._ends(each[1])]
        met = Counter(
            other.member
            for _, scene, _ in lived
            for other in scene.witnesses
            if other.member != self._member and other.how in _LIVED
        )
        return Standing(
            name=self._cast.members[self._member].name,
            member=self._member,
            reach=reach,
            now=_place_and_time(lived[-1][1]) if lived else "",
            record=tuple(self._record()),
            last=self._last(lived),
            lines=tuple(self._lines(reach)),
            met=tuple(name for n, _ in met.most_common() if (name := names[n]))[:_MET],
            subjects=Subjects(
                self._cast,
                names,
                [text.id for text in self._texts],
                {self._texts[n].id: teller for n, teller in self._narrators.items()},
            ),
            chars=sum(map(self._ends_at, range(len(self._texts)))),
        )

    def _way(self, scene: Scene) -> SceneWitness | None:
        """How the character knows of a scene; None: not at all."""
        ways = [w for w in scene.witnesses if w.member == self._member]
        if any(w.by_person for w in ways):
            ways = [w for w in ways if w.by_person]
        if any(w.how == "absent" for w in ways):
            return None
        if scene.kind == "common":
            ways = [*ways, SceneWitness(self._member, "common", 0, 0)]
        if scene.kind == "narration":
            ways = [w for w in ways if w.by_person]
        return min(ways, key=lambda w: _STRENGTH[w.how], default=None)

    def _ends(self, scene: Scene) -> int:
        """Where what is known of a scene ends by the point; 0: it has not begun."""
        if self._until is None or scene.text < self._until.document_ordinal:
            return scene.end
        if scene.text > self._until.document_ordinal or self._until.offset <= scene.start:
            return 0
        return min(scene.end, self._until.offset)

    def _ends_at(self, text: int) -> int:
        """How much of a text lies before the point."""
        chars, until = self._texts[text].chars, self._until
        if until is None or text < until.document_ordinal:
            return chars
        return min(chars, until.offset) if text == until.document_ordinal else 0

    def _is_over(self, scene: Scene) -> bool:
        end = self._ends(scene)
        return bool(end) and not self._texts[scene.text].text[end : scene.end].strip()

    def _stretch(self, number: int, scene: Scene, way: SceneWitness) -> Stretch:
        document = self._texts[scene.text]
        end = self._ends(scene)
        evidence = document.text[way.start : way.end] if way.end <= end else ""
        return Stretch(document.id, scene.start, end, number, way.how, " ".join(evidence.split()))

    def _names(self, reach: Reach) -> list[str]:
        """Call each of the cast as what is known does: a name that comes later tells nothing."""
        forms: list[Counter[str]] = [Counter() for _ in self._cast.members]
        mentions: dict[str, list[CastMention]] = {}
        for each in self._cast.mentions:
            mentions.setdefault(self._texts[each.text].id, []).append(each)
        for stretch in reach.stretches or ():
            document = next(text for text in self._texts if text.id == stretch.document)
            for each in _between(mentions.get(document.id, ()), stretch.start, stretch.end):
                forms[each.member][" ".join(document.text[each.start : each.end].split())] += 1
        names = [
            max(counted, key=lambda f: (f == who.name, len(f.split()), counted[f]), default="")
            for who, counted in zip(self._cast.members, forms, strict=True)
        ]
        names[self._member] = self._cast.members[self._member].name
        return names

    def _record(self) -> Iterator[Lived]:
        """List the episodes of the scenes that are over by the point."""
        for episode in sorted(self._story.episodes, key=lambda each: each.scene):
            scene = self._story.scenes[episode.scene]
            if episode.member == self._member and self._is_over(scene) and episode.how != "absent":
                yield self._lived(scene, episode)

    def _lived(self, scene: Scene, episode: Episode) -> Lived:
        document = self._texts[scene.text]
        start, end = episode.start, episode.end
        words = " ".join(document.text[start:end].split())
        if start >= end:
            start, end = scene.start, scene.end
        return Lived(
            self._title(scene),
            episode.text,
            Source(document.id, "", start, end),
            Witness(episode.how, (words,) if words else ()),
            episode.gist,
            episode.feeling,
            episode.strength,
        )

    def _last(self, lived: Sequence[tuple[int, Scene, SceneWitness]]) -> Lived | None:
        """The last scene that the character was in, up to the point, with those it goes on from."""
        if not lived:
            return None
        number, latest, way = lived[-1]
        document, start, first = self._texts[latest.text], latest.start, number
        for earlier, scene, _ in reversed(lived[:-1]):
            goes_on = self._story.scenes[first].continues
            if earlier != first - 1 or scene.text != latest.text or not goes_on:
                break
            first, start = earlier, scene.start
        end = max(self._ends(latest), start)
        stretch = self._stretch(number, latest, way)
        text = document.text[start:end].rstrip("# \t\n")
        start += len(text) - len(text.lstrip())
        return Lived(
            self._title(latest),
            text.strip(),
            Source(document.id, "", start, start + len(text.strip())),
            Witness(way.how, (stretch.evidence,) if stretch.evidence else ()),
        )

    def _title(self, scene: Scene) -> str:
        headed = self._sections[scene.text]
        place = bisect_right([each.title_start for each in headed], scene.start) - 1
        if place + 1 < len(headed) and not self._texts[scene.text].text[
            scene.start : headed[place + 1].title_start
        ].strip("# \n\t"):
            place += 1
        path = ", ".join(headed[place].headings) if place >= 0 else ""
        return " - ".join(filter(None, (path, _place_and_time(scene))))

    def _lines(self, reach: Reach) -> Iterator[str]:
        """List what the character says in what is known, in words that show how.

        Of whom a text has as its narrator these are sentences of the narration as well.
        """
        for each in self._cast.quotations:
            if each.speaker == self._member:
                document = self._texts[each.text]
                line = " ".join(document.text[each.start : each.end].strip(_MARKS).split())
                line = line.rstrip(" ,;-")
                within = reach.covers(document.id, each.text, each.start, each.end)
                if within and _SHORTEST <= len(line) <= _LONGEST:
                    yield line
        for stretch in reach.stretches or ():
            number = next(n for n, text in enumerate(self._texts) if text.id == stretch.document)
            if self._narrators.get(number) == self._member and stretch.how in _LIVED:
                yield from self._narrated(number, stretch)

    def _narrated(self, number: int, stretch: Stretch) -> Iterator[str]:
        """List the sentences of a scene in which its narrator speaks of themselves."""
        spoken = [q for q in self._cast.quotations if q.text == number]
        within = _between(spoken, stretch.start, stretch.end)
        text = self._texts[number].text[stretch.start : stretch.end]
        for start, end in sentences(text):
            line = " ".join(text[start:end].split())
            quoted = any(
                q.start < stretch.start + end and stretch.start + start < q.end for q in within
            )
            if not quoted and _SHORTEST <= len(line) <= _LONGEST and _I.search(line):
                yield line


def _place_and_time(scene: Scene) -> str:
    return ", ".join(filter(None, (scene.where, scene.when)))
