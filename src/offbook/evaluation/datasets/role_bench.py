"""RoleBench: questions about a role's script and person, with reference answers.

Takes: a folder, flat (``zh_role_specific.jsonl``) or as upstream (``rolebench-zh/...``), or a
file.  Gives: a `Dataset`; role-specific questions are in scope, general ones have no scope unless
the file says so.
Paper: RoleLLM (Wang et al. 2023); RoleRAG (001), section 4.1: its 117 questions out of scope are
a selection of the general ones that was not published.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns, Fields
from offbook.evaluation.datasets.folders import chosen, needed, required
from offbook.evaluation.datasets.reading import read_rows

LICENCE: Final = "Apache-2.0 (as the set on Hugging Face says; its GitHub mirror states none)"
_SPECIFIC: Final = {
    "zh": (
        "zh_role_specific.jsonl",
        "rolebench/zh_role_specific.jsonl",
        "rolebench-zh/role_specific/test.jsonl",
    ),
    "en": (
        "en_role_specific.jsonl",
        "rolebench/en_role_specific.jsonl",
        "rolebench-eng/instruction-generalization/role_specific/test.jsonl",
        "rolebench-eng/role-generalization/role_specific/test.jsonl",
    ),
}
_GENERAL: Final = {
    "zh": (
        "rolebench_zh_general.jsonl",
        "boundary/rolebench_zh_general.jsonl",
        "../boundary/rolebench_zh_general.jsonl",
        "rolebench-zh/general/test.jsonl",
    ),
    "en": (
        "rolebench-eng/instruction-generalization/general/test.jsonl",
        "rolebench-eng/role-generalization/general/test.jsonl",
    ),
}
_COLUMNS: Final = {
    "id": ("id",),
    "role": ("role", "character", "persona", "personas"),
    "question": ("question", "instruction"),
    "answers": ("references", "generated", "answers", "answer"),
    "kind": ("type", "kind"),
    "scope": ("scope",),
    "language": ("lang",),
}
_IGNORED: Final = ("source_roles", "evidence", "flags")
_PLACEHOLDER: Final = re.compile(r"\(?\s*no (?:response|dialogue|answer)\b.{0,80}", re.I | re.S)


def load(path: Path | None, *, language: str = "zh", part: str = "role_specific") -> Dataset:
    """Read the dataset.

    Args:
        path: Its folder, the one above, or a file.
        language: ``zh`` or ``en``.
        part: ``role_specific``, ``general``, or ``all``.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "rolebench", "RoleBench")
    language = chosen(language, tuple(_SPECIFIC), "language")
    part = chosen(part, ("role_specific", "general", "all"), "part")
    found = Collector(f"rolebench-{language}", version="1", licence=LICENCE, source=str(path))
    columns = Columns(_COLUMNS, found.notes, _IGNORED)
    if path.is_file():
        _read(found, columns, path, is_specific=part != "general")
        return found.dataset()
    what = f"RoleBench of the language {language!r}"
    if part in ("role_specific", "all"):
        _read(found, columns, required(path, _SPECIFIC[language], what), is_specific=True)
    if part in ("general", "all"):
        _read(found, columns, required(path, _GENERAL[language], what), is_specific=False)
    return found.dataset()


def _read(found: Collector, columns: Columns, where: Path, *, is_specific: bool) -> None:
    for row in read_rows(where):
        fields = columns.of(row)
        place = f"{where.name}:{row.number}"
        roles = fields.texts("role")
        if not roles:
            found.notes.at("rows without a role, left out", place)
            continue
        scope = found.scope(fields.text("scope"), place) or ("in" if is_specific else None)
        kind = "+".join(fields.texts("kind")) or ("role_specific" if is_specific else "general")
        for role in roles:
            given = fields.text("id")
            found.ask(
                fields.text("question"),
                place=place,
                id=f"{given}:{role}" if given and len(roles) > 1 else given,
                subject=role,
                scope=scope,
                answers=_answers(found, fields, place),
                kind=kind,
                language=fields.text("language"),
            )


def _answers(found: Collector, fields: Fields, place: str) -> tuple[str, ...]:
    answers = fields.texts("answers")
    real = tuple(each for each in answers if _PLACEHOLDER.fullmatch(each) is None)
    if len(real) < len(answers):
        found.notes.at("references that only say that there is none, left out", place)
    return real
