"""CharacterEval: Chinese dialogues as memories, profiles as documents, MBTI votes as labels.

Takes: a folder, flat (``charactereval_qa.jsonl``) or as upstream (``test_data.jsonl``,
``character_profiles.json``).  Gives: a `Dataset`; labels are those of Emotional RAG's repository.
Paper: CharacterEval (Tu et al. 2024); Emotional RAG (004), section III, tables II and III.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns
from offbook.evaluation.datasets.dialogue import Turn, fill
from offbook.evaluation.datasets.folders import first, needed, required
from offbook.evaluation.datasets.labels import read_labels, scored
from offbook.evaluation.datasets.reading import read_json, read_rows

LICENCE: Final = "none stated; dialogues are from works in copyright: use locally, do not pass on"
_TURNS: Final = (
    "charactereval_qa.jsonl",
    "memory/charactereval_qa.jsonl",
    "test_data.jsonl",
    "data/test_data.jsonl",
)
_PROFILES: Final = (
    "charactereval_profiles.jsonl",
    "memory/charactereval_profiles.jsonl",
    "character_profiles.json",
    "data/character_profiles.json",
)
_LABELS: Final = (
    "labels_charactereval.jsonl",
    "questionnaires/labels_charactereval.jsonl",
    "charactereval_labels.json",
    "characters_labels.json",
    "data/characters_labels.json",
    "data/charactereval/characters_labels.json",
    "../questionnaires/labels_charactereval.jsonl",
    "../charactereval-labels/data/charactereval/characters_labels.json",
)
_COLUMNS: Final = {
    "id": ("id",),
    "character": ("character", "role"),
    "question": ("question",),
    "answer": ("answer",),
    "context": ("context",),
    "language": ("lang",),
}
_IGNORED: Final = ("work", "novel_name", "speaker", "answer_stage", "question_stage", "context_id")
_QUESTIONNAIRE: Final = "16Personalities"


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
    path = needed(path, "charactereval", "CharacterEval's data")
    where = required(path, _TURNS, "dialogues of CharacterEval")
    found = Collector("charactereval", version="1", licence=LICENCE, source=str(path))
    folder = path if path.is_dir() else path.parent
    fill(found, _turns(found, where), asked=questions, path=folder, language=language)
    _profiles(found, folder)
    _labels(found, folder)
    return found.dataset()


def _turns(found: Collector, where: Path) -> Iterator[Turn]:
    columns = Columns(_COLUMNS, found.notes, _IGNORED)
    for row in read_rows(where):
        fields = columns.of(row)
        character, place = fields.text("character"), f"{where.name}:{row.number}"
        if not character:
            raise UsageError(f"{row.place} has no 'role'", "name the character of each row")
        if fields.text("context"):
            yield from _spoken(character, fields.text("context"), place)
        elif fields.text("question") and fields.text("answer"):
            yield Turn(
                character,
                fields.text("question"),
                fields.text("answer"),
                place,
                fields.text("id"),
                fields.text("language"),
            )
        else:
            found.notes.at("rows without question and answer, left out", place)


def _spoken(character: str, context: str, place: str) -> Iterator[Turn]:
    """The turns of a transcript (``who：what`` a line) that the character answers.

    The last line is for the character to answer and has no recorded answer: it makes no turn.
    """
    lines = [line.partition("：") for line in context.split("\n") if "：" in line]
    for (who, _, said), (next_who, _, answered) in pairwise(lines):
        if next_who.strip() == character and who.strip() != character:
            yield Turn(character, said.strip(), answered.strip(), place)


def _profiles(found: Collector, folder: Path) -> None:
    where = first(folder, _PROFILES)
    if where is None:
        found.notes.say("no profiles: the characters have memories, but no persona document")
        return
    for name, profile in _by_name(where):
        if found.has(name):
            found.document(name, f"{name}.md", _document(name, profile))


def _by_name(where: Path) -> Iterator[tuple[str, Any]]:
    if where.suffix == ".jsonl":
        for row in read_rows(where):
            yield str(row.values.get("character", "")), row.values.get("profile")
        return
    value = read_json(where)
    if not isinstance(value, dict):
        raise UsageError(f"{str(where)!r} is no object of profiles", "fetch the file again")
    yield from value.items()


def _document(name: str, profile: Any) -> str:
    """A profile as a persona document: a heading, and a paragraph a field."""
    if not isinstance(profile, dict):
        return f"# {name}\n\n{profile}\n"
    parts = [f"## {key}\n\n{value}" for key, value in profile.items() if str(value).strip()]
    return "\n\n".join([f"# {name}", *parts]) + "\n"


def _labels(found: Collector, folder: Path) -> None:
    where = first(folder, _LABELS)
    if where is None:
        found.notes.say("no labels of the characters' types")
        return
    if where.suffix == ".jsonl":
        for name, labels in read_labels(read_rows(where), found.notes).labels.items():
            if found.has(name):
                found.subject(name, labels=labels)
        return
    for source, characters in read_json(where).items():
        for name, said in characters.items():
            if found.has(name):
                dimensions = said.get(_QUESTIONNAIRE, {}).items()
                found.subject(
                    name,
                    labels=[scored(_QUESTIONNAIRE, key, each, source) for key, each in dimensions],
                )
