"""Small files of our own in the layouts of published datasets, and where the shared ones lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation.benchmark import Item, Question

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


def shared(*parts: str) -> Path:
    """A shared file or folder; the test is skipped where it is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(('../shared/data', *parts))} is not there")
    return path


def write_lines(path: Path, rows: list[Any]) -> Path:
    """A JSON Lines file."""
    return write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_json(path: Path, value: Any) -> Path:
    """A JSON file."""
    return write(path, json.dumps(value, ensure_ascii=False, indent=1))


def write(path: Path, text: str | bytes) -> Path:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def noted(dataset: Any, words: str) -> bool:
    """Whether a note of the dataset has these words in it."""
    return any(words in note for note in dataset.notes)


def item(question: Question) -> Item:
    """The item that a question words."""
    assert question.item is not None
    return question.item
