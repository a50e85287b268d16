"""Who says what: quotations of a text and the members of its cast who speak them.

Takes: texts, the members of a cast and where they are named.  Gives: quotations, each with its
speaker and by what that is told, or open. Source: ours; a name in a tag is believed, all else is
weighed: pronouns, who acts beside the words, who is called by name, and the turns of the talk, the
kinds of evidence of Muzny, Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve Approach for Quote
Attribution") and of He, Barbosa and Kondrak 2013.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from offbook.names.cast import CastMember, CastMention, Quotation, SpeakerBasis
from offbook.prompts.speakers import Speakers, SpeakersInputs, SpokenBy
from offbook.rules.speech_tags import Subject
from offbook.rules.turn_taking import Floats, Seen, speaking
from offbook.rules.utterances import Turn, Utterances
from offbook.text.grammar import Gender

_SURE: Final = 0.77
"""How probable a speaker must be who is not named; who is less stays open."""
_MOST: Final = 14
"""People of a scene that are weighed."""
_BREAK: Final = 8
"""Paragraphs of narration that part two scenes."""
_BACK: Final = 8
"""Paragraphs before a scene whose people may speak in it."""
_FAR: Final = 100
"""Characters of narration from which on it parts two turns of neighbouring paragraphs."""
_HEADING: Final = re.compile(
    r"#|(?:chapter|book|part|act|scene|letter)\s+[\divxlc]+\b|[\W_]+\Z", re.IGNORECASE
)

# How much somebody is about: by the part of the sentence that names them, or by being spoken of,
# fading with each paragraph; and what is left for all others, and for people outside the cast.
_PARTS: Final = (0.4, 1.0, 1.0)
_SPOKEN_OF: Final = 0.15
_FADES: Final = 0.8
_FAINT: Final = 0.01
_STRANGER: Final = 0.04

# How likely the words are if somebody speaks, against 1 where nothing tells.
_OTHER_TAG: Final = 0.002
_OTHER_GENDER: Final = 0.005
_OTHER_BEAT: Final = 0.05
_NO_GENDER: Final = 0.3
_CALLS_SELF: Final = 0.02
_NAMES_SELF: Final = 0.15
_BEAT: Final = 10.0
_NOUN: Final = 4.0
_BESIDE: Final = (1.3, 2.0, 6.0)
"""By the part of a sentence that names them since the turn before."""


def attribute(
    texts: Sequence[str], members: Sequence[CastMember], mentions: Sequence[CastMention]
) -> tuple[Quotation, ...]:
    """Find the quotations of texts and who says each; what cannot be told stays open."""
    by_text: dict[int, list[CastMention]] = defaultdict(list)
    for mention in mentions:
        by_text[mention.text].append(mention)
    return tuple(
        Quotation(number, piece.start, piece.end, speaker, basis)
        for number, text in enumerate(texts)
        for turn, speaker, basis in _Scenes(text, members, by_text[number]).speakers()
        for piece in turn.pieces
    )


def speakers(inputs: SpeakersInputs) -> Speakers:
    """Answer with what :func:`attribute` said of the same quotations."""
    items = enumerate(inputs.by_rule, 1)
    return Speakers(quotations=[SpokenBy(item=item, person=person) for item, person in items])


class _Scenes:
    """One text, scene by scene."""

    def __init__(
        self, text: str, members: Sequence[CastMember], mentions: Sequence[CastMention]
    ) -> None:
        self._genders: list[Gender] = [member.gender for member in members]
        self._read = Utterances(text, members, mentions)
        self._turns = self._read.turns

    def speakers(self) -> Iterator[tuple[Turn, int | None, SpeakerBasis | None]]:
        """Each turn with its speaker and by what that is told; None and None where it is open."""
        for scene in self._scenes():
            for index, (member, probability) in zip(scene, self._weighed(scene), strict=True):
                turn = self._turns[index]
                if turn.tag and turn.tag.member is not None:
                    yield turn, turn.tag.member, "explicit"
                elif member is None or probability < _SURE or _is_of_others(turn.tag):
                    yield turn, None, None
                else:
                    yield turn, member, "anaphoric" if turn.tag else "implicit"

    def _scenes(self) -> Iterator[list[int]]:
        """The numbers of the turns between headings and long narration."""
        scene: list[int] = []
        for index, turn in enumerate(self._turns):
            between = range(self._turns[index - 1].last + 1 if index else 0, turn.first + 1)
            if scene and (len(between) > _BREAK or any(map(self._is_heading, between))):
                yield scene
                scene = []
            scene.append(index)
        if scene:
            yield scene

    def _is_heading(self, paragraph: int) -> bool:
        return bool(_HEADING.match(self._read.text, *self._read.paragraphs[paragraph]))

    def _weighed(self, scene: Sequence[int]) -> list[tuple[int | None, float]]:
        """For each turn the likeliest speaker, None for a stranger, and the probability."""
        about = self._about(scene)
        weights: Counter[int] = Counter()
        for index, weight in zip(scene, about, strict=True):
            tag = self._turns[index].tag
            weights.update(weight)
            weights.update([] if tag is None or tag.member is None else [tag.member])
        people = [member for member, _ in weights.most_common(_MOST)]
        turns_seen = [
            Seen(
                self._fits(index, index == scene[0], people),
                self._present(weight, people),
                [n for n, member in enumerate(people) if member in self._turns[index].called],
                self._distance(index),
            )
            for index, weight in zip(scene, about, strict=True)
        ]
        best = [(int(chances.argmax()), float(chances.max())) for chances in speaking(turns_seen)]
        return [(people[n] if n < len(people) else None, share) for n, share in best]

    def _about(self, scene: Sequence[int]) -> list[dict[int, float]]:
        """For each turn who is about, by how long ago and how they were last named."""
        weights: list[dict[int, float]] = []
        about: dict[int, float] = {}
        first = self._turns[scene[0]].first
        number = max(0, first - _BACK)
        number = next((n for n in range(first, number, -1) if self._is_heading(n)), number)
        for index in scene:
            turn = self._turns[index]
            for paragraph in range(number, turn.first + 1):
                about = {
                    member: _FADES * value for member, value in about.items() if value > _FAINT
                }
                for named in self._read.named[paragraph]:
                    _raise(about, named.member, _PARTS[named.part])
            number = max(number, turn.first + 1)
            weights.append(dict(about))
            for member in turn.named:
                _raise(about, member, 1.0 if member in turn.called else _SPOKEN_OF)
            _raise(about, turn.tag.member if turn.tag else None, 1.0)
        return weights

    def _present(self, about: Mapping[int, float], people: Sequence[int]) -> Floats:
        """How likely each person is to take the word, the nearest of each gender alike."""
        most: dict[Gender, float] = {}
        for member, value in about.items():
            gender = self._genders[member]
            most[gender] = max(most.get(gender, _FAINT), value)
        shares = [
            about.get(member, 0.0) / most.get(self._genders[member], _FAINT) + _FAINT
            for member in people
        ]
        present: Floats = np.array([*shares, _STRANGER])
        present /= present.sum()
        return present

    def _distance(self, index: int) -> int:
        """How far a turn stands from the one before: 0 at once, 1 narration, 2 paragraphs of it."""
        turn, before = self._turns[index], self._turns[index - 1]
        if not index or turn.first - before.last > 1:
            return 2
        start, opens = turn.pieces[0].start, self._read.paragraphs[turn.first][0]
        return int(start > opens or start - before.pieces[-1].end > _FAR)

    def _fits(self, index: int, opens: bool, people: Sequence[int]) -> Floats:
        """How well a turn and what stands around it go with each person, and with a stranger."""
        turn = self._turns[index]
        fits = np.ones(len(people) + 1)
        if turn.tag and turn.tag.kind == "name":
            fits[np.array([*people, -1]) != turn.tag.member] = _OTHER_TAG
            return fits
        if _is_of_others(turn.tag):
            fits[:-1] = _OTHER_TAG
        beside = self._beside(index, opens)
        for n, member in enumerate(people):
            gender = self._genders[member]
            for clue, unlikely in ((turn.tag, _OTHER_GENDER), (turn.beat, _OTHER_BEAT)):
                if clue and clue.gender and gender != clue.gender:
                    fits[n] *= unlikely if gender else _NO_GENDER
            if member in turn.named:
                fits[n] *= _CALLS_SELF if member in turn.called else _NAMES_SELF
            if turn.beat and turn.beat.member == member:
                fits[n] *= _BEAT
            fits[n] *= beside.get(member, 1.0)
        is_noun = turn.tag is not None and turn.tag.kind == "noun"
        fits[-1] *= beside.get(None, 1.0) * (_NOUN if is_noun else 1.0)
        return fits

    def _beside(self, index: int, opens: bool) -> dict[int | None, float]:
        """What speaks for those whom the narration names since the turn before."""
        turn = self._turns[index]
        since = turn.first - 2 if opens else self._turns[index - 1].last + 1
        weights: dict[int | None, float] = {}
        for paragraph in range(max(0, min(since, turn.first)), turn.first + 1):
            for named in self._read.named[paragraph]:
                tag = turn.tag
                if not tag or (
                    named.start < tag.start
                    and (named.member is not None or named.gender in ("", tag.gender))
                ):
                    value = max(weights.get(named.member, 1.0), _BESIDE[named.part])
                    weights[named.member] = value
        return weights


def _is_of_others(tag: Subject | None) -> bool:
    """Whether a tag speaks of somebody who cannot be told: outside the cast, "I", or several."""
    return tag is not None and (tag.kind == "other" or tag.word in ("i", "we", "they", "you", "it"))


def _raise(values: dict[int, float], member: int | None, value: float) -> None:
    """Set the value of a member unless it is higher."""
    if member is not None:
        values[member] = max(values.get(member, 0.0), value)
