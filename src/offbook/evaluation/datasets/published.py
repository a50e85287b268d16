"""Character-LLM, CharacterRAG and RoleBench: persona documents, and questions in and out of scope.

Each is read flat, or as upstream. Of CharacterRAG only that its files are text is publicly
described: names of files and columns are read leniently, and the notes say what was taken for what.
Paper: Character-LLM (Shao et al. 2023) and RoleRAG (001), appendix D (its topic 4 is out of scope);
AMADEUS (003), section 2 (15 characters, 30 questions each, Korean); RoleLLM (Wang et al. 2023) and
RoleRAG (001), appendix D (its 117 questions out of scope were not published).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.benchmark import Dataset, Scope
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector
from offbook.evaluation.datasets.questionnaires import ASKED, fill
from offbook.evaluation.datasets.sources import SOURCES

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
    "kind": ("topic",),
    "question": ("question",),
    "scope": ("scope",),
    "flags": ("flags",),
}
_UPSTREAM: Final = re.compile(
    r"generated_agent_interview_(?P<multi>for_multiturn_)?(?P<who>.+)\.json"
)


def load_character_llm(
    path: Path | None,
    *,
    mode: str = "single",
    questions: str = "interview",
    language: str = "en",
) -> Dataset:
    """Read Character-LLM.

    ``mode``: ``single`` (each question stands alone), ``multi`` (what opens a conversation of
    several turns), or ``all``. ``questions``: ``interview`` (its own), or a questionnaire:
    ``mbti-60``, ``bigfive-60``, or ``16Personalities`` / ``BFI`` from the same folder or the one
    beside it.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "character-llm", "Character-LLM's data/seed_data")
    mode = reading.chosen(mode, ("single", "multi", "all"), "mode")
    set_asked = reading.chosen(questions, ("interview", *ASKED[1:]), "questions")
    if set_asked != "interview":
        mode = ""
    where = reading.required(path, _QUESTIONS, "questions of Character-LLM")
    licence = SOURCES["character-llm"].licence
    collector = Collector("character-llm", licence=licence, source=str(path))
    columns = reading.Columns(_COLUMNS, collector.notes, ignored=("scope_source",))
    folder = path if path.is_dir() else path.parent
    if where.suffix == ".jsonl":
        _characters(collector, where.parent)
        for row in reading.read_rows(where):
            _ask(collector, columns.of(row), "", "", mode)
    else:
        _upstream(collector, columns, where, mode)
    if set_asked != "interview":
        fill(collector, (), questions=set_asked, path=folder, language=language)
    if (labels := reading.first(folder, _LABELS)) is not None:
        collector.label(labels)
    return collector.dataset()


def _characters(collector: Collector, folder: Path) -> None:
    """The characters of the flat layout, with their documents."""
    table = folder / "characters.jsonl"
    if not table.exists():
        collector.notes.say("no characters.jsonl: no persona documents, no full names")
        return
    for row in reading.read_rows(table):
        name = str(row.values.get("character", "")).strip()
        collector.subject(name, names=[str(row.values.get("full_name") or "")])
        _profile(collector, name, folder / str(row.values.get("profile") or f"profiles/{name}.md"))


def _profile(collector: Collector, name: str, profile: Path) -> None:
    if profile.exists():
        collector.document(name, profile.name, reading.read_text(profile))
    else:
        collector.notes.at("persona documents that are not there", f"{name}: {profile.name}")


def _upstream(collector: Collector, columns: reading.Columns, where: Path, mode: str) -> None:
    """The layout of the repository: a file of questions and a profile a character."""
    for file in sorted(where.parent.glob("generated_agent_interview*.json")):
        match = _UPSTREAM.fullmatch(file.name)
        if match is None:
            continue
        who, its_mode = match["who"], "multi" if match["multi"] else "single"
        if not collector.has(who):
            collector.subject(who)
            _profile(collector, who, where.parent.parent / "profiles" / f"wiki_{who}.txt")
        for row in reading.read_rows(file):
            _ask(collector, columns.of(row), who, its_mode, mode)


def _ask(collector: Collector, fields: reading.Fields, who: str, its_mode: str, mode: str) -> None:
    """Add a question, if it is of the mode that is asked for."""
    place, its_mode = fields.row.short_place, fields.text("mode") or its_mode
    if mode not in ("all", its_mode):
        return
    if "plausibly_in_scope_for_this_character" in fields.texts("flags"):
        collector.notes.at("marked out of scope, though this character may know of it", place)
    scope: Scope | None = collector.scope(fields.text("scope"), place)
    if scope is None:
        scope = "out" if fields.text("topic_id") == _OUT_TOPIC else "in"
    subject = fields.text("character") or who or None
    collector.ask_row(fields, subject=subject, scope=scope)


ATTRIBUTES: Final = (
    "activity",
    "belief_and_value",
    "demographic_information",
    "psychological_traits",
    "skill_and_expertise",
    "social_relationships",
)
_CHARACTER_RAG_COLUMNS: Final = {
    "id": ("id", "question_id", "qid"),
    "character": ("character", "character_name", "persona", "role", "name"),
    "question": ("question", "query", "q", "질문"),
    "answers": ("answer", "answers", "gold", "ground_truth", "a", "답변", "정답"),
    "kind": ("attribute", "category", "type", "kind", "속성"),
    "persona": ("persona_document", "document", "context", "text", "profile"),
}
_PERSONA: Final = (".md", ".markdown", ".txt")
_ENDINGS: Final = (*reading.ROW_ENDINGS, *_PERSONA, ".parquet")
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


def load_character_rag(path: Path | None) -> Dataset:
    """Read CharacterRAG.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "characterrag", "the downloaded folder of CharacterRAG")
    licence = SOURCES["characterrag"].licence
    collector = Collector("characterrag", licence=licence, source=str(path))
    columns = reading.Columns(_CHARACTER_RAG_COLUMNS, collector.notes)
    files = [path] if path.is_file() else sorted(_files(path))
    if not files:
        raise UnreadableDocument(
            f"{str(path)!r} holds neither questions nor persona documents",
            f"looked for files that end in {', '.join((*reading.ROW_ENDINGS, *_PERSONA))}",
        )
    for file in files:
        _read(collector, columns, file, path)
    return collector.dataset()


def _files(path: Path) -> Iterator[Path]:
    for file in path.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        is_about = hidden or file.stem.casefold().startswith(_NOT_DATA)
        if file.suffix.lower() in _ENDINGS and file.is_file() and not is_about:
            yield file


def _read(collector: Collector, columns: reading.Columns, file: Path, root: Path) -> None:
    who = character_of(file, root)
    if file.suffix.lower() not in _PERSONA:
        for row in reading.read_rows(file):
            _row(collector, columns, row, who)
        return
    text = reading.read_text(file)
    pairs = list(_asked(text))
    if len(pairs) < _FEWEST:
        if not who:
            raise UsageError(
                f"{str(file)!r} names no character", "name the file after its character"
            )
        collector.document(who, file.name, text)
        return
    collector.notes.say(f"{file.name} is taken for the questions of {who!r}")
    for number, question, answer, kind in pairs:
        collector.ask(
            question,
            place=f"{file.name}:{number}",
            subject=who or None,
            scope="in",
            answers=(answer,) if answer else (),
            kind=_kind(collector, kind, f"{file.name}:{number}"),
        )


def _row(collector: Collector, columns: reading.Columns, row: reading.Row, who: str) -> None:
    fields, place = columns.of(row), row.short_place
    character = fields.text("character") or who
    if not character:
        raise UsageError(f"{row.place} names no character", "give it a column 'character'")
    if fields.text("question"):
        kind = _kind(collector, fields.text("kind"), place)
        collector.ask_row(fields, subject=character, scope="in", kind=kind)
    elif fields.text("persona"):
        collector.document(character, f"{character}.md", fields.text("persona"))
    else:
        collector.notes.at("rows with neither a question nor a document, left out", place)


def _asked(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, question, answer and attribute of a text with ``Q:`` and ``A:`` lines."""
    kind, question, asked_on = "", "", 0
    answer: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        asks, answers = _ASKS.fullmatch(line), _ANSWERS.fullmatch(line)
        heading = line.lstrip("#* ").rstrip("*: ") if line.startswith(("#", "*", "[")) else ""
        if asks is not None or (heading and answers is None):
            if question:
                yield asked_on, question, " ".join(answer).strip(), kind
            question, asked_on, answer = (asks[1].strip(), number, []) if asks else ("", 0, [])
            kind = kind if asks else heading.strip("[] ")
        elif question and line.strip():
            answer.append(answers[1].strip() if answers else line.strip())
    if question:
        yield asked_on, question, " ".join(answer).strip(), kind


def _kind(collector: Collector, value: str, place: str) -> str:
    """The attribute under its own name; another one is kept as it is and noted."""
    key = reading.column_key(value.replace("&", "and"))
    for attribute in ATTRIBUTES:
        if key.rstrip("s") == attribute.rstrip("s") or key == attribute.replace("_and_", "_"):
            return attribute
    if value:
        collector.notes.at("attributes other than the six, kept as they are", place)
    return value


def character_of(file: Path, root: Path) -> str:
    """The character whom a file is about, by its name; by its folder where the name is general."""
    folders = [] if file == root else [each.name for each in file.relative_to(root).parents]
    for part in (file.stem, *folders):
        if name := " ".join(_PART.sub(" ", part).replace("_", " ").split()):
            return name
    return ""


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
_ROLE_BENCH_COLUMNS: Final = {
    "id": ("id",),
    "character": ("role", "character", "persona", "personas"),
    "question": ("question", "instruction"),
    "answers": ("references", "generated", "answers", "answer"),
    "kind": ("type", "kind"),
    "scope": ("scope",),
    "language": ("lang",),
}
_IGNORED: Final = ("source_roles", "evidence", "flags")
_PLACEHOLDER: Final = re.compile(r"\(?\s*no (?:response|dialogue|answer)\b.{0,80}", re.I | re.S)


def load_role_bench(
    path: Path | None, *, language: str = "zh", part: str = "role_specific"
) -> Dataset:
    """Read RoleBench; ``part``: ``role_specific``, ``general``, or ``all``.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "rolebench", "RoleBench")
    language = reading.chosen(language, tuple(_SPECIFIC), "language")
    part = reading.chosen(part, ("role_specific", "general", "all"), "part")
    licence = SOURCES["rolebench"].licence
    collector = Collector(f"rolebench-{language}", licence=licence, source=str(path))
    places = {"role_specific": _SPECIFIC[language], "general": _GENERAL[language]}
    parts = [name for name in places if part in (name, "all")]
    for name in parts[:1] if path.is_file() else parts:
        what = f"RoleBench of the language {language!r}"
        where = path if path.is_file() else reading.required(path, places[name], what)
        _role_bench_read(collector, where, name)
    return collector.dataset()


def _role_bench_read(collector: Collector, where: Path, part: str) -> None:
    columns = reading.Columns(_ROLE_BENCH_COLUMNS, collector.notes, _IGNORED)
    default: Scope | None = "in" if part == "role_specific" else None
    for row in reading.read_rows(where):
        fields, place = columns.of(row), row.short_place
        roles, name = fields.texts("character"), fields.text("id")
        if not roles:
            collector.notes.at("rows without a role, left out", place)
        scope = collector.scope(fields.text("scope"), place) or default
        for role in roles:
            collector.ask_row(
                fields,
                id=f"{name}:{role}" if name and len(roles) > 1 else name,
                subject=role,
                scope=scope,
                answers=_answers(collector, fields, place),
                kind="+".join(fields.texts("kind")) or part,
            )


def _answers(collector: Collector, fields: reading.Fields, place: str) -> tuple[str, ...]:
    answers = fields.texts("answers")
    real = tuple(each for each in answers if _PLACEHOLDER.fullmatch(each) is None)
    if len(real) < len(answers):
        collector.notes.at("references that only say that there is none, left out", place)
    return real
