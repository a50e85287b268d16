"""Who says what: quotations of a text and the members of its cast who speak them.

Takes: texts, the members of a cast and where they are named.  Gives: quotations, each with its
speaker and by what that is told, or open. Source: a sieve of rules, the surest first, as in Muzny,
Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve Approach for Quote Attribution"), with the turns
of a dialogue as in O'Keefe, Pareti, Curran, Koprinska and Honnibal 2012; the rules are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from offbook.rules.quotations import Piece, paragraphs_of, quotations_of
from offbook.rules.speech_tags import Item, Subject, items_of, leads, sentences_of, subject_at, tag_before, tag_behind
from offbook.text import grammar
from offbook.text.grammar import Gender
from offbook.text.verbs import is_finite
from offbook.types import CastMember, CastMention, Quotation, SpeakerBasis

_WINDOW: Final = 8
"""Paragraphs that a pronoun looks back over."""
_CLOSERS: Final = "\"'”’»«“」』 "
_CALLED: Final = re.compile(r"(?:^\W*|[,;.!?—-]\s*|\b(?:my|dear|oh|O|no|yes|well|poor|little)\s+)\Z", re.IGNORECASE)
_HEADING: Final = re.compile(r"#|(?:chapter|book|part|act|scene|letter)\s+[\divxlc]+\b|[\W_]+\Z", re.IGNORECASE)


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
    acts: bool
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
        for turn in self._turns:
            if turn.cue and turn.cue.kind == "name":
                turn.speaker, turn.basis, turn.rule = turn.cue.member, "explicit", "name"
        for _ in range(3):
            for index, turn in enumerate(self._turns):
                if turn.speaker is None:
                    self._by_pronoun(index, turn)
            for index, turn in enumerate(self._turns):
                if turn.speaker is None and turn.cue is None:
                    self._by_beat(index, turn)
            for index, turn in enumerate(self._turns):
                if turn.speaker is None and turn.cue is None:
                    self._by_turns(index, turn)
        return self._turns

    # Reading

    def _grouped(self, pieces: Sequence[Piece]) -> list[Turn]:
        turns: list[Turn] = []
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
            cue = behind or before
            joined = n > 0 and any(item.is_word for item in gaps[n]) and not _differ(turns[-1].cue, cue, self._members)
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
        for sentence in sentences_of(items):
            for at, item in enumerate(sentence):
                found = subject_at(sentence, at)
                if found is None:
                    continue
                subject, end = found
                before = sentence[at - 1].low if at else ""
                object_ = before in grammar.PREPOSITIONS or (at and not (before in grammar.COORDINATORS or before in grammar.SUBORDINATORS or before in grammar.AMBIGUOUS_PREPOSITIONS or not before[0].isalnum()) and not(end < len(sentence) and is_finite(sentence[end].low)))
                if subject.kind == "name":
                    self._events[number].append(Event(subject.start, subject.member, "", not object_))
                elif subject.kind == "noun" and not object_:
                    self._events[number].append(Event(subject.start, None, subject.gender, True))
                elif item.member is not None:
                    self._events[number].append(Event(item.start, item.member, "", False))

    def _lead_in(self, number: int) -> list[Item]:
        """The end of the paragraph before, where it leads up to a quotation."""
        if not number:
            return []
        start, end = self._paragraphs[number - 1]
        if self._text[end - 1] not in ":,":
            return []
        return items_of(self._text, max(start, end - 300), end, self._named)

    def _beat(self, gaps: Sequence[Sequence[Item]]) -> Subject | None:
        found = [subject for gap in gaps for subject in leads(gap)]
        who = {(subject.kind, subject.member, subject.gender) for subject in found}
        return found[0] if len(who) == 1 else None

    def _place(self, mentions: Sequence[CastMention], pieces: Sequence[Piece]) -> None:
        """Sort the mentions: into the narration of their paragraph, or the words of a turn."""
        turn_of = {id(piece): turn for turn in self._turns for piece in turn.pieces}
        paragraph = at = 0
        for mention in sorted(mentions, key=lambda m: m.start):
            while paragraph < len(self._paragraphs) and self._paragraphs[paragraph][1] <= mention.start:
                paragraph += 1
            while at < len(pieces) and pieces[at].end <= mention.start:
                at += 1
            if at < len(pieces) and pieces[at].start <= mention.start:
                turn = turn_of[id(pieces[at])]
                turn.named.add(mention.member)
                before = self._text[max(pieces[at].start, mention.start - 12) : mention.start]
                if _CALLED.search(before) and self._text[mention.end : mention.end + 1] in tuple(",.!?;—-\"”"):
                    turn.called.add(mention.member)
            elif paragraph < len(self._paragraphs):
                self._told[paragraph].append((mention.start, mention.member))

    # Telling

    def _fits(self, member: int, gender: Gender) -> bool:
        return not gender or self._members[member].gender in ("", gender)

    def _beside(self, index: int) -> set[int]:
        """Who speaks in the turns right before and behind this one."""
        found: set[int] = set()
        for other in (index - 1, index + 1):
            if 0 <= other < len(self._turns):
                turn, low, high = self._turns[other], *sorted((index, other))
                near = self._turns[high].first - self._turns[low].last <= 1
                if near and turn.speaker is not None:
                    found.add(turn.speaker)
        return found

    def _settle(self, turn: Turn, member: int, basis: SpeakerBasis, rule: str) -> None:
        turn.speaker, turn.basis, turn.rule = member, basis, rule

    def _by_pronoun(self, index: int, turn: Turn) -> None:
        if turn.cue is None or turn.cue.kind not in ("pronoun", "noun") or not turn.cue.gender:
            return
        self._refer(index, turn, turn.cue, "anaphoric", turn.cue.kind)

    def _refer(self, index: int, turn: Turn, cue: Subject, basis: SpeakerBasis, tag: str) -> None:
        barred = self._beside(index) | turn.called
        names: list[int] = []  # who may be meant, the latest first
        weak: set[int] = set()
        first: list[str] = []
        for event in self._before(index, turn.first, cue.start, cue.gender):
            if event.member is None:
                if not names:
                    return
                break
            if event.member in barred:
                continue
            if event.member in names:
                continue
            if not event.acts:
                weak.add(event.member)
                continue
            names.append(event.member)
            first.append(f"{event.here}{bool(weak - {event.member})}")
        if len(names) == 1:
            self._settle(turn, names[0], basis, f"{tag}:one:{first[0]}:{bool(weak-{names[0]})}")
        elif names:
            self._settle(turn, names[0], basis, f"{tag}:many:{first[0]}")

    def _before(self, index: int, paragraph: int, at: int, gender: Gender) -> Iterator[Event]:
        """Who of a gender is named, or speaks, before a place, the latest first."""
        turn = index - 1
        for number in range(paragraph, max(-1, paragraph - 1 - _WINDOW), -1):
            if number < paragraph and _HEADING.match(self._text, *self._paragraphs[number]):
                return
            found = [e for e in self._events[number] if e.start < at]
            while turn >= 0 and self._turns[turn].last >= number:
                t = self._turns[turn]
                if t.speaker is not None:
                    found.append(Event(t.pieces[0].start, t.speaker, "", True, number == paragraph))
                elif t.cue and t.cue.kind in ("pronoun", "noun") and t.cue.gender == gender:
                    found.append(Event(t.pieces[0].start, None, gender, True, False))
                turn -= 1
            for event in sorted(found, key=lambda e: -e.start):
                if event.member is not None:
                    if self._fits(event.member, gender):
                        yield event._replace(here=number == paragraph)
                elif event.gender in ("", gender):
                    yield event

    def _by_beat(self, index: int, turn: Turn) -> None:
        beat = turn.beat
        if beat is None:
            return
        if beat.kind == "name" and beat.member is not None:
            where = "before" if beat.start < turn.pieces[0].start else "behind"
            if beat.member not in self._beside(index) | turn.called:
                self._settle(turn, beat.member, "implicit", f"beat:{where}")
        elif beat.kind == "pronoun" and beat.gender:
            self._refer(index, turn, beat, "implicit", "beatpro")

    def _by_turns(self, index: int, turn: Turn) -> None:
        def at(step: int) -> Turn | None:
            low = index
            for _ in range(abs(step)):
                other = low + (1 if step > 0 else -1)
                if not 0 <= other < len(self._turns):
                    return None
                a, b = sorted((low, other))
                if self._turns[b].first - self._turns[a].last > 1 or self._turns[b].first == self._turns[a].last:
                    return None
                low = other
            return self._turns[low]

        who = {step: (t.speaker if (t := at(step)) else None) for step in (-2, -1, 1, 2)}
        beside = {who[-1], who[1]} - {None}
        away = {who[-2], who[2]} - {None}
        if len(away) == 1:
            (member,) = away
            if member in beside or member in turn.called:
                return
            rule = f"turns:{'A' if who[-2] is not None else '-'}{'B' if who[-1] is not None else '-'}.{'B' if who[1] is not None else '-'}{'A' if who[2] is not None else '-'}"
            if len(beside) == 1:
                self._settle(turn, member, "implicit", rule + ("v" if turn.called & beside else ""))


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
