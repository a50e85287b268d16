"""CoSER: scenes of books, each with who acts in it, what moves them, and how the book has it.

Source: CoSER (Wang et al. 2025; github Neph0s/CoSER, Hugging Face Neph0s/CoSER). The test set is a
list of scenes; the complete data are a file a book, with its plots, their conversations, and data
of its characters. Its "Environment" speaks for what is no character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Circumstance, Dataset, Role
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector
from offbook.prompts.acting import ENVIRONMENT

_LEAST_LINES: Final = 2


@dataclass(frozen=True, slots=True)
class _Scene:
    """A conversation in its plot and book; ``place`` says where it stands in the file."""

    book: str
    plot: Mapping[str, Any]
    said: Mapping[str, Any]
    profiles: Mapping[str, str]
    place: str


def load_coser(path: Path | None, *, book: str = "") -> Dataset:
    """Read the test set, a book's file, or a folder of these.

    ``book``: only scenes of this one.

    Raises:
        UnreadableDocument, UsageError: a file or a scene cannot be read.
    """
    path = reading.needed(path, "coser", "test_set.json, or a book's file")
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    collector = Collector("coser", licence="MIT; the books' own", source=str(path))
    for scene in (scene for file in files for scene in _scenes(file)):
        if book and scene.book != book:
            continue
        _add(collector, scene)
    return collector.dataset()


def _scenes(file: Path) -> Iterator[_Scene]:
    value = reading.read_json(file)
    if isinstance(value, list):
        for number, row in enumerate(value, 1):
            place = f"{file.name}, scene {number}"
            plot = _part(row, "plot", dict, place)
            profiles = _part(row, "character_profiles", dict, place)
            yield _Scene(str(row.get("book", "")), plot, row, profiles, place)
        return
    plots = _part(value, "plots", list, file.name)
    people = value.get("character_datasets") or {}
    profiles = {name: str(each.get("profile") or "") for name, each in people.items()}
    for number, plot in enumerate(plots, 1):
        for of_plot, said in enumerate(plot.get("conversation") or (), 1):
            place = f"{file.name}, plot {number}, conversation {of_plot}"
            yield _Scene(file.stem, plot, said, profiles, place)


def _add(collector: Collector, scene: _Scene) -> None:
    """Ask a book for a scene, and give it a document on each of its people."""
    lines = _part(scene.said, "dialogues", list, scene.place)
    pairs = [(str(line.get("character", "")), str(line.get("message", ""))) for line in lines]
    names = list(dict.fromkeys(name for name, _ in pairs if name not in ("", ENVIRONMENT)))
    if not names or len(pairs) < _LEAST_LINES:
        collector.rows += 1
        collector.notes.at("scenes in which nobody speaks, left out", scene.place)
        return
    descriptions = _by_name(scene.plot, "description")
    motives = _by_name(scene.said, "motivation")
    speakers = []
    for name in names:
        profile = scene.profiles.get(name) or f"{name} is a character of {scene.book}."
        collector.document(scene.book, f"{name}.md", f"# {name}\n\n{profile}\n")
        motive = "\n".join(filter(None, (descriptions.get(name), motives.get(name))))
        speakers.append(Role(name, profile, motive))
    main = scene.said.get("major_characters") or list(motives) or names
    collector.ask(
        id=f"coser-{collector.rows + 1:04}",
        text=str(scene.said.get("topic") or scene.said.get("scenario") or ""),
        place=scene.place,
        subject=scene.book,
        scene=Circumstance(
            scene.book,
            str(scene.plot.get("summary", "")),
            str(scene.said.get("scenario", "")),
            tuple(speakers),
            tuple(name for name in main if name in names),
            "\n".join(f"{name}: {' '.join(text.split())}" for name, text in pairs),
        ),
    )


def _by_name(value: Mapping[str, Any], name: str) -> dict[str, str]:
    """What is said of each key character."""
    people = value.get("key_characters") or ()
    return {str(one.get("name", "")): str(one.get(name) or "").strip() for one in people}


def _part(value: Any, name: str, kind: type[Any], place: str) -> Any:
    part = value.get(name) if isinstance(value, dict) else None
    if not isinstance(part, kind):
        raise UsageError(f"{place} has no {name!r}", "give the file as CoSER published it")
    return part
