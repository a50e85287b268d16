"""The demo's own set, a file of the user's own, and question files of the Harry Potter kind.

The demo's labels are our own reading of our own document, one reader's, and no vote. Columns that
are not known are noted, and so is everything that is left out.
Paper: ours; RoleRAG (001), section 4.3: seven roles, ten general and ten specific questions each,
which were not published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from offbook import demo
from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Item
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector, type_labels
from offbook.evaluation.datasets.questionnaires import put_items
from offbook.evaluation.metrics.typology import MBTI, SLOAN
from offbook.evaluation.questionnaires import SHIPPED, shipped

LICENCE: Final = "Apache-2.0 (ours)"
OUR_READING: Final = "offbook: our own reading of the demo document"

MBTI_TYPE: Final = "INTJ"
"""He keeps to himself, follows a design of his own for years, weighs rather than feels, plans."""

SLOAN_TYPE: Final = "RLOEI"
"""Reserved; torn by remorse and rage under a calm face; methodical; pitiless to enemies; curious.

Agreeableness can be argued (he gives richly): the plan of revenge is what decides it.
"""

OTHER_NAMES: Final = (
    "Edmond",
    "Dantès",
    "The Count of Monte Cristo",
    "the Count",
    "Monte Cristo",
    "Sinbad the Sailor",
    "Abbé Busoni",
    "Lord Wilmore",
)


def load_demo_character(path: Path | None, *, questions: str = "demo") -> Dataset:
    """Read the demo's set; ``questions``: ``demo`` (60 about him), ``mbti-60`` or ``bigfive-60``.

    Raises:
        UsageError: a path was given, or the questions are none of these.
    """
    if path is not None:
        raise UsageError(
            f"the demo's set is shipped, and was given the path {str(path)!r}",
            "leave the path out, or name the benchmark 'file'",
        )
    questions = reading.chosen(questions, ("demo", *SHIPPED), "questions")
    collector = Collector("demo", licence=LICENCE, source="offbook")
    labels = [
        *type_labels(MBTI, MBTI_TYPE, OUR_READING),
        *type_labels(SLOAN, SLOAN_TYPE, OUR_READING),
    ]
    collector.subject(
        demo.CHARACTER_NAME, names=OTHER_NAMES, interviewer="The visitor", labels=labels
    )
    collector.document(demo.CHARACTER_NAME, demo.PERSONA_FILE, demo.persona_text())
    for memory in demo.memories():
        collector.memory(demo.CHARACTER_NAME, memory.said, memory.answered)
    if questions != "demo":
        put_items(collector, shipped(questions))
    for row in demo.questions() if questions == "demo" else ():
        collector.ask(
            row.question,
            place=row.id,
            id=row.id,
            subject=demo.CHARACTER_NAME,
            scope="out" if row.kind == "out_of_scope" else "in",
            answers=() if row.answer is None else (row.answer,),
            kind=row.attribute or row.kind,
        )
    collector.notes.say("the labels are our own reading of our own document, not a vote")
    return collector.dataset()


_COLUMNS: Final = {
    "question": ("question", "query", "text", "prompt", "instruction"),
    "answers": ("answers", "answer", "gold", "references", "reference", "expected"),
    "id": ("id", "question_id"),
    "character": ("character", "subject", "role", "persona"),
    "scope": ("scope",),
    "kind": ("kind", "type", "category", "topic", "attribute"),
    "language": ("language", "lang"),
    "questionnaire": ("questionnaire",),
    "number": ("number", "item"),
    "dimension": ("dimension",),
    "key": ("key", "keyed", "sign"),
    "statement": ("statement",),
}
_SIGNS: Final = {
    **dict.fromkeys(("+", "+1", "1", "plus", "positive"), 1),
    **dict.fromkeys(("-", "-1", "minus", "negative"), -1),
}


ROWS: Final = "rows"
"""The option that holds the questions themselves."""
_SENT: Final = "questions"


def load_user_file(
    path: Path | None, *, labels: str = "", licence: str = "the user's own", rows: str = ""
) -> Dataset:
    """Read questions of the user's own.

    ``labels`` is a file of labels, with ``character`` and ``mbti``, ``sloan`` or ``dimension``;
    ``rows`` are the questions themselves, in JSON Lines: then there is no path.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file and line.
    """
    if rows:
        read, name, source = reading.rows_of(rows, _SENT), _SENT, "the questions that were sent"
    else:
        path = reading.needed(path, "file", "a file of questions (JSON Lines, JSON or CSV)")
        if path.is_dir():
            raise UsageError(f"{str(path)!r} is a folder", "name the file of questions in it")
        read, name, source = reading.read_rows(path), path.stem, str(path)
    collector = Collector(name, licence=licence, source=source)
    columns = reading.Columns(_COLUMNS, collector.notes)
    for row in read:
        fields = columns.of(row)
        collector.ask_row(fields, item=_item(fields))
    if labels:
        collector.label(Path(labels), adding=True)
    return collector.dataset()


def _item(fields: reading.Fields) -> Item | None:
    """The item that a row words, where it names a dimension."""
    dimension = fields.text("dimension")
    if not dimension:
        return None
    sign = _SIGNS.get(fields.text("key").casefold())
    if sign is None:
        raise UsageError(
            f"{fields.row.place} has the key {fields.text('key')!r}",
            "an item is keyed + (speaks for the first pole, or for the trait) or -",
        )
    return Item(
        fields.text("questionnaire") or fields.row.path.stem,
        fields.text("number") or str(fields.row.number),
        dimension,
        sign,
        fields.text("statement"),
    )


_ROLE_COLUMNS: Final = {
    "id": ("id", "question_id"),
    "character": ("role", "character", "name", "persona", "subject"),
    "question": ("question", "query", "text"),
    "kind": ("type", "kind", "category", "question_type"),
    "scope": ("scope",),
    "answers": ("answers", "answer", "reference", "references"),
}
_KINDS: Final = {"general": "general", "specific": "specific", "role_specific": "specific"}


def load_harry_potter(path: Path | None) -> Dataset:
    """Read questions of roles, general and specific ones.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(
        path, "harry-potter", "your question file, or a folder with a file a role"
    )
    licence = "as its owner says; the authors' questions were not published"
    collector = Collector("harry-potter", licence=licence, source=str(path))
    columns = reading.Columns(_ROLE_COLUMNS, collector.notes)
    endings = (*reading.ROW_ENDINGS, ".txt")
    below = [] if path.is_file() else sorted(path.iterdir())
    files = [path] if path.is_file() else [f for f in below if f.suffix.lower() in endings]
    if not files:
        raise UsageError(
            f"{str(path)!r} holds no question file",
            f"its files end in {', '.join(reading.ROW_ENDINGS)}",
        )
    for file in files:
        role = "" if file == path else file.stem.replace("_", " ")
        for row in _rows(file):
            fields = columns.of(row)
            subject = fields.text("character") or role
            if not subject:
                raise UsageError(f"{row.place} has no role", "name the role of each question")
            collector.ask_row(
                fields,
                subject=subject,
                scope=collector.scope(fields.text("scope"), row.short_place) or "in",
                kind=_kind(collector, fields.text("kind"), row.short_place),
            )
    return collector.dataset()


def _kind(collector: Collector, value: str, place: str) -> str:
    key = reading.column_key(value).removesuffix("_questions").removesuffix("_question")
    if key and key not in _KINDS:
        collector.notes.at("kinds other than general and specific, kept as they are", place)
    return _KINDS.get(key, value)


def _rows(file: Path) -> list[reading.Row]:
    if file.suffix.lower() == ".txt":
        lines = [line.strip() for line in reading.read_text(file).split("\n")]
        return [reading.Row(file, n, {"question": line}) for n, line in enumerate(lines, 1) if line]
    if file.suffix.lower() == ".json":
        value = reading.read_json(file)
        if isinstance(value, dict) and "question" not in value:
            return [reading.Row(file, n, each) for n, each in enumerate(_nested(file, value), 1)]
    return reading.read_rows(file)


def _nested(file: Path, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of ``{role: [...]}``, ``{role: {kind: [...]}}`` or ``{kind: [...]}``."""
    for key, under in value.items():
        if isinstance(under, dict):
            for kind, questions in under.items():
                yield from _listed(file, kind, questions, {"role": key, "kind": kind})
        else:
            is_kind = reading.column_key(key).partition("_")[0] in ("general", "specific", "role")
            yield from _listed(file, key, under, {"kind" if is_kind else "role": key})


def _listed(
    file: Path, key: str, under: Any, common: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    if not isinstance(under, list) or not all(isinstance(each, str | dict) for each in under):
        raise UsageError(f"{key!r} in {str(file)!r} is no list of questions", 'give ["...", "..."]')
    for each in under:
        yield {**common, **({"question": each} if isinstance(each, str) else each)}
