"""Question files of the Harry Potter kind: roles, with general and specific questions each.

Takes: rows (role, question, type), an object ``{role: {"general": [...], "specific": [...]}}``, or
a folder with a file a role.  Gives: a `Dataset` whose questions are all in scope.
Paper: RoleRAG (001), section 4.1: seven roles, ten general and ten specific questions each. The
authors' questions were not published: bring your own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns, column_key
from offbook.evaluation.datasets.folders import needed
from offbook.evaluation.datasets.reading import ROW_ENDINGS, Row, read_json, read_rows, read_text

LICENCE: Final = "as its owner says; the authors' questions were not published"
_COLUMNS: Final = {
    "id": ("id", "question_id"),
    "role": ("role", "character", "name", "persona", "subject"),
    "question": ("question", "query", "text"),
    "kind": ("type", "kind", "category", "question_type"),
    "scope": ("scope",),
    "answers": ("answers", "answer", "reference", "references"),
}
_KINDS: Final = {"general": "general", "specific": "specific", "role_specific": "specific"}


def load(path: Path | None) -> Dataset:
    """Read the questions.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "harry-potter", "your question file, or a folder with a file a role")
    found = Collector("harry-potter", version="1", licence=LICENCE, source=str(path))
    columns = Columns(_COLUMNS, found.notes)
    files = [path] if path.is_file() else sorted(_files(path))
    if not files:
        raise UsageError(
            f"{str(path)!r} holds no question file", f"its files end in {', '.join(ROW_ENDINGS)}"
        )
    for file in files:
        role = "" if file == path else file.stem.replace("_", " ")
        for row in _rows(file):
            fields = columns.of(row)
            place = f"{file.name}:{row.number}"
            subject = fields.text("role") or role
            if not subject:
                raise UsageError(f"{row.place} has no role", "name the role of each question")
            found.ask(
                fields.text("question"),
                place=place,
                id=fields.text("id"),
                subject=subject,
                scope=found.scope(fields.text("scope"), place) or "in",
                answers=fields.texts("answers"),
                kind=_kind(found, fields.text("kind"), place),
            )
    return found.dataset()


def _files(path: Path) -> Iterator[Path]:
    for file in path.iterdir():
        if file.suffix.lower() in (*ROW_ENDINGS, ".txt"):
            yield file


def _kind(found: Collector, value: str, place: str) -> str:
    key = column_key(value).removesuffix("_questions").removesuffix("_question")
    if key and key not in _KINDS:
        found.notes.at("kinds other than general and specific, kept as they are", place)
    return _KINDS.get(key, value)


def _rows(file: Path) -> list[Row]:
    if file.suffix.lower() == ".txt":
        lines = [line.strip() for line in read_text(file).split("\n")]
        return [Row(file, n, {"question": line}) for n, line in enumerate(lines, 1) if line]
    if file.suffix.lower() == ".json":
        value = read_json(file)
        if isinstance(value, dict) and "question" not in value:
            return [Row(file, n, each) for n, each in enumerate(_nested(file, value), 1)]
    return read_rows(file)


def _nested(file: Path, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of ``{role: [...]}``, ``{role: {kind: [...]}}`` or ``{kind: [...]}``."""
    for key, under in value.items():
        if isinstance(under, dict):
            for kind, questions in under.items():
                for each in _list(file, kind, questions):
                    yield {"role": key, "kind": kind, **each}
        elif column_key(key).partition("_")[0] in ("general", "specific", "role"):
            for each in _list(file, key, under):
                yield {"kind": key, **each}
        else:
            for each in _list(file, key, under):
                yield {"role": key, **each}


def _list(file: Path, key: str, under: Any) -> list[dict[str, Any]]:
    if not isinstance(under, list) or not all(isinstance(each, str | dict) for each in under):
        raise UsageError(f"{key!r} in {str(file)!r} is no list of questions", 'give ["...", "..."]')
    return [{"question": each} if isinstance(each, str) else each for each in under]
