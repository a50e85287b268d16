"""Speakers by a model: the quotations of a cast that no name in their tag settles.

Takes: a cast that rules have read, and its texts.  Gives: windows of text with those quotations,
the answers of a model to them, and the cast that follows from answers. What is answered is known by
what was shown, so that it holds for a cast that is read anew. Source: ours.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.ingestion.reports import Steps
from offbook.models.batching import PutAside, ask_in_batches
from offbook.prompts.ask import ask
from offbook.prompts.entities import one_line
from offbook.prompts.speakers import SPEAKERS, UNSAID, SpeakersInputs, speakers_of

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.names.cast import Cast, CastMember, SpeakerBasis
    from offbook.protocols import ChatModel

_WINDOW: Final = 7_500
BEFORE: Final = 600
"""Characters that stand before a window, as context."""
_AROUND: Final = 1_500
"""Characters of its line that stand around a quotation; most lines, which are paragraphs, whole."""
_NEAR: Final = 3_000
"""Characters before a window in which somebody is named who may speak in it."""
_LEADING: Final = 8
"""The most named of a book may speak anywhere: one of them may be the "I" that tells it."""
_ALIASES: Final = 6
PLAIN: Final = str.maketrans("{}", "()")
"""Only our own numbers stand in curly brackets."""

Answers = Mapping[str, Sequence[int | None]]
"""By the keys of windows: for each quotation the number of a person of the window, from 1; None
where that cannot be told, `UNSAID` where nothing usable was said."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a text, as it is shown.

    Args:
        text: Which text, from 0.
        quotations: Which quotations of the cast are numbered, from 0.
        members: Which members of the cast are listed, from 0.
        inputs: What is shown.
    """

    text: int
    quotations: tuple[int, ...]
    members: tuple[int, ...]
    inputs: SpeakersInputs

    @property
    def key(self) -> str:
        """Identifies the question."""
        shown = json.dumps([self.inputs.before, self.inputs.stretch, self.inputs.called])
        return hashlib.blake2b(shown.encode(), digest_size=16).hexdigest()


def windows_of(cast: Cast, texts: Sequence[str]) -> list[Window]:
    """Show every quotation once whose speaker no tag names, among about 7 KB of text."""
    people = People(cast)
    windows = []
    for start, end, places in _stretches(cast, texts):
        text = cast.quotations[places[0]].text
        members = people.near(text, start, end)
        numbers = {member: number for number, member in enumerate(members, 1)}
        spoken = [cast.quotations[place] for place in places]
        inputs = SpeakersInputs(
            before=texts[text][max(0, start - BEFORE) : start].strip().translate(PLAIN),
            stretch=_numbered(texts[text], start, end, [each.start for each in spoken]),
            called=tuple(called(cast.members[member]) for member in members),
            by_rule=tuple(
                None if each.speaker is None else numbers.get(each.speaker) for each in spoken
            ),
        )
        windows.append(Window(text, tuple(places), tuple(members), inputs))
    return windows


def _stretches(cast: Cast, texts: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]:
    """Offsets of whole lines, and which open quotations are in them; narration alone is in none."""
    start = end = 0
    places: list[int] = []
    for place, quotation in enumerate(cast.quotations):
        if quotation.basis == "explicit":
            continue
        text = texts[quotation.text]
        first = max(0, quotation.start - _AROUND)
        last = min(len(text), quotation.end + _AROUND)
        if (opens := text.rfind("\n", first, quotation.start)) >= 0:
            first = opens + 1
        if (closes := text.find("\n", quotation.end, last)) >= 0:
            last = closes
        is_other = places and cast.quotations[places[0]].text != quotation.text
        if places and (is_other or last - start > _WINDOW):
            yield start, end, places
            places = []
        if not places:
            start, end = first, last
        end = max(end, last)
        places.append(place)
    if places:
        yield start, end, places


def _numbered(text: str, start: int, end: int, starts: Sequence[int]) -> str:
    parts = [text[start : starts[0]].translate(PLAIN)]
    for number, (first, last) in enumerate(zip(starts, [*starts[1:], end], strict=True), 1):
        parts.append(f"{{{number}}}{text[first:last].translate(PLAIN)}")
    return "".join(parts)


class People:
    """Who of a cast may matter in a stretch of its texts."""

    def __init__(self, cast: Cast) -> None:
        counts = Counter(mention.member for mention in cast.mentions)
        self._leading = {member for member, _ in counts.most_common(_LEADING)}
        self._named = sorted((each.text, each.start, each.member) for each in cast.mentions)

    def near(self, text: int, start: int, end: int) -> list[int]:
        """Return the most named of a book, and who is named in a stretch or not far before it."""
        first, last = (bisect_left(self._named, (text, place)) for place in (start - _NEAR, end))
        return sorted(self._leading | {member for *_, member in self._named[first:last]})


def called(member: CastMember) -> str:
    """Return how somebody is listed: the fullest name, with pronoun and other names."""
    others = [alias for alias in member.aliases if alias != member.name][:_ALIASES]
    more = [{"m": "he", "f": "she"}.get(member.gender, ""), ", ".join(others)]
    known = "; ".join(filter(None, more))
    return one_line(f"{member.name} ({known})" if known else member.name)


async def ask_speakers(
    windows: Sequence[Window],
    known: Answers,
    model: ChatModel,
    documents: Sequence[str],
    retries: int,
    progress: ProgressListener,
) -> tuple[Answers, list[PutAside[Window]]]:
    """Ask about the windows that are not ``known``; ``documents`` are the names of the texts.

    Returns:
        The answers to all windows, and the windows without a usable one, each with the reason.

    Raises:
        ModelError: the endpoint failed for good; the call cache has what arrived.
        BudgetReached: likewise.
    """
    said = {window.key: known[window.key] for window in windows if window.key in known}
    left = [[window] for window in windows if window.key not in known]
    steps = Steps("speakers", progress)
    steps.begin(len(left))

    async def ask_one(batch: Sequence[Window]) -> list[list[int | None]]:
        (window,) = batch
        held = frozenset({documents[window.text]})
        answer = await ask(model, SPEAKERS, window.inputs, documents=held, retries=retries)
        return [speakers_of(window.inputs, answer)]

    async def keep(answers: Sequence[tuple[Window, list[int | None]]]) -> None:
        said.update((window.key, speakers) for window, speakers in answers)
        steps.add(len(answers))

    aside = await ask_in_batches(left, ask_one, keep)
    steps.end()
    return said, aside


def with_speakers(cast: Cast, texts: Sequence[str], answers: Answers) -> Cast:
    """Let answers say who speaks, or that it stays open; without one the rules' word stands."""
    quotations = list(cast.quotations)
    for window in windows_of(cast, texts) if answers else ():
        for place, number in zip(window.quotations, answers.get(window.key, ()), strict=False):
            if number == UNSAID:
                continue
            speaker = None if number is None else window.members[number - 1]
            basis: SpeakerBasis | None = None if number is None else "model"
            quotations[place] = replace(quotations[place], speaker=speaker, basis=basis)
    return replace(cast, quotations=tuple(quotations))
