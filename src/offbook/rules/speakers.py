"""Who says what: quotations of a text and the members of its cast who speak them.

Takes: texts, the members of a cast and where they are named.  Gives: quotations, each with its
speaker and by what that is told, or open. Source: a sieve of rules, the surest first, as in Muzny,
Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve Approach for Quote Attribution"), with the turns
of a dialogue as in O'Keefe, Pareti, Curran, Koprinska and Honnibal 2012; the rules are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from collections import Counter
import numpy as np
from offbook.rules.turn_taking import Floats, Seen, speaking
from offbook.rules.quotations import Piece, paragraphs_of, quotations_of
from offbook.rules.speech_tags import (
    main_subject,
    Item,
    Subject,
    items_of,
    leads,
    sentences_of,
    subject_at,
    tag_before,
    tag_behind,
)
from offbook.text import grammar
from offbook.text.grammar import Gender
from offbook.text.verbs import is_finite
from offbook.types import CastMember, CastMention, Quotation, SpeakerBasis

_APART: Final = 8
_MOST: Final = 14
_FAINT: Final = 0.01
_STRANGER: Final = 0.04
_SURE: Final = 0.85
_FADES: Final = 0.8
_HERE = (1.3, 2.0, 6.0)
_NOUN = 1.0
_WINDOW: Final = 8
"""Paragraphs that a pronoun looks back over."""
_CLOSERS: Final = "\"'”’»«“」』 "
_CALLED: Final = re.compile(
    r"(?:^\W*|[,;.!?—-]\s*|\b(?:my|dear|oh|O|no|yes|well|poor|little)\s+)\Z", re.IGNORECASE
)
_HEADING: Final = re.compile(
    r"#|(?:chapter|book|part|act|scene|letter)\s+[\divxlc]+\b|[\W_]+\Z", re.IGNORECASE
)


@dataclass(slots=True)
class Turn:
    """Pieces of one utterance, what tells the speaker, and who that is."""

    pieces: list[Piece]
    cue: Subject | None = None
    beat: Subject | None = None
    speaker: int | None = None
    basis: SpeakerBasis | None = None
    rule: str = ""
    called: set[int] = field(default_factory=set)
    named: set[int] = field(default_factory=set)

    @property
    def first(self) -> int:
        """The paragraph in which it begins."""
        return self.pieces[0].paragraph

    @property
    def last(self) -> int:
        """The paragraph in which it ends."""
        return self.pieces[-1].paragraph


class Event(NamedTuple):
    """Somebody is named in the narration, by a name or a noun (``member`` None)."""

    start: int
    member: int | None
    gender: Gender
    acts: int
    here: bool = False


def attribute(
    texts: Sequence[str], members: Sequence[CastMember], mentions: Sequence[CastMention]
) -> tuple[Quotation, ...]:
    """Find the quotations of texts and who says each; what cannot be told stays open."""
    return tuple(
        Quotation(number, piece.start, piece.end, turn.speaker, turn.basis)
        for number, text in enumerate(texts)
        for turn in turns_of(text, members, [m for m in mentions if m.text == number])
        for piece in turn.pieces
    )


def turns_of(
    text: str, members: Sequence[CastMember], mentions: Sequence[CastMention]
) -> list[Turn]:
    """The utterances of one text, attributed."""
    return _Scenes(text, members, mentions).attributed()


class _Scenes:
    """One text as paragraphs, utterances, and where people are named in the narration."""

    def __init__(
        self, text: str, members: Sequence[CastMember], mentions: Sequence[CastMention]
    ) -> None:
        self._text, self._members = text, members
        self._paragraphs = paragraphs_of(text)
        self._named = {m.start: (m.end, m.member) for m in mentions}
        self._told: list[list[tuple[int, int]]] = [[] for _ in self._paragraphs]
        pieces = quotations_of(text, self._paragraphs)
        self._events: list[list[Event]] = [[] for _ in self._paragraphs]
        spoken = {piece.paragraph for piece in pieces}
        for number, (start, end) in enumerate(self._paragraphs):
            if number not in spoken:
                self._note(number, items_of(text, start, end, self._named))
        self._turns = self._grouped(pieces)
        self._place(mentions, pieces)

    def attributed(self) -> list[Turn]:
        for scene in self._scenes():
            self._attribute(scene)
        return self._turns

    def _scenes(self) -> Iterator[list[int]]:
        """The numbers of the turns, scene by scene."""
        scene: list[int] = []
        for index, turn in enumerate(self._turns):
            last = self._turns[index - 1].last if index else 0
            between = range(last + 1, turn.first + 1)
            if scene and (
                len(between) > _APART
                or any(_HEADING.match(self._text, *self._paragraphs[n]) for n in between)
            ):
                yield scene
                scene = []
            scene.append(index)
        if scene:
            yield scene

    def _attribute(self, scene: Sequence[int]) -> None:
        salience = self._salience(scene)
        weight: Counter[int] = Counter()
        for at in salience:
            weight.update(at)
        people = [member for member, _ in weight.most_common(_MOST)]
        place = {member: n for n, member in enumerate(people)}
        seen: list[Seen] = []
        for index, at in zip(scene, salience, strict=True):
            turn = self._turns[index]
            present = self._present(at, people)
            near = index > scene[0] and turn.first - self._turns[index - 1].last <= 1
            called = [place[member] for member in turn.called if member in place]
            since = self._turns[index - 1].last + 1 if index > scene[0] else turn.first - 2
            seen.append(
                Seen(
                    self._fit(turn, people, min(since, turn.first)),
                    present / present.sum(),
                    called,
                    near,
                )
            )
        for index, told in zip(scene, speaking(seen), strict=True):
            turn = self._turns[index]
            best = int(told.argmax())
            if turn.cue and turn.cue.kind == "name":
                self._settle(turn, turn.cue.member, "explicit", "name")
                continue
            top = told.argsort()[::-1][:3]
            turn.rule = " ".join(
                f"{self._members[people[x]].name if x < len(people) else '?'} {told[x]:.2f}"
                for x in top
            )
            if best < len(people) and told[best] >= _SURE:
                kind = turn.cue.kind if turn.cue else "beat" if turn.beat else "none"
                self._settle(
                    turn,
                    people[best],
                    "anaphoric" if turn.cue else "implicit",
                    f"{kind}:{int(told[best] * 50) / 50:.2f}",
                )

    def _present(self, at: Mapping[int, float], people: Sequence[int]) -> Floats:
        best: dict[Gender, float] = {}
        for member, value in at.items():
            gender = self._members[member].gender
            best[gender] = max(best.get(gender, 0.0), value)
        known = [
            at.get(member, 0.0) / max(best.get(self._members[member].gender, 0.0), 0.01) + _FAINT
            for member in people
        ]
        return np.array([*known, _STRANGER])

    def _salience(self, scene: Sequence[int]) -> list[dict[int, float]]:
        """For each turn who is about, by how long ago and how they were last named."""
        found: list[dict[int, float]] = []
        at: dict[int, float] = {}
        number = max(0, self._turns[scene[0]].first - _WINDOW)
        for paragraph in range(self._turns[scene[0]].first - 1, number - 1, -1):
            if _HEADING.match(self._text, *self._paragraphs[paragraph]):
                number = paragraph
                break
        for index in scene:
            turn = self._turns[index]
            while number <= turn.first:
                at = {member: value * _FADES for member, value in at.items() if value > 0.01}
                for event in self._events[number]:
                    if event.member is not None:
                        value = 1.0 if event.acts else 0.4
                        at[event.member] = max(at.get(event.member, 0.0), value)
                number += 1
            found.append(dict(at))
            for member in turn.called:
                at[member] = max(at.get(member, 0.0), 1.0)
            for member in turn.named:
                at[member] = max(at.get(member, 0.0), 0.15)
            if turn.cue and turn.cue.member is not None:
                at[turn.cue.member] = 1.0
        return found

    def _fit(self, turn: Turn, people: Sequence[int], since: int) -> Floats:
        """How well the words of a turn and around it go with each person, and with a stranger."""
        cue, beat = turn.cue, turn.beat
        fits = np.ones(len(people) + 1)
        if cue and cue.kind == "name":
            fits[:] = 0.002
            if cue.member in people:
                fits[people.index(cue.member)] = 1.0
            return fits
        if cue and cue.kind == "other" or cue and cue.word in ("i", "we", "they", "you"):
            fits[:-1] = 0.01
        here: dict[int | None, int] = {}
        for number in range(max(0, since), turn.first + 1):
            for event in self._events[number]:
                if cue is None or event.start < cue.start:
                    if event.member is not None or not cue or event.gender in ("", cue.gender):
                        here[event.member] = max(here.get(event.member, 0), event.acts)
        for n, member in enumerate(people):
            gender = self._members[member].gender
            for clue, strength in ((cue, 0.005), (beat, 0.05)):
                if clue and clue.gender and gender != clue.gender:
                    fits[n] *= 0.3 if not gender else strength
            if member in turn.called:
                fits[n] *= 0.02
            elif member in turn.named:
                fits[n] *= 0.15
            if member in here:
                fits[n] *= _HERE[here[member]]
            if beat and beat.member == member:
                fits[n] *= 10.0
        fits[-1] *= _NOUN if cue and cue.kind == "noun" else 1.0
        fits[-1] *= _HERE[here[None]] if None in here else 1.0
        return fits

    # Reading

    def _grouped(self, pieces: Sequence[Piece]) -> list[Turn]:
        self._turns_so_far: list[Turn] = []
        turns = self._turns_so_far
        by_paragraph: dict[int, list[Piece]] = {}
        for piece in pieces:
            by_paragraph.setdefault(piece.paragraph, []).append(piece)
        for number, own in by_paragraph.items():
            found = self._paragraph(number, own)
            if own[0].continues and turns:
                turns[-1].pieces += found[0].pieces
                turns[-1].cue = turns[-1].cue or found[0].cue
                found = found[1:]
            turns += found
        return turns

    def _paragraph(self, number: int, pieces: Sequence[Piece]) -> list[Turn]:
        start, end = self._paragraphs[number]
        edges = [start, *(edge for piece in pieces for edge in (piece.start, piece.end)), end]
        gaps = [
            items_of(self._text, edges[n], edges[n + 1], self._named)
            for n in range(0, len(edges), 2)
        ]
        turns: list[Turn] = []
        for gap in gaps:
            self._note(number, gap)
        for n, piece in enumerate(pieces):
            inner = self._text[piece.start : piece.end].rstrip(_CLOSERS)
            behind = tag_behind(gaps[n + 1], inner[-1:])
            lead = gaps[n] if n or gaps[0] else self._lead_in(number)
            before = tag_before(lead)
            led = before and lead[-1].text == ":"
            cue = before if led else behind or before
            joined = (
                n > 0
                and any(item.is_word for item in gaps[n])
                and not _differ(turns[-1].cue, cue, self._members)
            )
            if joined:
                turns[-1].pieces.append(piece)
                if turns[-1].cue is None or (cue and cue.kind == "name" != turns[-1].cue.kind):
                    turns[-1].cue = cue
            else:
                turns.append(Turn([piece], cue))
        if len(turns) == 1 and turns[0].cue is None:
            turns[0].beat = self._beat(gaps)
        return turns

    def _note(self, number: int, items: Sequence[Item]) -> None:
        """Keep who is named in the narration of a paragraph, and in which part."""
        for sentence in sentences_of(items):
            main = main_subject(sentence)
            for at, item in enumerate(sentence):
                if item.member is None and item.low not in grammar.DETERMINERS:
                    continue
                subject, end = subject_at(sentence, at) or (None, at)
                if subject is None or subject.kind not in ("name", "noun"):
                    if item.member is not None:
                        self._events[number].append(Event(item.start, item.member, "", 0))
                    continue
                part = 2 if main and main.start == subject.start else _part(sentence, at, end)
                if subject.kind == "name" or part:
                    event = Event(subject.start, subject.member, subject.gender, part)
                    self._events[number].append(event)

    def _lead_in(self, number: int) -> list[Item]:
        """The end of the paragraph before, where it leads up to a quotation."""
        if not number:
            return []
        start, end = self._paragraphs[number - 1]
        if self._text[end - 1] not in ":,-–—":
            return []
        said = self._turns_so_far[-1].pieces[-1].end if self._turns_so_far else 0
        return items_of(self._text, max(start, said), end, self._named)

    def _beat(self, gaps: Sequence[Sequence[Item]]) -> Subject | None:
        found = [subject for gap in gaps for subject in leads(gap)]
        who = {(subject.kind, subject.member, subject.gender) for subject in found}
        return found[0] if len(who) == 1 else None

    def _place(self, mentions: Sequence[CastMention], pieces: Sequence[Piece]) -> None:
        """Sort the mentions: into the narration of their paragraph, or the words of a turn."""
        turn_of = {id(piece): turn for turn in self._turns for piece in turn.pieces}
        paragraph = at = 0
        for mention in sorted(mentions, key=lambda m: m.start):
            while (
                paragraph < len(self._paragraphs)
                and self._paragraphs[paragraph][1] <= mention.start
            ):
                paragraph += 1
            while at < len(pieces) and pieces[at].end <= mention.start:
                at += 1
            if at < len(pieces) and pieces[at].start <= mention.start:
                turn = turn_of[id(pieces[at])]
                turn.named.add(mention.member)
                before = self._text[max(pieces[at].start, mention.start - 12) : mention.start]
                if _CALLED.search(before) and self._text[mention.end : mention.end + 1] in tuple(
                    ',.!?;—-"”'
                ):
                    turn.called.add(mention.member)
            elif paragraph < len(self._paragraphs):
                self._told[paragraph].append((mention.start, mention.member))

    # Telling

    def _fits(self, member: int, gender: Gender) -> bool:
        return not gender or self._members[member].gender in ("", gender)

    def _settle(self, turn: Turn, member: int, basis: SpeakerBasis, rule: str) -> None:
        turn.speaker, turn.basis, turn.rule = member, basis, rule


def _part(sentence: Sequence[Item], start: int, end: int) -> int:
    """1 where the words ``[start, end)`` may be the subject of a clause, else 0."""
    before = sentence[start - 1] if start else None
    if end < len(sentence) and is_finite(sentence[end].low):
        return int(before is None or before.low not in grammar.PREPOSITIONS)
    opens = grammar.COORDINATORS | grammar.SUBORDINATORS
    return int(before is None or before.low in opens)


def _differ(one: Subject | None, other: Subject | None, members: Sequence[CastMember]) -> bool:
    """Whether two tags of a paragraph speak of two people."""
    if one is None or other is None:
        return False
    if one.start == other.start:
        return False
    if "pronoun" not in (one.kind, other.kind):
        return one.member != other.member or one.word != other.word
    genders = [
        members[each.member].gender if each.member is not None else each.gender
        for each in (one, other)
    ]
    return all(genders) and genders[0] != genders[1]
