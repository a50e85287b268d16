"""The scenes of a text and who witnesses them, by rules: without a model.

Takes: texts and their cast.  Gives: scenes, cut at headings and breaks, at words of another time or
place, and where the company changes clearly; in each, who speaks, is addressed or acts, who tells
it as "I", who overhears and who reads. Source: ours; a change of company is looked for as
TextTiling looks for one of topic (Hearst 1997).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from offbook.documents.sections import sections
from offbook.names.cast import Cast, CastMention
from offbook.names.narrator import narrator_of
from offbook.names.story import Scene, SceneWitness, Story
from offbook.types import WitnessHow

_BREAK: Final = re.compile(r"^[ \t]*(?:[*•·~#—–-][ \t]*){3,}$|^[ \t]*[⁂*#§❦][ \t]*$", re.MULTILINE)
"""A line of stars or dashes between scenes."""
_SHIFT: Final = re.compile(
    r"(?:(?:(?:on|by|later|early|late) )*(?:the|that) (?:very )?(?:next|following|same|very)"
    r" (?:day|morning|evening|afternoon|night|week|hour)"
    r"|next (?:day|morning|evening)|(?:early |late )?(?:in the|that|one|on [a-z]+day) "
    r"(?:morning|evening|afternoon|night)|meanwhile|in the meantime|at (?:the same|that) "
    r"(?:time|hour|moment),? in|elsewhere|(?:[a-z]+|\d+|a few|some|several) "
    r"(?:hours?|days?|weeks?|months?|years?) (?:later|after|afterwards|passed|went by)"
    r"|it was (?:a|the) (?:week|month|day|morning|evening)|when (?:morning|evening|night) came)\b",
    re.IGNORECASE,
)
"""How a paragraph begins that is of another time or place."""
_LEAVES: Final = re.compile(
    r"\b(?:left (?:the (?:room|house|shop|inn|hall|garden)|them|him|her)|went (?:out|away|off)"
    r"|walked (?:out|away|off)|withdrew|took (?:his|her|their) leave|departed|drove (?:off|away)"
    r"|rode (?:off|away)|hurried (?:out|away)|ran (?:out|off|away)|was gone|quitted the)\b"
)
_OVERHEARS: Final = re.compile(
    r"\b(?:overheard|overhear|eavesdrop\w*|listen(?:ed|ing) (?:at|behind|through)"
    r"|could hear (?:the|every|them)"
    r"|distinguish(?:ed)? (?:the|their) (?:words|voices)|heard .{0,40} through the)\b"
)
_READS: Final = re.compile(
    r"\b(?:read|opened|perused|unfolded) (?:it|the|his|her|their|this|that)\b"
)
_DEAR: Final = re.compile(r"[\"“‘']?(?:My )?[Dd]ear(?:est)? ")
_I: Final = re.compile(r"\bI(?!\w|\.)")

_SPOKEN_OF: Final = re.compile(
    r"\b(?:of|about|concerning|regarding|than|like|without|for|from|named|called"
    r"|mention(?:ed)?|remember(?:ed)?|that|if|whether|because) (?:[A-Z]\w*\.? )?$"
)
_NOT_NOW: Final = re.compile(
    r"\s+(?:had|would|might|must|should|could|has|will|may|being|never|was to|were to)\b"
)
_OWNS: Final = re.compile(
    r"['’]s? (?!(?:own |\w+ )?(?:eyes?|face|voice|hands?|cheeks?|lips|heart|head|arms?|mind"
    r"|spirits|looks?)\b)"
)
_CLAUSE: Final = re.compile(r"[^.!?;:“”\"\n]*$")
"""What stands before a mention in its sentence, at most."""
_GAP: Final = r"(?: (?!(?:and|but|except|save|then|as|to)\b)[\w’'-]+){0,5}"
_NONE: Final = (
    r"(?:nothing|nobody|no[ -]one|none|never|not|(?:no|not an?|never a) (?:single )?"
    r"(?:word|syllable|hint|line))"
)
_NOR: Final = rf"(?:{_NONE}|neither|nor|without|\w+n['’]t)"
_SPEAK: Final = (
    r"(?:sa(?:y|ys|id|ying)|sp(?:eak|eaks|eaking|oke|oken)|wr(?:ite|ites|iting|ote|itten)"
    r"|mention(?:ed|ing)?|breath(?:e|ed|ing)|confess(?:ed|ing)?|reveal(?:ed|ing)?|admit(?:ted)?"
    r"|explain(?:ed|ing)?)"
)
_TELL: Final = r"(?:t(?:ell|ells|elling|old)|inform(?:ed|ing)?|warn(?:ed|ing)?)"
_KIN: Final = r"(?:(?:his|her|their|the|my|our|old|young|poor) (?:\w+,? )?){0,2}"
_UNTOLD: Final = re.compile(
    rf"\b(?:{_SPEAK}{_GAP} {_NONE}{_GAP} to|{_NOR}{_GAP} (?:{_SPEAK}{_GAP} to|{_TELL})"
    rf"|(?:{_SPEAK}|{_TELL}){_GAP}(?: to)? {_NONE},?"
    rf" (?:not even|least of all|neither|nor|or)(?: to)?) {_KIN}$",
    re.IGNORECASE,
)
_FRONTED: Final = re.compile(rf"(?:^\s*|, |\b(?:and|but) )to {_KIN}$", re.IGNORECASE)
_SAYS_NOT: Final = re.compile(
    rf"(?: \w+)?,?(?: [\w’'.]+){{1,3}}? (?:{_SPEAK}{_GAP} {_NONE}\b|{_NOR}{_GAP} {_SPEAK}\b)",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(rf"\b{_TELL} {_KIN}$", re.IGNORECASE)
_NOT_A_WORD: Final = re.compile(rf",? {_NONE}\b", re.IGNORECASE)
"""Who is told nothing is not there by that: "told nobody, not even X", "to X he said nothing"."""
_WRITING: Final = (
    r"(?:paper|deed|letter|will|testament|document|note|contract|certificate|book|bill"
    r"|parchment|telegram|message|register|lease|charter|clause|inscription|bequest)s?"
)
_CONFERS: Final = (
    r"(?:g(?:ave|ives|iven)|le(?:ft|aves)|grant(?:ed|s)|bequeath(?:ed|s)|will(?:ed|s)"
    r"|assign(?:ed|s)|transfer(?:red|s)|convey(?:ed|s)|promise[ds]|award(?:ed|s)"
    r"|pass(?:ed|es)|restore[ds]|return(?:ed|s)|secure[ds])"
)
_IN_WRITING: Final = re.compile(
    rf"(?:(?:^\s*|, |\b(?:and|but|for|that|which|because) )(?:it|this|which)|\b{_WRITING})"
    rf"(?:,? (?:which|that))?(?: (?:\w+ly|had|also|even))? {_CONFERS}\b"
    rf"(?:(?! (?:and|but|then) (?!(?:the|an?|all|half|his|her|its|their)\b))[^—])* to {_KIN}$"
    rf"|\b(?:belong(?:s|ed|ing)?|bequeathed|willed|{_WRITING} (?:\w+ ){{0,2}}addressed) to {_KIN}$"
    r"|\b(?:written|signed|made|sealed|drawn(?: up)?|composed|dictated|painted|built|carved"
    r"|printed|published|penned|copied|sent|sold|bought|left|bequeathed|founded|planted"
    rf"|designed|engraved|inscribed|owned) (?:\w+ly )?by {_KIN}$",
    re.IGNORECASE,
)
"""What a paper gives to somebody, or who made it, was settled elsewhere."""
_ACTS: Final = re.compile(r",? (?:\w+ly |and |who |then |also )?[a-z]+(?:ed|s)?\b")

# How much a mention says that somebody is there; who is there has a sum of `_PRESENT`.
_SPEAKS, _ADDRESSED, _DOES, _NAMED, _AWAY = 2.0, 0.6, 1.0, 0.4, 0.1
_PRESENT: Final = 1.0
_AROUND: Final = 8
"""Paragraphs on either side of a border whose company is compared."""
_ALIKE: Final = 0.4
"""The share of a company that both sides of a border have in common, at most."""
_SHORTEST: Final = 6
"""Paragraphs of a scene, at least, where only a change of company opens or ends it."""


@dataclass(slots=True)
class _Paragraph:
    """A line of a text, and how much it says that somebody is there, with the words for it."""

    start: int
    end: int
    opens: bool = False
    leaves: bool = False
    there: dict[int, float] = field(default_factory=dict)
    how: dict[int, WitnessHow] = field(default_factory=dict)
    evidence: dict[int, tuple[int, int]] = field(default_factory=dict)

    def note(self, member: int, weight: float, start: int, end: int) -> None:
        """Count what says that somebody is there."""
        if weight > self.there.get(member, 0.0):
            self.evidence[member] = start, end
        self.there[member] = self.there.get(member, 0.0) + weight

    def company(self) -> set[int]:
        """Who is more than spoken of."""
        return {member for member, weight in self.there.items() if weight >= _ADDRESSED}


def read_story(texts: Sequence[str], cast: Cast) -> Story:
    """Read the scenes of texts: see ``protocols.StoryReader``."""
    scenes: list[Scene] = []
    for number, text in enumerate(texts):
        paragraphs = _Text(number, text, cast).paragraphs()
        cuts = _cuts(paragraphs)
        starts = [0, *(paragraphs[cut].start for cut in cuts if cut)]
        spans = zip(starts, [*starts[1:], len(text)], strict=True)
        inside = zip([0, *filter(None, cuts)], [*filter(None, cuts), len(paragraphs)], strict=True)
        for (start, end), (first, last) in zip(spans, inside, strict=True):
            witnesses = tuple(_witnesses(paragraphs[first:last]))
            scenes.append(Scene(number, start, end, witnesses=witnesses))
    return Story(tuple(scenes))


def _witnesses(paragraphs: Sequence[_Paragraph]) -> Iterator[SceneWitness]:
    there: dict[int, float] = {}
    how: dict[int, WitnessHow] = {}
    evidence: dict[int, tuple[float, tuple[int, int]]] = {}
    for each in paragraphs:
        for member, weight in each.there.items():
            there[member] = there.get(member, 0.0) + weight
            if weight > evidence.get(member, (0.0, (0, 0)))[0]:
                evidence[member] = weight, each.evidence[member]
        how |= each.how
    for member, weight in there.items():
        if weight >= _PRESENT or member in how:
            is_there = weight >= _PRESENT + _DOES
            way: WitnessHow = "present" if is_there else how.get(member, "present")
            yield SceneWitness(member, way, *evidence[member][1])


def _cuts(paragraphs: Sequence[_Paragraph]) -> list[int]:
    """Number the paragraphs with which scenes begin."""
    hard = {0, *(n for n, each in enumerate(paragraphs) if each.opens)}
    cuts = sorted(hard)
    soft = [
        (_in_common(paragraphs, place, cuts), place)
        for place in range(len(paragraphs))
        if place not in hard
    ]
    for alike, place in sorted(soft):
        if alike > _ALIKE:
            break
        after = bisect_left(cuts, place)
        left = place - cuts[after - 1]
        right = (cuts[after] if after < len(cuts) else len(paragraphs)) - place
        if min(left, right) >= _SHORTEST:
            cuts.insert(after, place)
    return cuts


def _in_common(paragraphs: Sequence[_Paragraph], place: int, hard: Sequence[int]) -> float:
    """How much of the company before a border is there behind it, too: 1 where nobody is."""
    after = bisect_right(hard, place)
    low = max(hard[after - 1], place - _AROUND)
    high = min(hard[after] if after < len(hard) else len(paragraphs), place + _AROUND)
    before, behind = _weights(paragraphs[low:place]), _weights(paragraphs[place:high])
    if not before or not behind:
        return 1.0
    shared = sum(min(before[who], behind[who]) for who in before.keys() & behind)
    alike = shared / min(sum(before.values()), sum(behind.values()))
    return alike - (0.1 if paragraphs[place - 1].leaves else 0.0)


def _weights(paragraphs: Sequence[_Paragraph]) -> dict[int, float]:
    weights: dict[int, float] = {}
    for each in paragraphs:
        for member in each.company():
            weights[member] = weights.get(member, 0.0) + 1
    return weights


class _Text:
    """A text with its cast: who says, hears, does and reads what in which paragraph."""

    def __init__(self, number: int, text: str, cast: Cast) -> None:
        self._text = text
        self._spoken = [each for each in cast.quotations if each.text == number]
        self._starts = [each.start for each in self._spoken]
        self._mentions = [each for each in cast.mentions if each.text == number]
        self._places = [each.start for each in self._mentions]
        self._narrator = narrator_of(text, number, cast)
        self._titles = [part.title_start for part in sections(text) if part.level]
        self._breaks = [match.start() for match in _BREAK.finditer(text)]

    def paragraphs(self) -> list[_Paragraph]:
        """Read all of them, in their order."""
        made: list[_Paragraph] = []
        for match in re.finditer(r"[^\n]*\S[^\n]*", self._text):
            paragraph = _Paragraph(*match.span())
            is_title = _within(self._titles, paragraph.start, paragraph.end)
            is_break = _within(self._breaks, paragraph.start, paragraph.end)
            is_shift = _SHIFT.match(self._text, paragraph.start) is not None
            under = (
                bool(made) and is_title and made[-1].opens and made[-1].end - made[-1].start < 80
            )
            paragraph.opens = (is_title or is_break or is_shift) and not under
            if not is_title:
                self._read(paragraph)
            made.append(paragraph)
        return made

    def _read(self, paragraph: _Paragraph) -> None:
        start, end = paragraph.start, paragraph.end
        line = self._text[start:end]
        for spoken in self._spoken[
            slice(*(bisect_left(self._starts, place) for place in (start, end)))
        ]:
            if spoken.speaker is not None:
                paragraph.note(spoken.speaker, _SPEAKS, spoken.start, spoken.end)
        for each in self._named(start, end):
            paragraph.note(each.member, self._weight(each), each.start, each.end)
        said = (match for match in _I.finditer(line) if not self._is_spoken(start + match.start()))
        if self._narrator is not None and (match := next(said, None)):
            paragraph.note(self._narrator, _SPEAKS, start + match.start(), start + match.end())
        paragraph.leaves = _LEAVES.search(line) is not None
        self._note_ways(paragraph, line)

    def _note_ways(self, paragraph: _Paragraph, line: str) -> None:
        """Who overhears, and who reads a letter, is mostly the first who acts before the word."""
        for pattern, way in ((_OVERHEARS, "overheard"), (_READS, "read")):
            match = pattern.search(line)
            if match is None or (way == "read" and "letter" not in line and "note" not in line):
                continue
            place = paragraph.start + match.start()
            before = self._named(paragraph.start, place)
            acting = [each for each in before if not self._is_spoken(each.start)]
            if acting and not self._is_spoken(place):
                paragraph.how[acting[-1].member] = way  # type: ignore[assignment]

    def _named(self, start: int, end: int) -> Sequence[CastMention]:
        first, last = (bisect_left(self._places, place) for place in (start, end))
        return self._mentions[first:last]

    def _is_spoken(self, place: int) -> bool:
        before = bisect_right(self._starts, place) - 1
        return before >= 0 and place < self._spoken[before].end

    def _weight(self, mention: CastMention) -> float:
        """How much a mention says that somebody is there."""
        before = self._text[max(0, mention.start - 30) : mention.start]
        behind = self._text[mention.end : mention.end + 40]
        if self._is_spoken(mention.start):
            is_call = re.search(r"(?:^|[\s“\"‘—,])$", before) and re.match(r"[,!?.;”\"’—]", behind)
            called = is_call and re.search(
                r"[,“\"‘—!.?;]\s*(?:[Mm]y |[Dd]ear |[Oo]h |[Mm]iss )*$", before
            )
            return _ADDRESSED if called else 0.0
        if _OWNS.match(behind) or _SPOKEN_OF.search(before) or _NOT_NOW.match(behind):
            return _AWAY
        clause = _CLAUSE.search(self._text, max(0, mention.start - 200), mention.start)
        if _is_elsewhere(clause.group() if clause else "", behind):
            return _AWAY
        return _DOES if _ACTS.match(behind) else _NAMED


def _is_elsewhere(before: str, behind: str) -> bool:
    """Say whether a mention in narration is of whom nothing is said to, or a paper speaks of."""
    return bool(
        _UNTOLD.search(before)
        or (_FRONTED.search(before) and _SAYS_NOT.match(behind))
        or (_TELLS.search(before) and _NOT_A_WORD.match(behind))
        or _IN_WRITING.search(before)
    )


def _within(places: Sequence[int], start: int, end: int) -> bool:
    return bisect_left(places, start) < bisect_left(places, end)
