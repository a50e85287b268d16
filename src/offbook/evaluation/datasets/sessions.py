"""LoCoMo and LongMemEval: sessions that were held before, and questions about them.

The character is the one who answered: ``speaker_b`` in LoCoMo, the assistant in LongMemEval.
Sessions of each sample are kept under a person of their own: none knows those of another.
Source: LoCoMo (Maharana et al. 2024; github snap-research/locomo, data/locomo10.json); LongMemEval
(Wu et al. 2025; Hugging Face xiaowu0162/longmemeval-cleaned).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, PastSession
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector

_CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_ADVERSARIAL: Final = 5
_SESSION: Final = re.compile(r"session_(\d+)")
_ANSWERED: Final = ("acc", "word_recall", "word_f1")
_ABSTAINS: Final = ("uqr",)


def load_locomo(path: Path | None) -> Dataset:
    """Read ``locomo10.json``: a list of samples with ``conversation`` and ``qa``.

    Questions of category 5 ask for what was never said, and are out of scope.

    Raises:
        UnreadableDocument, UsageError: the file or a sample cannot be read.
    """
    path = reading.needed(path, "locomo", "locomo10.json")
    file = reading.required(path, ("data/locomo10.json", "locomo10.json", "*.json"), "LoCoMo file")
    collector = Collector("locomo", licence="see its repository", source=str(file))
    for place, row in enumerate(reading.read_rows(file), 1):
        name = str(row.values.get("sample_id") or f"sample-{place}").replace("/", "-")
        spoken = _field(row, "conversation", dict)
        numbers = sorted(int(m[1]) for key in spoken if (m := _SESSION.fullmatch(key)))
        mine = str(spoken.get("speaker_b", ""))
        collector.histories[name] = tuple(_session(spoken, number, mine) for number in numbers)
        for number, qa in enumerate(_field(row, "qa", list), 1):
            adversarial = qa.get("category") == _ADVERSARIAL
            answer = qa.get("answer")
            collector.ask(
                str(qa.get("question", "")),
                place=f"{row.short_place}, question {number}",
                id=f"{name}/{number:04}",
                scope="out" if adversarial else "in",
                answers=() if adversarial or answer is None else (str(answer),),
                kind="adversarial" if adversarial else _CATEGORIES.get(qa.get("category"), "other"),
                checks=_ABSTAINS if adversarial else _ANSWERED,
                history=name,
            )
    return collector.dataset()


def load_longmemeval(path: Path | None) -> Dataset:
    """Read ``longmemeval_s_cleaned.json`` or its like: a list of questions with their sessions.

    Questions whose id ends in ``_abs`` ask for what was never said, and are out of scope. The date
    of a question stands before it.

    Raises:
        UnreadableDocument, UsageError: the file or a question cannot be read.
    """
    path = reading.needed(path, "longmemeval", "longmemeval_s_cleaned.json")
    file = reading.required(path, ("longmemeval_*.json", "*.json"), "LongMemEval file")
    collector = Collector("longmemeval", licence="see its repository", source=str(file))
    for row in reading.read_rows(file):
        name = str(row.values.get("question_id", "")).replace("/", "-")
        if not name:
            raise UsageError(f"{row.place} has no 'question_id'", "name each question")
        sessions = _field(row, "haystack_sessions", list)
        dates = _field(row, "haystack_dates", list)
        if len(dates) != len(sessions):
            raise UsageError(
                f"{row.place}: {len(sessions)} sessions have {len(dates)} dates", "give one each"
            )
        in_time = sorted(zip(map(str, dates), sessions, strict=True), key=lambda each: each[0])
        collector.histories[name] = tuple(
            PastSession(
                date, paired((turn["role"] == "assistant", str(turn["content"])) for turn in turns)
            )
            for date, turns in in_time
        )
        abstains = name.endswith("_abs")
        question, date = str(row.values.get("question", "")), row.values.get("question_date")
        collector.ask(
            f"({date}) {question}" if date and question else question,
            place=row.short_place,
            id=f"{name}/1",
            scope="out" if abstains else "in",
            answers=() if abstains else (str(row.values.get("answer", "")),),
            kind=str(row.values.get("question_type", "")),
            checks=_ABSTAINS if abstains else _ANSWERED,
            history=name,
        )
    return collector.dataset()


def paired(lines: Iterable[tuple[bool, str]]) -> tuple[tuple[str, str], ...]:
    """Lines as turns: what was said to the character, and what it answered.

    Lines of one in a row are one; either side of a turn may be empty.
    """
    turns: list[tuple[list[str], list[str]]] = []
    for is_mine, text in lines:
        if not turns or (not is_mine and turns[-1][1]):
            turns.append(([], []))
        turns[-1][is_mine].append(text)
    return tuple(("\n".join(said), "\n".join(answered)) for said, answered in turns)


def _session(spoken: Mapping[str, Any], number: int, mine: str) -> PastSession:
    lines = spoken[f"session_{number}"]
    turns = paired((str(line.get("speaker")) == mine, _said(line)) for line in lines)
    return PastSession(str(spoken.get(f"session_{number}_date_time", "")), turns)


def _said(turn: Mapping[str, Any]) -> str:
    """What a turn says; of a picture its caption."""
    caption = turn.get("blip_caption")
    text = str(turn.get("text", ""))
    return f"{text} [shows a picture: {caption}]".strip() if caption else text


def _field(row: reading.Row, name: str, kind: type[Any]) -> Any:
    value = row.values.get(name)
    if not isinstance(value, kind):
        raise UsageError(f"{row.place} has no {name!r}", "give the file as it was published")
    return value
