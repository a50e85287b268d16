"""CharacterRAG: persona documents of fictional characters, and questions on six attributes.

Takes: a folder as downloaded from Hugging Face.  Gives: a `Dataset`. What a file is follows from
what is in it: rows with questions, text with question marks (``Q:``), or a persona document.
Paper: AMADEUS (003), section 2: 15 characters, 30 questions each. Korean, Apache-2.0; of its files
only that they are text is publicly described, so names of files and columns are read leniently and
the notes say what was taken for what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns, column_key
from offbook.evaluation.datasets.folders import needed
from offbook.evaluation.datasets.reading import ROW_ENDINGS, Row, read_rows, read_text

LICENCE: Final = "Apache-2.0 (as its page on Hugging Face says); texts are reworked from Namuwiki"
ATTRIBUTES: Final = (
    "activity",
    "belief_and_value",
    "demographic_information",
    "psychological_traits",
    "skill_and_expertise",
    "social_relationships",
)
_COLUMNS: Final = {
    "id": ("id", "question_id", "qid"),
    "character": ("character", "character_name", "persona", "role", "name"),
    "question": ("question", "query", "q", "질문"),
    "answers": ("answer", "answers", "gold", "ground_truth", "a", "답변", "정답"),
    "kind": ("attribute", "category", "type", "kind", "속성"),
    "persona": ("persona_document", "document", "context", "text", "profile"),
}
_PERSONA: Final = (".md", ".markdown", ".txt")
_ENDINGS: Final = (*ROW_ENDINGS, *_PERSONA, ".parquet")
_NOT_DATA: Final = ("readme", "license", "licence", "citation", "gitattributes", "dataset_infos")
_PART: Final = re.compile(
    r"(?:^|[\s_\-.]+)(?:qa|q&a|qna|questions?|answers?|personas?|documents?|docs?|profile|data|"
    r"train|test)(?=$|[\s_\-.]+)",
    re.I,
)
_ASKS: Final = re.compile(
    r"\s*(?:\d+\s*[.)]\s*)?(?:\*\*)?(?:Q|Question|질문)\s*\d*\s*[:.：]\s*(?:\*\*)?(.+)", re.I
)
_ANSWERS: Final = re.compile(
    r"\s*(?:\*\*)?(?:A|Answer|답변?|정답)\s*\d*\s*[:.：]\s*(?:\*\*)?(.*)", re.I
)
_FEWEST: Final = 2


def load(path: Path | None) -> Dataset:
    """Read the dataset.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "characterrag", "the downloaded folder of CharacterRAG")
    found = Collector("characterrag", version="1", licence=LICENCE, source=str(path))
    columns = Columns(_COLUMNS, found.notes)
    files = [path] if path.is_file() else sorted(_files(path))
    if not files:
        raise UnreadableDocument(
            f"{str(path)!r} holds neither questions nor persona documents",
            f"looked for files that end in {', '.join((*ROW_ENDINGS, *_PERSONA))}",
        )
    for file in files:
        _read(found, columns, file, path)
    return found.dataset()


def _files(path: Path) -> Iterator[Path]:
    for file in path.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        is_about = hidden or file.stem.casefold().startswith(_NOT_DATA)
        if file.suffix.lower() in _ENDINGS and file.is_file() and not is_about:
            yield file


def _read(found: Collector, columns: Columns, file: Path, root: Path) -> None:
    who = character_of(file, root)
    if file.suffix.lower() not in _PERSONA:
        for row in read_rows(file):
            _row(found, columns, row, who)
        return
    text = read_text(file)
    asked = list(_asked(text))
    if len(asked) < _FEWEST:
        if not who:
            raise UsageError(
                f"{str(file)!r} names no character", "name the file after its character"
            )
        found.document(who, file.name, text)
        return
    found.notes.say(f"{file.name} is taken for the questions of {who!r}")
    for number, question, answer, kind in asked:
        found.ask(
            question,
            place=f"{file.name}:{number}",
            subject=who or None,
            scope="in",
            answers=(answer,) if answer else (),
            kind=_kind(found, kind, f"{file.name}:{number}"),
        )


def _row(found: Collector, columns: Columns, row: Row, who: str) -> None:
    fields = columns.of(row)
    place = f"{row.path.name}:{row.number}"
    character = fields.text("character") or who
    if not character:
        raise UsageError(f"{row.place} names no character", "give it a column 'character'")
    if fields.text("question"):
        found.ask(
            fields.text("question"),
            place=place,
            id=fields.text("id"),
            subject=character,
            scope="in",
            answers=fields.texts("answers"),
            kind=_kind(found, fields.text("kind"), place),
        )
    elif fields.text("persona"):
        found.document(character, f"{character}.md", fields.text("persona"))
    else:
        found.notes.at("rows with neither a question nor a document, left out", place)


def _asked(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, question, answer and attribute of a text with ``Q:`` and ``A:`` lines."""
    kind, question, at = "", "", 0
    answer: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        asks, answers = _ASKS.fullmatch(line), _ANSWERS.fullmatch(line)
        heading = line.lstrip("#* ").rstrip("*: ") if line.startswith(("#", "*", "[")) else ""
        if asks is not None or (heading and answers is None):
            if question:
                yield at, question, " ".join(answer).strip(), kind
            question, at, answer = (asks[1].strip(), number, []) if asks else ("", 0, [])
            kind = kind if asks else heading.strip("[] ")
        elif question and line.strip():
            answer.append(answers[1].strip() if answers else line.strip())
    if question:
        yield at, question, " ".join(answer).strip(), kind


def _kind(found: Collector, value: str, place: str) -> str:
    """The attribute under its own name; another one is kept as it is and noted."""
    key = column_key(value.replace("&", "and"))
    for attribute in ATTRIBUTES:
        if key.rstrip("s") == attribute.rstrip("s") or key == attribute.replace("_and_", "_"):
            return attribute
    if value:
        found.notes.at("attributes other than the six, kept as they are", place)
    return value


def character_of(file: Path, root: Path) -> str:
    """The character whom a file is about, by its name; by its folder where the name is general."""
    folders = [] if file == root else [each.name for each in file.relative_to(root).parents]
    for part in (file.stem, *folders):
        if name := " ".join(_PART.sub(" ", part).replace("_", " ").split()):
            return name
    return ""
