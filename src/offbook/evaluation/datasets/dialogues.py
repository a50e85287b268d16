"""CharacterEval and ChatHaruhi: dialogues as memories, profiles as documents, MBTI votes as labels.

Each folder is flat, or as upstream. Of ChatHaruhi upstream names a folder, not the character: the
one who speaks in most of its texts is taken, and the notes say who.
Paper: CharacterEval (Tu et al. 2024); ChatHaruhi (Li et al. 2023); Emotional RAG (004), section
III, tables II and III, whose repository has the labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector, scored
from offbook.evaluation.datasets.questionnaires import Turn, fill
from offbook.evaluation.datasets.sources import SOURCES

_COLUMNS: Final = {
    "id": ("id",),
    "character": ("character", "role"),
    "folder": ("folder",),
    "question": ("question",),
    "answer": ("answer",),
    "context": ("context",),
    "language": ("lang",),
}
_IGNORED: Final = (
    *("work", "novel_name", "scene", "speaker"),
    *("answer_stage", "question_stage", "context_id"),
)
_QUESTIONNAIRE: Final = "16Personalities"
_EVAL_TURNS: Final = (
    "charactereval_qa.jsonl",
    "memory/charactereval_qa.jsonl",
    "test_data.jsonl",
    "data/test_data.jsonl",
)
_EVAL_PROFILES: Final = (
    "charactereval_profiles.jsonl",
    "memory/charactereval_profiles.jsonl",
    "character_profiles.json",
    "data/character_profiles.json",
)
_EVAL_LABELS: Final = (
    "labels_charactereval.jsonl",
    "questionnaires/labels_charactereval.jsonl",
    "charactereval_labels.json",
    "characters_labels.json",
    "data/characters_labels.json",
    "data/charactereval/characters_labels.json",
    "../questionnaires/labels_charactereval.jsonl",
    "../charactereval-labels/data/charactereval/characters_labels.json",
)


def load_character_eval(
    path: Path | None, *, questions: str = "dialogue", language: str = "zh"
) -> Dataset:
    """Read CharacterEval.

    ``questions``: ``dialogue`` (one turn in five, held out of the memories), or a questionnaire:
    ``mbti-60``, ``bigfive-60``, or ``16Personalities`` / ``BFI`` from the same folder.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "charactereval", "CharacterEval's data")
    where = reading.required(path, _EVAL_TURNS, "dialogues of CharacterEval")
    licence = SOURCES["charactereval"].licence
    collector = Collector("charactereval", licence=licence, source=str(path))
    folder = path if path.is_dir() else path.parent
    fill(collector, _turns(collector, where), questions=questions, path=folder, language=language)
    profiles = reading.first(folder, _EVAL_PROFILES)
    if profiles is None:
        collector.notes.say("no profiles: the characters have memories, but no persona document")
    else:
        for name, profile in _profiles(profiles):
            if collector.has(name):
                collector.document(name, f"{name}.md", _document(name, profile))
    _eval_labels(collector, folder)
    return collector.dataset()


def load_chat_haruhi(
    path: Path | None, *, questions: str = "dialogue", language: str = "zh"
) -> Dataset:
    """Read ChatHaruhi; ``questions`` as of `load_character_eval`.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "chatharuhi", "ChatHaruhi's repository")
    licence = SOURCES["chatharuhi"].licence
    collector = Collector("chatharuhi", licence=licence, source=str(path))
    flat = reading.first(path, _HARUHI_FLAT)
    turns = _turns(collector, flat) if flat is not None else _scenes(collector, path)
    folder = path if path.is_dir() else path.parent
    fill(collector, turns, questions=questions, path=folder, language=language)
    prompts = reading.first(folder, _HARUHI_PROMPTS)
    for row in reading.read_rows(prompts) if prompts is not None else ():
        name = str(row.values.get("character", ""))
        if collector.has(name):
            collector.subject(name, description=str(row.values.get("system_prompt", "")).strip())
    labels = reading.first(folder, _HARUHI_LABELS)
    if labels is None:
        collector.notes.say("no labels: mbti_labels.jsonl is not there")
    else:
        collector.label(labels)
    return collector.dataset()


def _turns(collector: Collector, where: Path) -> Iterator[Turn]:
    """The turns of a file of rows: a question with its answer each, or a transcript."""
    columns = reading.Columns(_COLUMNS, collector.notes, _IGNORED)
    for row in reading.read_rows(where):
        fields, place = columns.of(row), row.short_place
        character = fields.text("character")
        if not character:
            raise UsageError(f"{row.place} has no 'character'", "name the character of each row")
        if fields.text("context"):
            yield from _spoken(character, fields.text("context"), place)
        elif fields.text("question") and fields.text("answer"):
            collector.subject(character, names=[fields.text("folder")])
            yield Turn(
                character,
                fields.text("question"),
                fields.text("answer"),
                place,
                fields.text("id"),
                fields.text("language"),
            )
        else:
            collector.notes.at("rows without question and answer, left out", place)


def _spoken(character: str, context: str, place: str) -> Iterator[Turn]:
    """The turns of a transcript (``who：what`` a line) that the character answers.

    The last line is for the character to answer and has no recorded answer: it makes no turn.
    """
    lines = [line.partition("：") for line in context.split("\n") if "：" in line]
    return _answered(character, [(who.strip(), said.strip()) for who, _, said in lines], place)


def _answered(name: str, lines: list[tuple[str, str]], place: str) -> Iterator[Turn]:
    for (who, said), (next_who, answered) in pairwise(lines):
        if next_who == name and who != name:
            yield Turn(name, said, answered, place)


def _profiles(where: Path) -> Iterator[tuple[str, Any]]:
    if where.suffix == ".jsonl":
        for row in reading.read_rows(where):
            yield str(row.values.get("character", "")), row.values.get("profile")
        return
    value = reading.read_json(where)
    if not isinstance(value, dict):
        raise UsageError(f"{str(where)!r} is no object of profiles", "fetch the file again")
    yield from value.items()


def _document(name: str, profile: Any) -> str:
    """A profile as a persona document: a heading, and a paragraph a field."""
    if not isinstance(profile, dict):
        return f"# {name}\n\n{profile}\n"
    parts = [f"## {key}\n\n{value}" for key, value in profile.items() if str(value).strip()]
    return "\n\n".join([f"# {name}", *parts]) + "\n"


def _eval_labels(collector: Collector, folder: Path) -> None:
    where = reading.first(folder, _EVAL_LABELS)
    if where is None:
        collector.notes.say("no labels of the characters' types")
        return
    if where.suffix == ".jsonl":
        collector.label(where)
        return
    for source, characters in reading.read_json(where).items():
        for name, said in characters.items():
            if collector.has(name):
                dimensions = said.get(_QUESTIONNAIRE, {}).items()
                labels = [scored(_QUESTIONNAIRE, key, each, source) for key, each in dimensions]
                collector.subject(name, labels=labels)


_HARUHI_FLAT: Final = ("chatharuhi_qa.jsonl", "memory/chatharuhi_qa.jsonl")
_HARUHI_PROMPTS: Final = (
    "chatharuhi_system_prompts.jsonl",
    "memory/chatharuhi_system_prompts.jsonl",
)
_HARUHI_UPSTREAM: Final = ("characters/*/texts", "*/texts", "texts")
_HARUHI_LABELS: Final = (
    "mbti_labels.jsonl",
    "research/personality/raw_data/mbti_labels.jsonl",
)
_LINE: Final = re.compile(r"(?P<who>[^:：「『“\"\n]{1,40}?)\s*[:：]\s*(?P<said>\S.*)")
_OPENING: Final = '「『“"'
_CLOSING: Final = '」』”"'


def _scenes(collector: Collector, path: Path) -> Iterator[Turn]:
    """The turns of upstream's folders, one a character, of texts that are a scene each."""
    patterns = _HARUHI_UPSTREAM
    folders = [each for place in patterns for each in sorted(path.glob(place)) if each.is_dir()]
    if not folders:
        raise UnreadableDocument(
            f"{str(path)!r} holds no dialogues of ChatHaruhi",
            f"looked for: {', '.join((*_HARUHI_FLAT, *_HARUHI_UPSTREAM))}",
        )
    for texts in folders:
        scenes = {file.name: _lines(collector, file) for file in sorted(texts.glob("*.txt"))}
        name, folder = _who(scenes.values()), texts.parent
        if name is None:
            collector.notes.at("folders in whose texts nobody speaks, left out", folder.name)
            continue
        spoken = sum(any(who == name for who, _ in lines) for lines in scenes.values())
        collector.notes.say(
            f"folder {folder.name!r} is taken to be {name!r}, who speaks in {spoken} of "
            f"{len(scenes)}"
        )
        prompt = folder / "system_prompt.txt"
        description = reading.read_text(prompt).strip() if prompt.exists() else ""
        collector.subject(name, names=[folder.name], description=description)
        for file, lines in scenes.items():
            yield from _answered(name, lines, f"{folder.name}/{file}")


def _lines(collector: Collector, file: Path) -> list[tuple[str, str]]:
    """Who says what in a text; a line without a speaker goes on with the one before."""
    try:
        text = reading.read_text(file)
    except UsageError as error:
        collector.notes.at(f"texts that cannot be read ({error.message})", file.name)
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


def _who(scenes: Iterable[list[tuple[str, str]]]) -> str | None:
    """Who speaks in the most texts; then in the most lines."""
    scenes_of: Counter[str] = Counter()
    lines_of: Counter[str] = Counter()
    for lines in scenes:
        scenes_of.update({who for who, _ in lines})
        lines_of.update(who for who, _ in lines)
    return max(scenes_of, key=lambda who: (scenes_of[who], lines_of[who], who), default=None)
