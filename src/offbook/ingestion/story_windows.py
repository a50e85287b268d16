"""Windows of a story, and what a model says of their scenes and of who lived through them.

Takes: texts and their cast.  Gives: windows of whole paragraphs whose borders come from the text
near them, so that an edit concerns those that it touches; answers, known by the text that was
shown; and the story that follows from them. What no answer covers stays as the rules have it.
Source: ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple
from typing import cast as typed

from offbook.documents.sections import sections, trimmed
from offbook.ingestion.speakers import BEFORE, PLAIN, People, called
from offbook.models.batching import PutAside, ask_in_batches
from offbook.names.narrator import narrator_of
from offbook.names.story import Episode, Scene, SceneKind, SceneWitness, Story
from offbook.prompts.ask import ask
from offbook.prompts.story import (
    STORY,
    StoryInputs,
    StretchScene,
    StretchScenes,
    people_of,
    record_of,
    usable,
    within,
)
from offbook.stores.statements import to_json
from offbook.stores.stories import SaidPerson, SaidScene, StoryAnswer
from offbook.text.emotion_names import EMOTIONS
from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens
from offbook.types import WitnessHow

if TYPE_CHECKING:
    from offbook.names.cast import Cast
    from offbook.protocols import ChatModel
    from offbook.types import Document

_MOST: Final = 1_200
"""Tokens of a window, the numbers of its paragraphs included, by the built-in estimate."""
_LEAST: Final = 720
"""From so many on a window may end: where, its paragraphs decide, and not where it began."""
_NUMBER: Final = 3
"""Tokens of a paragraph's number."""
_WORDS: Final = 60
"""Characters of a place or time."""
_TOLD_AS_I: Final = 'tells the story: "I"'
_HASHES: Final = 2**64


class Unit(NamedTuple):
    """A paragraph or heading: offsets, tokens, whether it is numbered, how it draws a border.

    ``draw`` is from -1, of a heading, to 1: a window ends before the lowest that it may end before.
    """

    start: int
    end: int
    tokens: int
    numbered: bool
    heading: bool
    draw: float


@dataclass(frozen=True)
class Stretch:
    """What a window shows of a text.

    Args:
        text: Which text, from 0.
        start: Where it begins, and
        end: where the next one does.
        before: Where what is shown as context begins.
        headings: What it stands under.
        shown: What stands before it, and the stretch itself, with numbers.
        opens: For each numbered paragraph where its scene would begin: with a heading before it.
    """

    text: int
    start: int
    end: int
    before: int
    headings: tuple[str, ...]
    shown: tuple[str, str]
    opens: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """Names what is shown; who is listed may change with the cast, which costs nothing anew."""
        shown = to_json([STORY.label, self.headings, self.shown])
        return blake2b(shown.encode("utf-8", "replace"), digest_size=16).hexdigest()


def stretches_of(texts: Sequence[str]) -> list[Stretch]:
    """Cut texts into stretches without gaps; one without words is shown to nobody."""
    return [each for number, text in enumerate(texts) for each in _of_text(number, text)]


def _of_text(number: int, text: str) -> Iterator[Stretch]:
    units = list(_units(text))
    if not units:
        yield Stretch(number, 0, len(text), 0, (), ("", ""), ())
        return
    cuts = list(_cuts(units))
    starts = [0, *(units[cut].start for cut in cuts[1:])]
    parts = sections(text)
    titles = [part.title_start for part in parts]
    for (first, last), (start, end) in zip(
        pairwise([*cuts, len(units)]), pairwise([*starts, len(text)]), strict=True
    ):
        before = max(0, start - BEFORE)
        under = bisect_left(titles, units[first].end) - 1
        opens, shown, waiting = [], [], None
        for unit in units[first:last]:
            words = text[unit.start : unit.end].translate(PLAIN)
            waiting = unit.start if waiting is None else waiting
            if unit.numbered:
                opens.append(waiting)
                waiting = None
                words = f"{{{len(opens)}}}{words}"
            shown.append(words)
        yield Stretch(
            number,
            start,
            end,
            before,
            parts[under].headings if under >= 0 else (),
            (text[before:start].strip().translate(PLAIN), "\n\n".join(shown)),
            tuple(opens),
        )


def _units(text: str) -> Iterator[Unit]:
    titles = [part.title_start for part in sections(text) if part.level]
    for line in re.finditer(r"[^\n]*\S[^\n]*", text):
        start, end = trimmed(text, *line.span())
        is_heading = bisect_left(titles, line.start()) < bisect_left(titles, line.end())
        for first, last in _pieces(text, start, end):
            words = text[first:last]
            numbered = not is_heading and any(map(str.isalnum, words))
            digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            draw = int.from_bytes(digest, "big") / _HASHES - (0 if numbered else 1)
            tokens = count_tokens(words) + _NUMBER * numbered
            yield Unit(first, last, tokens, numbered, is_heading, draw)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A paragraph whole; one that no window holds by its sentences, these by length."""
    if count_tokens(text[start:end]) + _NUMBER <= _MOST:
        yield start, end
        return
    for first, last in sentences(text[start:end]):
        for piece in range(start + first, start + last, _MOST):
            yield piece, min(piece + _MOST, start + last)


def _cuts(units: Sequence[Unit]) -> Iterator[int]:
    """Yield with which units windows begin: none ends with a heading."""
    first = 0
    while first < len(units):
        yield first
        size, best, draw = 0, first + 1, 2.0
        for place in range(first, len(units)):
            may_end = size >= _LEAST and not units[place - 1].heading
            if may_end and units[place].draw <= draw:
                best, draw = place, units[place].draw
            size += units[place].tokens
            if size > _MOST:
                best = max(best, place) if draw > 1 else best
                break
        else:
            return
        first = best


# -- asking ------------------------------------------------------------------------------------


def inputs_of(stretches: Sequence[Stretch], cast: Cast, texts: Sequence[str]) -> list[Shown]:
    """Show stretches with whom of the cast they may concern."""
    people = People(cast)
    narrators = {
        number: narrator_of(texts[number], number, cast)
        for number in {each.text for each in stretches}
    }
    windows = []
    for each in stretches:
        narrator = narrators[each.text]
        members = people.near(each.text, each.start, each.end)
        if narrator is not None and narrator not in members:
            members.append(narrator)
        listed = (
            f"{called(cast.members[member])}{f' ({_TOLD_AS_I})' if member == narrator else ''}"
            for member in members
        )
        before, stretch = each.shown
        shown = StoryInputs(each.headings, before, stretch, tuple(listed), len(each.opens))
        windows.append(Shown(each, tuple(cast.members[m].name for m in members), shown))
    return windows


class Shown(NamedTuple):
    """A stretch with the names of whom is listed, and the inputs of the prompt."""

    stretch: Stretch
    names: tuple[str, ...]
    inputs: StoryInputs


async def ask_story(
    windows: Sequence[Shown],
    documents: Sequence[Document],
    source: str,
    model: ChatModel,
    retries: int,
    keep: Callable[[StoryAnswer], Awaitable[None]],
) -> list[PutAside[Shown]]:
    """Ask about all windows side by side, and keep each answer as it comes.

    Args:
        windows: What is asked about.
        documents: Those whose texts they show.
        source: Whose they are: the character.
        model: Who is asked.
        retries: How often an unusable answer is asked for again.
        keep: Stores an answer.

    Returns:
        The windows without a usable answer, each with the reason.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask_one(batch: Sequence[Shown]) -> list[StoryAnswer]:
        (window,) = batch
        document = documents[window.stretch.text]
        held = frozenset({f"{source}/{document.id}"})
        answer = await ask(model, STORY, window.inputs, documents=held, retries=retries)
        return [said_of(window, document, answer)]

    async def keep_all(answers: Sequence[tuple[Shown, StoryAnswer]]) -> None:
        for _, answer in answers:
            await keep(answer)

    return await ask_in_batches([[window] for window in windows], ask_one, keep_all)


def said_of(window: Shown, document: Document, answer: StretchScenes) -> StoryAnswer:
    """Read an answer, each place of it in the stretch; what cannot be used is left out."""
    stretch = window.stretch
    scenes = usable(window.inputs, answer)
    starts = [stretch.opens[each.begins - 1] for each in scenes]
    if scenes[0].begins == 1:
        starts[0] = stretch.start
    said = []
    for scene, start, end in zip(scenes, starts, [*starts[1:], stretch.end], strict=True):
        said.append(
            SaidScene(
                start=start - stretch.start,
                end=end - stretch.start,
                kind=typed(SceneKind, scene.kind),
                where=within(scene.where, _WORDS),
                when=within(scene.when, _WORDS),
                continues=scene.continues,
                people=tuple(_people_said(window, document.text, scene, start, end)),
            )
        )
    return StoryAnswer(
        key=stretch.key,
        document=document.id,
        start=stretch.before,
        end=stretch.end,
        names=window.names,
        scenes=tuple(said),
    )


def _people_said(
    window: Shown, text: str, scene: StretchScene, start: int, end: int
) -> Iterator[SaidPerson]:
    for each in people_of(window.inputs, scene):
        first, last = place_of(each.words, text, start, end) or (start, start)
        if each.how == "told" and first == last:
            continue  # that they were told of it must stand there
        record, gist = record_of(each)
        is_felt = each.feels in EMOTIONS and each.strength > 0
        yield SaidPerson(
            name=window.names[each.who - 1],
            how=typed(WitnessHow, each.how),
            start=first - window.stretch.start,
            end=last - window.stretch.start,
            text=record,
            gist=gist or within(record, _WORDS),
            feeling=each.feels if is_felt else "",
            strength=min(10, each.strength) if is_felt else 0,
        )


_SIGNS: Final = re.compile(r"\w+")


def place_of(words: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where words stand in a stretch of a text, whatever signs are between them; or nowhere."""
    parts = _SIGNS.findall(words)
    if not parts:
        return None
    pattern = r"\b" + r"[\W_]+".join(map(re.escape, parts)) + r"\b"
    match = re.compile(pattern, re.IGNORECASE).search(text, start, end)
    return match and match.span()


# -- the story that follows --------------------------------------------------------------------


def with_answers(
    story: Story,
    cast: Cast,
    texts: Sequence[str],
    answers: Mapping[str, StoryAnswer],
    who: Callable[[str], int | None],
) -> Story:
    """Let answers say what the scenes are and who lived through what; the rules' word fills gaps.

    Args:
        story: The story by rules.
        cast: Its cast.
        texts: Its texts.
        answers: By the keys of stretches.
        who: Which member of the cast bears a name alone; None: nobody, or several.
    """
    if not answers:
        return story
    scenes: list[Scene] = []
    episodes: list[Episode] = []
    by_text: dict[int, list[Scene]] = {}
    for scene in story.scenes:
        by_text.setdefault(scene.text, []).append(scene)
    for stretch in stretches_of(texts):
        ruled = by_text.get(stretch.text, [])
        answer = answers.get(stretch.key)
        answered = () if answer is None else answer.scenes
        first = stretch.start + answered[0].start if answered else stretch.end
        scenes += _clipped(ruled, stretch.start, first)
        known = set(map(who, answer.names)) if answer is not None else set()
        for each in answered:
            made, lived = _told(each, stretch, len(scenes), who)
            beside = (
                witness
                for scene in (ruled if each.kind == "scene" else ())
                for witness in scene.witnesses
                if witness.member not in known and made.start <= witness.start < made.end
            )
            witnesses = {witness.member: witness for witness in (*beside, *made.witnesses)}
            scenes.append(replace(made, witnesses=tuple(witnesses.values())))
            episodes += lived
    return Story(tuple(scenes), tuple(episodes))


def _told(
    said: SaidScene, stretch: Stretch, number: int, who: Callable[[str], int | None]
) -> tuple[Scene, list[Episode]]:
    """The scene of an answer, and what its people lived through; ``number`` is the scene's."""
    witnesses: dict[int, SceneWitness] = {}
    episodes = []
    for each in said.people:
        member = who(each.name)
        if member is None or member in witnesses:
            continue
        start, end = stretch.start + each.start, stretch.start + each.end
        witnesses[member] = SceneWitness(member, each.how, start, end)
        if each.text:
            episodes.append(
                Episode(
                    member=member,
                    scene=number,
                    how=each.how,
                    text=each.text,
                    gist=each.gist,
                    start=start,
                    end=end,
                    feeling=each.feeling,
                    strength=each.strength,
                )
            )
    scene = Scene(
        text=stretch.text,
        start=stretch.start + said.start,
        end=stretch.start + said.end,
        kind=said.kind,
        witnesses=tuple(witnesses.values()),
        where=said.where,
        when=said.when,
        continues=said.continues,
    )
    return scene, episodes


def _clipped(scenes: Sequence[Scene], start: int, end: int) -> Iterator[Scene]:
    """What of scenes lies in a stretch; a part that another one comes before goes on with it."""
    for scene in scenes:
        first, last = max(scene.start, start), min(scene.end, end)
        if first >= last:
            continue
        witnesses = tuple(w for w in scene.witnesses if w.start < last)
        is_later = first > scene.start or scene.continues
        yield replace(scene, start=first, end=last, witnesses=witnesses, continues=is_later)
