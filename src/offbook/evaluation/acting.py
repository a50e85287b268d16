"""A scene of a book, acted by its characters: each is played by the method that is measured.

Takes: how things stand, and who speaks.  Gives: a cell whose reply is the whole scene, a message a
line. Each of its people recalls and replies as in ``ask``, from the texts of the book's character,
with the scene, what moves them and what they have heard; others never learn their thoughts. A model
speaks for the surroundings and chooses who is next. A scene that is broken off begins anew.
Source: CoSER (Wang et al. 2025, arXiv 2502.09082), given-circumstance acting: 20 rounds at most,
none ends before the fifth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from offbook import pipeline
from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.record import Cell, CellKey, answered
from offbook.prompts.acting import END, ENVIRONMENT, SET_SCENE, SceneSoFar, next_speaker, spoken
from offbook.prompts.ask import ask
from offbook.prompts.reply import ReplyOptions
from offbook.types import Character, ContextItem, Message

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Circumstance, Role
    from offbook.models.metering import Meter
    from offbook.prompts.acting import NextSpeaker
    from offbook.prompts.prompt import Prompt
    from offbook.runtime import Runtime

T = TypeVar("T")

ROUNDS: Final = 20
"""Lines of a scene at most, as in the paper."""
LEAST: Final = 5
"""Lines before which none ends."""
_DIRECTIONS: Final = (
    "You act in a scene with others. Say what you say aloud next; for this scene you may put what"
    " you do into (round brackets) and what only you think into [square brackets]. Do not put your"
    " name in front, and do not speak for the others."
)
_BEGINS: Final = "(The scene begins.)"


@dataclass(slots=True)
class _Stage:
    """A scene at work: its lines with thoughts, and what each has heard since it last spoke."""

    scene: Circumstance
    runtime: Runtime
    cast: Mapping[str, Character]
    sample: int
    lines: list[str] = field(default_factory=list)
    context: dict[ContextItem, None] = field(default_factory=dict)
    heard: dict[str, list[str]] = field(default_factory=dict)
    histories: dict[str, list[Message]] = field(default_factory=dict)

    async def play(self) -> None:
        """Act it to its end."""
        speaker = self.scene.speakers[0].name
        while speaker != END:
            text = await (self._around() if speaker == ENVIRONMENT else self._spoken(speaker))
            self._say(speaker, text)
            if len(self.lines) == ROUNDS:
                return
            speaker = (await self._ask_next(speaker)).speaker

    async def _spoken(self, name: str) -> str:
        """What a character says next."""
        role = next(each for each in self.scene.speakers if each.name == name)
        runtime, character = self.runtime, self.cast[name]
        history = self.histories.setdefault(name, [])
        question = "\n".join(self.heard.pop(name, ())) or _BEGINS
        recalled = await pipeline.recall(runtime, character, question, history)
        moved = ContextItem("attribute", "What moves you now", role.motive, 1.0)
        context = (*recalled.context, *((moved,) if role.motive else ()))
        self.context.update(dict.fromkeys(recalled.context))
        text = await pipeline.reply(
            runtime,
            character,
            replace(recalled, context=context),
            history,
            self.sample,
            ReplyOptions(directions=_DIRECTIONS, person=self._situation(role)),
        )
        history += [Message("user", question), Message("assistant", text)]
        return text

    def _situation(self, role: Role) -> str:
        others = [each.name for each in self.scene.speakers if each != role]
        return f"{self.scene.scenario}\n\nThere with you: {', '.join(others) or 'nobody'}."

    def _so_far(self, speakers: tuple[str, ...]) -> SceneSoFar:
        lines = tuple(map(spoken, self.lines))
        may_end = len(lines) >= LEAST
        return SceneSoFar(self.scene.book, self.scene.scenario, speakers, lines, may_end)

    async def _around(self) -> str:
        return await self._ask(SET_SCENE, tuple(self.cast))

    async def _ask_next(self, last: str) -> NextSpeaker:
        names = tuple(name for name in (*self.cast, ENVIRONMENT) if name != last)
        end = (END,) if len(self.lines) >= LEAST else ()
        return await self._ask(next_speaker((*names, *end)), names)

    async def _ask(self, prompt: Prompt[SceneSoFar, T], names: tuple[str, ...]) -> T:
        runtime, retries = self.runtime, self.runtime.settings.answers.retries
        inputs = self._so_far(names)
        return await ask(runtime.extractor, prompt, inputs, sample=self.sample, retries=retries)

    def _say(self, speaker: str, text: str) -> None:
        """Add a line; the others hear it without its thoughts."""
        line = f"{speaker}: {' '.join(text.split()).removeprefix(f'{speaker}: ')}"
        self.lines.append(line)
        for other in self.cast:
            if other != speaker:
                self.heard.setdefault(other, []).append(spoken(line))


async def act(
    runtime: Runtime, character: Character, key: CellKey, scene: Circumstance, meter: Meter
) -> Cell:
    """The cell of an acted scene, or why there is none.

    Raises:
        BudgetReached, IndexMissing, ModelError: as `Solver.ask`.
    """
    stage = _Stage(
        scene, runtime, {r.name: played(character, r) for r in scene.speakers}, key.repeat
    )
    failed: AnswerError | InputRefused | None = None
    try:
        await stage.play()
    except (AnswerError, InputRefused) as failure:
        failed = failure
    text = None if failed else "\n".join(stage.lines)
    cell = answered(key, character.id, meter.usage(), text, None, failed)
    return replace(cell, context=tuple(stage.context))


def played(character: Character, role: Role) -> Character:
    """The character as one of the people of its book; what was loaded for another is not theirs."""
    revision = hash((character.revision, role.name))
    return replace(character, name=role.name, profile=role.profile, voice=(), revision=revision)
