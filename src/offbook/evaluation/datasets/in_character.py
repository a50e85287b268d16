"""InCharacter: BFI's 44 or 16Personalities' 60 items, and what people say of each character.

Takes: a folder with the questionnaires and labels.  Gives: a `Dataset` whose characters are asked
in their own language (``hutao-zh``), with the names that are masked before an expert rates.
Paper: InCharacter (Wang et al. 2024); Emotional RAG (004), section III. Labels of PDb by default.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Label
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.folders import chosen, first, needed, required
from offbook.evaluation.datasets.labels import read_labels, scored
from offbook.evaluation.datasets.questionnaire_files import NAMES, Worded, read_questionnaire
from offbook.evaluation.datasets.reading import read_json, read_rows

LICENCE: Final = (
    "MIT (repository); BFI (c) O. P. John, free for research; 16Personalities (c) NERIS"
)
SOURCES: Final = ("pdb", "annotation")
_FOLDERS: Final = ("", "questionnaires/", "data/questionnaires/", "data/")
_NESTED: Final = tuple(f"{each}characters_labels.json" for each in _FOLDERS)
_FLAT: Final = tuple(f"{each}labels_incharacter.jsonl" for each in _FOLDERS)
_CHARACTERS: Final = ("characters.json", "data/characters.json", "../characters.json")


def load(
    path: Path | None,
    *,
    questionnaire: str = "BFI",
    labels: str = "pdb",
    language: str = "auto",
) -> Dataset:
    """Read the dataset.

    Args:
        path: InCharacter's folder (or its ``data``), or one with the files side by side.
        questionnaire: ``BFI`` or ``16Personalities``.
        labels: Who said how the characters are: ``pdb`` or ``annotation``.
        language: ``en``, ``zh``, or ``auto``: Chinese for characters named ``...-zh``.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "incharacter", "InCharacter's data")
    questionnaire = chosen(questionnaire, NAMES, "questionnaire")
    labels = chosen(labels, SOURCES, "labels")
    language = chosen(language, ("auto", "en", "zh"), "language")
    folder = path if path.is_dir() else path.parent
    where = required(folder, [f"{each}{questionnaire}.json" for each in _FOLDERS], "questionnaire")
    found = Collector(
        f"incharacter-{questionnaire.lower()}", version="1", licence=LICENCE, source=str(path)
    )
    _characters(found, folder, questionnaire, labels)
    _ask(found, where, language)
    return found.dataset()


def _characters(found: Collector, folder: Path, questionnaire: str, source: str) -> None:
    flat = first(folder, _FLAT)
    if flat is not None:
        labelled = read_labels(read_rows(flat), found.notes)
        for name, labels in labelled.labels.items():
            found.subject(
                name,
                names=labelled.names.get(name, ()),
                interviewer=labelled.interviewers.get(name, ""),
                labels=_of(labels, questionnaire, source),
            )
        return
    nested = first(folder, _NESTED)
    if nested is None:
        found.notes.say("no labels: characters_labels.json is not there")
        return
    table = _object(nested).get(source)
    if not isinstance(table, dict):
        raise UsageError(f"{str(nested)!r} has no labels of {source!r}", "choose other labels")
    about = _about(folder)
    for name, said in table.items():
        character = about.get(name, {})
        dimensions = said.get(questionnaire, {})
        found.subject(
            name,
            names=character.get("alias", ()),
            interviewer=str(character.get("experimenter", "")),
            labels=[
                scored(questionnaire, dimension, each, source)
                for dimension, each in dimensions.items()
            ],
        )
    if not about:
        found.notes.say("no characters.json: no other names, and no interviewers, to be masked")


def _of(labels: Iterable[Label], questionnaire: str, source: str) -> list[Label]:
    return [
        label for label in labels if label.questionnaire == questionnaire and label.source == source
    ]


def _about(folder: Path) -> dict[str, Any]:
    where = first(folder, _CHARACTERS)
    return {} if where is None else _object(where)


def _object(path: Path) -> dict[str, Any]:
    value = read_json(path)
    if not isinstance(value, dict):
        raise UsageError(f"{str(path)!r} is no object", "fetch the file again")
    return value


def _ask(found: Collector, where: Path, language: str) -> None:
    """Put the items to everybody, or to each character in its own language."""
    names = found.subject_names
    spoken = {name: _language(name) if language == "auto" else language for name in names}
    spoken_by_all = set(spoken.values()) or {"en" if language == "auto" else language}
    if len(spoken_by_all) == 1:
        _put(found, where, spoken_by_all.pop(), None)
        return
    for name in names:
        _put(found, where, spoken[name], name)


def _put(found: Collector, where: Path, language: str, subject: str | None) -> None:
    name, items = read_questionnaire(where, language)
    for each in items:
        _one(found, where, name, each, subject)


def _one(found: Collector, where: Path, name: str, each: Worded, subject: str | None) -> None:
    marked = f"{name}-{each.item.number}"
    found.ask(
        each.question,
        place=f"{where.name}:{each.item.number}",
        id=marked if subject is None else f"{subject}:{marked}",
        subject=subject,
        kind=each.item.dimension,
        item=each.item,
        language=each.language,
    )


def _language(name: str) -> str:
    return "zh" if name.endswith("-zh") else "en"
