"""ChatHaruhi: dialogues of anime, novels and series as memories, and MBTI labels.

Takes: a folder, flat (``chatharuhi_qa.jsonl``) or as upstream (``characters/*/texts``).  Gives: a
`Dataset`; what the character says is told by its name before the colon.
Paper: ChatHaruhi (Li et al. 2023); Emotional RAG (004), section III. Upstream names a folder, not
the character: the one who speaks in most of its texts is taken, and the notes say who.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns
from offbook.evaluation.datasets.dialogue import Turn, fill
from offbook.evaluation.datasets.folders import first, needed
from offbook.evaluation.datasets.labels import read_labels
from offbook.evaluation.datasets.reading import read_rows, read_text

LICENCE: Final = "CC BY-NC 4.0 (data, as its README says); the works are in copyright: use locally"
_FLAT: Final = ("chatharuhi_qa.jsonl", "memory/chatharuhi_qa.jsonl")
_FLAT_PROMPTS: Final = ("chatharuhi_system_prompts.jsonl", "memory/chatharuhi_system_prompts.jsonl")
_UPSTREAM: Final = ("characters/*/texts", "*/texts", "texts")
_LABELS: Final = (
    "mbti_labels.jsonl",
    "research/personality/raw_data/mbti_labels.jsonl",
)
_COLUMNS: Final = {
    "id": ("id",),
    "character": ("character",),
    "folder": ("folder",),
    "question": ("question",),
    "answer": ("answer",),
    "language": ("lang",),
}
_LINE: Final = re.compile(r"(?P<who>[^:：「『“\"\n]{1,40}?)\s*[:：]\s*(?P<said>\S.*)")
_OPENING: Final = '「『“"'
_CLOSING: Final = '」』”"'


def load(path: Path | None, *, questions: str = "dialogue", language: str = "zh") -> Dataset:
    """Read the dataset.

    Args:
        path: Its folder, or the one above.
        questions: ``dialogue`` (one turn in five, held out of the memories), or a questionnaire:
            ``mbti-60``, ``bigfive-60``, or ``16Personalities`` / ``BFI`` from the same folder.
        language: In which a questionnaire is put.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "chatharuhi", "ChatHaruhi's repository")
    found = Collector("chatharuhi", version="1", licence=LICENCE, source=str(path))
    flat = first(path, _FLAT)
    turns = _flat_turns(found, flat) if flat is not None else _upstream_turns(found, path)
    folder = path if path.is_dir() else path.parent
    fill(found, turns, asked=questions, path=folder, language=language)
    _prompts(found, folder)
    _labels(found, folder)
    return found.dataset()


def _flat_turns(found: Collector, where: Path) -> Iterator[Turn]:
    columns = Columns(_COLUMNS, found.notes, ("scene", "speaker"))
    for row in read_rows(where):
        fields = columns.of(row)
        character, place = fields.text("character"), f"{where.name}:{row.number}"
        if not character:
            raise UsageError(f"{row.place} has no 'character'", "name the character of each row")
        if not (fields.text("question") and fields.text("answer")):
            found.notes.at("rows without question and answer, left out", place)
            continue
        found.subject(character, names=[fields.text("folder")])
        yield Turn(
            character,
            fields.text("question"),
            fields.text("answer"),
            place,
            fields.text("id"),
            fields.text("language"),
        )


def _upstream_turns(found: Collector, path: Path) -> Iterator[Turn]:
    folders = [each for place in _UPSTREAM for each in sorted(path.glob(place)) if each.is_dir()]
    if not folders:
        raise UnreadableDocument(
            f"{str(path)!r} holds no dialogues of ChatHaruhi",
            f"looked for: {', '.join((*_FLAT, *_UPSTREAM))}",
        )
    for texts in folders:
        scenes = [(file.name, _lines(found, file)) for file in sorted(texts.glob("*.txt"))]
        name = _who(scenes)
        folder = texts.parent.name
        if name is None:
            found.notes.at("folders in whose texts nobody speaks, left out", folder)
            continue
        spoken = sum(any(who == name for who, _ in lines) for _, lines in scenes)
        found.notes.say(
            f"folder {folder!r} is taken to be {name!r}, who speaks in {spoken} of {len(scenes)}"
        )
        found.subject(name, names=[folder], description=_prompt(texts.parent))
        for file, lines in scenes:
            yield from _answered(name, lines, f"{folder}/{file}")


def _lines(found: Collector, file: Path) -> list[tuple[str, str]]:
    """Who says what in a text; a line without a speaker goes on with the one before."""
    try:
        text = read_text(file)
    except UsageError as error:
        found.notes.at(f"texts that cannot be read ({error.message})", file.name)
        return []
    spoken: list[tuple[str, str]] = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line.strip())
        if match is not None:
            spoken.append((match["who"].strip(), _unquoted(match["said"])))
        elif spoken and line.strip():
            spoken[-1] = (spoken[-1][0], f"{spoken[-1][1]}\n{line.strip()}")
    return spoken


def _unquoted(said: str) -> str:
    said = said.strip()
    if said[:1] in tuple(_OPENING) and said[-1:] in tuple(_CLOSING) and len(said) > 2:
        return said[1:-1].strip()
    return said


def _who(scenes: list[tuple[str, list[tuple[str, str]]]]) -> str | None:
    """Who speaks in the most texts; then in the most lines."""
    scenes_of: Counter[str] = Counter()
    lines_of: Counter[str] = Counter()
    for _, lines in scenes:
        scenes_of.update({who for who, _ in lines})
        lines_of.update(who for who, _ in lines)
    return max(scenes_of, key=lambda who: (scenes_of[who], lines_of[who], who), default=None)


def _answered(name: str, lines: list[tuple[str, str]], place: str) -> Iterator[Turn]:
    for (who, said), (next_who, answered) in pairwise(lines):
        if next_who == name and who != name:
            yield Turn(name, said, answered, place)


def _prompt(folder: Path) -> str:
    file = folder / "system_prompt.txt"
    return read_text(file).strip() if file.exists() else ""


def _prompts(found: Collector, folder: Path) -> None:
    where = first(folder, _FLAT_PROMPTS)
    if where is None:
        return
    for row in read_rows(where):
        name = str(row.values.get("character", ""))
        if found.has(name):
            found.subject(name, description=str(row.values.get("system_prompt", "")).strip())


def _labels(found: Collector, folder: Path) -> None:
    where = first(folder, _LABELS)
    if where is None:
        found.notes.say("no labels: mbti_labels.jsonl is not there")
        return
    for name, labels in read_labels(read_rows(where), found.notes).labels.items():
        if subject := found.known_as(name):
            found.subject(subject, labels=labels)
