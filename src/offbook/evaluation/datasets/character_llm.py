"""Character-LLM: persona documents, and questions in and out of what the character can know.

Takes: a folder, flat (``questions.jsonl``) or as upstream (``seed_data/questions``).  Gives: a
`Dataset`; MBTI and SLOAN labels where a file of them lies beside.
Paper: Character-LLM (Shao et al. 2023); RoleRAG (001), appendix D: its topic 4 is out of scope.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from offbook.evaluation.benchmark import Dataset, Scope
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns, Fields
from offbook.evaluation.datasets.dialogue import ASKED, fill
from offbook.evaluation.datasets.folders import chosen, first, needed, required
from offbook.evaluation.datasets.labels import read_labels
from offbook.evaluation.datasets.reading import Row, read_rows, read_text

LICENCE: Final = "CC BY-NC 4.0 (data, as its README says); profiles are Wikipedia text, CC BY-SA"
_OUT_TOPIC: Final = "topic-4"
_QUESTIONS: Final = (
    "questions.jsonl",
    "character_llm/questions.jsonl",
    "questions/generated_agent_interview*.json",
    "seed_data/questions/generated_agent_interview*.json",
    "data/seed_data/questions/generated_agent_interview*.json",
    "generated_agent_interview*.json",
)
_LABELS: Final = (
    "labels_character_llm.jsonl",
    "questionnaires/labels_character_llm.jsonl",
    "../questionnaires/labels_character_llm.jsonl",
)
_COLUMNS: Final = {
    "id": ("id", "question_id"),
    "character": ("character", "role"),
    "mode": ("mode",),
    "topic_id": ("topic_id",),
    "topic": ("topic",),
    "question": ("question",),
    "scope": ("scope",),
    "flags": ("flags",),
}
_UPSTREAM: Final = re.compile(
    r"generated_agent_interview_(?P<multi>for_multiturn_)?(?P<who>.+)\.json"
)


def load(
    path: Path | None,
    *,
    mode: str = "single",
    questions: str = "interview",
    language: str = "en",
) -> Dataset:
    """Read the dataset.

    Args:
        path: Its folder, or the one above.
        mode: ``single`` (each question stands alone), ``multi`` (what opens a conversation of
            several turns), or ``all``.
        questions: ``interview`` (its own), or a questionnaire: ``mbti-60``, ``bigfive-60``, or
            ``16Personalities`` / ``BFI`` from the same folder or the one beside it.
        language: In which a questionnaire is put.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "character-llm", "Character-LLM's data/seed_data")
    mode = chosen(mode, ("single", "multi", "all"), "mode")
    asked = chosen(questions, ("interview", *ASKED[1:]), "questions")
    if asked != "interview":
        mode = ""
    where = required(path, _QUESTIONS, "questions of Character-LLM")
    found = Collector("character-llm", version="1", licence=LICENCE, source=str(path))
    columns = Columns(_COLUMNS, found.notes, ignored=("scope_source",))
    if where.suffix == ".jsonl":
        _characters(found, where.parent)
        for row in read_rows(where):
            _ask(found, columns.of(row), "", "", mode)
    else:
        _upstream(found, columns, where, mode)
    if asked != "interview":
        folder = path if path.is_dir() else path.parent
        fill(found, (), asked=asked, path=folder, language=language)
    _labels(found, path)
    return found.dataset()


def _characters(found: Collector, folder: Path) -> None:
    """The characters of the flat layout, with their documents."""
    table = folder / "characters.jsonl"
    if not table.exists():
        found.notes.say("no characters.jsonl: no persona documents, no full names")
        return
    for row in read_rows(table):
        name = str(row.values.get("character", "")).strip()
        found.subject(name, names=[str(row.values.get("full_name") or "")])
        profile = folder / str(row.values.get("profile") or f"profiles/{name}.md")
        if profile.exists():
            found.document(name, profile.name, read_text(profile))
        else:
            found.notes.at("persona documents that are not there", f"{name}: {profile.name}")


def _upstream(found: Collector, columns: Columns, where: Path, mode: str) -> None:
    """The layout of the repository: a file of questions and a profile a character."""
    for file in sorted(where.parent.glob("generated_agent_interview*.json")):
        match = _UPSTREAM.fullmatch(file.name)
        if match is None:
            continue
        who, its_mode = match["who"], "multi" if match["multi"] else "single"
        profile = where.parent.parent / "profiles" / f"wiki_{who}.txt"
        if not found.has(who):
            found.subject(who)
            if profile.exists():
                found.document(who, profile.name, read_text(profile))
            else:
                found.notes.at("persona documents that are not there", f"{who}: {profile.name}")
        for row in read_rows(file):
            _ask(found, columns.of(row), who, its_mode, mode)


def _ask(found: Collector, fields: Fields, who: str, its_mode: str, mode: str) -> None:
    """Add a question, if it is of the mode that is asked for."""
    row = fields.row
    its_mode = fields.text("mode") or its_mode
    if mode not in ("all", its_mode):
        return
    if "plausibly_in_scope_for_this_character" in fields.texts("flags"):
        found.notes.at("marked out of scope, though this character may know of it", _place(row))
    scope: Scope | None = found.scope(fields.text("scope"), _place(row))
    if scope is None:
        scope = "out" if fields.text("topic_id") == _OUT_TOPIC else "in"
    found.ask(
        fields.text("question"),
        place=_place(row),
        id=fields.text("id"),
        subject=fields.text("character") or who or None,
        scope=scope,
        kind=fields.text("topic"),
    )


def _labels(found: Collector, path: Path) -> None:
    folder = path if path.is_dir() else path.parent
    where = first(folder, _LABELS)
    if where is None:
        return
    labelled = read_labels(read_rows(where), found.notes)
    for name, labels in labelled.labels.items():
        if found.has(name):
            found.subject(name, names=labelled.names.get(name, ()), labels=labels)


def _place(row: Row) -> str:
    return f"{row.path.name}:{row.number}"
