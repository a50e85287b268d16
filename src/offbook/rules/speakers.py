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
from typing import Final

from offbook.rules.quotations import Piece, paragraphs_of, quotations_of
from offbook.rules.speech_tags import Item, Subject, items_of, leads, sentences_of, tag_before, tag_behind
from offbook.text.grammar import Gender
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
        free = True  # whether the gap in front does not belong to the piece before it
        for n, piece in enumerate(pieces):
            inner = self._text[piece.start : piece.end].rstrip(_CLOSERS)
            behind = tag_behind(gaps[n + 1], inner[-1:])
            lead = gaps[n] if n or gaps[0] else self._lead_in(number)
            before = tag_before(lead) if free else None
            cue = behind or before
            joined = n > 0 and any(item.is_word for item in gaps[n]) and not _differ(turns[-1].cue, cue, self._members)
            if joined:
                turns[-1].pieces.append(piece)
                if turns[-1].cue is None or (cue and cue.kind == "name" != turns[-1].cue.kind):
                    turns[-1].cue = cue
            else:
                turns.append(Turn([piece], cue))
            free = behind is None or len(sentences_of(gaps[n + 1])) > 1
        if len(turns) == 1 and turns[0].cue is None:
            turns[0].beat = self._beat(gaps)
        return turns

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
        gender = cue.gender
        barred = self._beside(index) | turn.called
        here = [m for at, m in self._told[turn.first] if at < cue.start and self._fits(m, gender)]
        if len(set(here)) == 1:
            return self._settle(turn, here[0], basis, f"{tag}:here")
        if here:
            free = set(here) - barred
            if len(free) == 1:
                self._settle(turn, free.pop(), basis, f"{tag}:herefree")
            return
        recent = self._recent(index, turn.first, gender)
        free_recent = [m for m in recent if m not in barred]
        if len(free_recent) == 1:
            self._settle(turn, free_recent[0], basis, f"{tag}:unique{len(recent)}")
        elif free_recent:
            rule = f"{tag}:nearest"
            # self._settle(turn, free_recent[0], basis, rule)

    def _recent(self, index: int, paragraph: int, gender: Gender) -> list[int]:
        """Who of a gender is named or speaks in the paragraphs before, the latest first."""
        found: dict[int, None] = {}
        turn = index - 1
        for number in range(paragraph - 1, max(-1, paragraph - 1 - _WINDOW), -1):
            start, end = self._paragraphs[number]
            if _HEADING.match(self._text, start, end):
                break
            while turn >= 0 and self._turns[turn].last >= number:
                if (speaker := self._turns[turn].speaker) is not None:
                    found.setdefault(speaker)
                turn -= 1
            for _, member in reversed(self._told[number]):
                found.setdefault(member)
        return [member for member in found if self._fits(member, gender)]

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
    if one.member is not None and other.member is not None:
        return one.member != other.member
    genders = [
        members[each.member].gender if each.member is not None else each.gender
        for each in (one, other)
    ]
    return all(genders) and genders[0] != genders[1]
