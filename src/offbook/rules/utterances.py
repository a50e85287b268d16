"""A text as utterances, with what the narration says of their speakers and of who is about.

Takes: a text and where the members of its cast are named in it.  Gives: turns of the talk, each
with its tag, and the people whom the narration between them names. Source: ours; tags as in
``speech_tags``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from offbook.names.cast import CastMember, CastMention
from offbook.rules.quotations import Piece, labelled_speech, paragraphs_of, quotations_of
from offbook.rules.speech_tags import (
    ENDS,
    Item,
    Subject,
    items_of,
    leads,
    main_subject,
    sentences_of,
    subject_at,
    tag_before,
    tag_behind,
)
from offbook.text import grammar
from offbook.text.grammar import Gender
from offbook.text.verbs import is_finite

_CLOSERS: Final = "\"'”’»«“」』 "
_BEFORE_ADDRESS: Final = re.compile(
    r"(?:^\W*|[,;.!?—-]\s*|\b(?:my|dear|oh|O|no|yes|well|poor|little)\s+)\Z", re.IGNORECASE
)
_LOOK_BACK: Final = 12
_BEHIND_ADDRESS: Final = frozenset(',.!?;—-"”，。！？')
_LEADS_ON: Final = frozenset(":,-–—：，")
"""How a paragraph ends that leads up to the quotation of the next."""


class Named(NamedTuple):
    """Somebody is named in the narration, by a name, or by a noun (``member`` is None).

    ``part`` is 2 for the subject of a sentence, 1 for one of a clause, else 0.
    """

    start: int
    member: int | None
    gender: Gender
    part: int


@dataclass(slots=True)
class Turn:
    """Pieces of one utterance, and what tells the speaker.

    ``tag`` is the subject of a verb of speech, ``beat`` who alone acts in its paragraph; ``called``
    are those whom it calls by name, ``named`` all whom it names.
    """

    pieces: list[Piece]
    tag: Subject | None = None
    beat: Subject | None = None
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


class Utterances:
    """The turns of one text, and who is named between them, by paragraphs."""

    def __init__(
        self, text: str, members: Sequence[CastMember], mentions: Sequence[CastMention]
    ) -> None:
        self.text, self._members = text, members
        self._at = {mention.start: (mention.end, mention.member) for mention in mentions}
        self.turns: list[Turn] = []
        labelled = labelled_speech(text)
        self.paragraphs = [(start, end) for _, start, end in labelled] or paragraphs_of(text)
        self.named: list[list[Named]] = [[] for _ in self.paragraphs]
        if labelled:
            self._read_labels(labelled)
        else:
            self._read_narration(quotations_of(text, self.paragraphs))
        self._note_addresses(mentions)

    def _read_labels(self, labelled: Sequence[tuple[tuple[int, int], int, int]]) -> None:
        """Take the turns of a play or a log: its labels say who speaks."""
        for number, ((start, end), first, last) in enumerate(labelled):
            named = {self._at[place][1] for place in range(start, end) if place in self._at}
            member = named.pop() if len(named) == 1 else None
            tag = Subject("other" if member is None else "name", start, member)
            self.turns.append(Turn([Piece(first, last, number)], tag))

    def _read_narration(self, pieces: Sequence[Piece]) -> None:
        spoken = {
            number: list(group) for number, group in groupby(pieces, lambda piece: piece.paragraph)
        }
        for number, (start, end) in enumerate(self.paragraphs):
            group = spoken.get(number)
            if group is None:
                self._note(number, items_of(self.text, start, end, self._at))
                continue
            turns = self._paragraph(number, group)
            if group[0].continues and self.turns:
                self.turns[-1].pieces += turns[0].pieces
                self.turns[-1].tag = self.turns[-1].tag or turns[0].tag
                del turns[0]
            self.turns += turns

    def _paragraph(self, number: int, pieces: Sequence[Piece]) -> list[Turn]:
        """The turns of a paragraph: one, unless its tags speak of several people."""
        start, end = self.paragraphs[number]
        edges = [start, *(edge for piece in pieces for edge in (piece.start, piece.end)), end]
        gaps = [
            items_of(self.text, edges[index], edges[index + 1], self._at)
            for index in range(0, len(edges), 2)
        ]
        for gap in gaps:
            self._note(number, gap)
        turns: list[Turn] = []
        for n, piece in enumerate(pieces):
            tag = self._tag(piece, gaps[n] if n or gaps[0] else self._lead_in(number), gaps[n + 1])
            parted = not any(item.is_word for item in gaps[n])
            if not turns or parted or self._differ(turns[-1].tag, tag):
                turns.append(Turn([piece], tag))
                continue
            turns[-1].pieces.append(piece)
            if turns[-1].tag is None or (tag and tag.kind == "name" != turns[-1].tag.kind):
                turns[-1].tag = tag
        if len(turns) == 1 and turns[0].tag is None:
            turns[0].beat = _only([subject for gap in gaps for subject in leads(gap)])
        return turns

    def _tag(self, piece: Piece, before: list[Item], behind: list[Item]) -> Subject | None:
        """The tag of a piece between two stretches of narration."""
        last = self.text[piece.start : piece.end].rstrip(_CLOSERS)[-1:]
        led = tag_before(before)
        if led and before[-1].text not in ENDS:
            return led
        return tag_behind(behind, last) or led

    def _lead_in(self, number: int) -> list[Item]:
        """The narration that ends the paragraph before, where it leads up to a quotation."""
        start, end = self.paragraphs[number - 1] if number else (0, 0)
        if not end or self.text[end - 1] not in _LEADS_ON:
            return []
        said = self.turns[-1].pieces[-1].end if self.turns else 0
        return items_of(self.text, max(start, said), end, self._at)

    def _differ(self, one: Subject | None, other: Subject | None) -> bool:
        """Whether two tags of a paragraph speak of two people."""
        if one is None or other is None or one.start == other.start:
            return False
        if "pronoun" not in (one.kind, other.kind):
            return (one.member, one.word) != (other.member, other.word)
        genders = [
            each.gender if each.member is None else self._members[each.member].gender
            for each in (one, other)
        ]
        return all(genders) and genders[0] != genders[1]

    def _note(self, number: int, items: Sequence[Item]) -> None:
        """Keep whom the narration of a paragraph names, and as which part of its sentence."""
        for sentence in sentences_of(items):
            main = main_subject(sentence)
            for index, item in enumerate(sentence):
                if item.member is None and item.low not in grammar.DETERMINERS:
                    continue
                subject, end = subject_at(sentence, index) or (None, index)
                if subject is None or subject.kind == "pronoun":
                    if item.member is not None:
                        self.named[number].append(Named(item.start, item.member, "", 0))
                    continue
                part = 2 if main and main.start == subject.start else _part(sentence, index, end)
                if subject.kind == "name" or part:
                    self.named[number].append(
                        Named(subject.start, subject.member, subject.gender, part)
                    )

    def _note_addresses(self, mentions: Sequence[CastMention]) -> None:
        """Keep whom each turn names, and whom of them it calls."""
        pieces = [(piece, turn) for turn in self.turns for piece in turn.pieces]
        index = 0
        for mention in sorted(mentions, key=lambda each: each.start):
            while index < len(pieces) and pieces[index][0].end <= mention.start:
                index += 1
            if index == len(pieces) or pieces[index][0].start > mention.start:
                continue
            piece, turn = pieces[index]
            turn.named.add(mention.member)
            before = self.text[max(piece.start, mention.start - _LOOK_BACK) : mention.start]
            behind = self.text[mention.end : mention.end + 1]
            if behind in _BEHIND_ADDRESS and _BEFORE_ADDRESS.search(before):
                turn.called.add(mention.member)


def _only(subjects: Collection[Subject]) -> Subject | None:
    """The one whom all subjects mean, as far as their words tell."""
    who = {(each.kind, each.member, each.gender): each for each in subjects}
    return next(iter(who.values())) if len(who) == 1 else None


def _part(sentence: Sequence[Item], start: int, end: int) -> int:
    """1 where the words ``[start, end)`` may be the subject of a clause, else 0."""
    before = sentence[start - 1].low if start else ""
    if end < len(sentence) and is_finite(sentence[end].low):
        return int(before not in grammar.PREPOSITIONS)
    return int(not before or before in grammar.COORDINATORS or before in grammar.SUBORDINATORS)
