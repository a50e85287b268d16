"""Questions after many sessions: files as published, sessions kept as conversations, recall."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Introduction, Question
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.reply_metrics import Exchange, word_f1, word_recall
from offbook.stores import conversations, memories
from tests.app.homes import home_with, text
from tests.cli.texts import ADA
from tests.evaluation import made
from tests.evaluation.asked import stored_cells, stored_ratings

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Ada",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "How is the dog?"},
            {"speaker": "Ines", "dia_id": "D2:2", "text": "Biscuit had four puppies in March."},
        ],
        "session_2_date_time": "10:04 am on 19 June, 2023",
        "session_1": [
            {"speaker": "Ines", "dia_id": "D1:1", "text": "I drive a yellow van to Lisbon."},
            {"speaker": "Ines", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a red boat"},
            {"speaker": "Ada", "dia_id": "D1:3", "text": "I never left Skerry Rock."},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    },
    "qa": [
        {"question": "What do I drive?", "answer": "a yellow van", "category": 4},
        {"question": "How many puppies did Biscuit have?", "answer": 4, "category": 1},
        {"question": "What is my parrot called?", "adversarial_answer": "Polly", "category": 5},
    ],
}  # fmt: skip
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "e47becba",
        "question_type": "single-session-user",
        "question": "What degree did I graduate with?",
        "answer": "Business Administration",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I graduated in Business Administration."},
                {"role": "assistant", "content": "Well done.", "has_answer": True},
            ],
            [{"role": "user", "content": "Good day."}],
        ],
        "answer_session_ids": ["s2"],
    },
    {
        "question_id": "gpt4_1_abs",
        "question_type": "multi-session",
        "question": "How many cats do I have?",
        "answer": "You never spoke of cats.",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": [],
        "haystack_dates": [],
        "haystack_sessions": [],
        "answer_session_ids": [],
    },
]


def written(folder: Path, name: str, value: object) -> Path:
    (folder / name).write_text(json.dumps(value), "utf-8")
    return folder / name


def test_locomo_is_read_as_published(tmp_path: Path):
    data = load_dataset("locomo", written(tmp_path, "locomo10.json", [LOCOMO]))
    first, second = data.histories["conv-1"]
    assert first.date == "1:56 pm on 8 May, 2023"
    said = "I drive a yellow van to Lisbon.\nLook. [shows a picture: a red boat]"
    assert first.turns == ((said, "I never left Skerry Rock."),)
    assert second.turns[0] == ("", "How is the dog?")
    found = [(q.id, q.kind, q.scope, q.answers, q.checks) for q in data.questions]
    words = ("acc", "word_recall", "word_f1")
    assert found == [
        ("conv-1/0001", "single-hop", "in", ("a yellow van",), words),
        ("conv-1/0002", "multi-hop", "in", ("4",), words),
        ("conv-1/0003", "adversarial", "out", (), ("uqr",)),
    ]
    other = replace(data, histories={"conv-1": (first,)})
    assert other.checksum != data.checksum


def test_longmemeval_is_read_as_published_its_sessions_in_time(tmp_path: Path):
    data = load_dataset("longmemeval", written(tmp_path, "longmemeval_s_cleaned.json", LONGMEMEVAL))
    one, other = data.questions
    assert one.text.startswith("(2023/05/30 (Tue) 23:40) What degree")
    assert [past.date[:10] for past in data.histories[one.history]] == ["2023/05/20", "2023/05/21"]
    assert (other.scope, other.answers, other.checks) == ("out", (), ("uqr",))
    broken = [{**LONGMEMEVAL[0], "haystack_dates": []}]
    with pytest.raises(UsageError, match="2 sessions have 0 dates"):
        load_dataset("longmemeval", written(tmp_path, "longmemeval_x.json", broken))


@pytest.mark.parametrize(
    ("reply", "recall", "f1"),
    [("A yellow van.", 1.0, 1.0), ("I drive the yellow van.", 1.0, 2 / 3), ("A boat.", 0.0, 0.0)],
)
def test_words_of_the_answer_are_counted_without_a_judge(reply, recall, f1):
    question = Question("q1", "What do I drive?", answers=("a yellow van",))
    exchange = Exchange(made.NORA, question, made.cell("q1", reply), Introduction())
    assert word_recall(exchange) == recall
    assert word_f1(exchange) == pytest.approx(f1)


async def test_sessions_become_memories_once_and_are_recalled(tmp_path: Path):
    file = written(tmp_path, "locomo10.json", [LOCOMO])
    wanted = {"characters": ["Ada Byrne"], "methods": ["ensemble"], "path": file}
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)) as book:
        report = await book.evaluation.run("locomo", build=True, **wanted)
        assert (report.cells, report.failed) == (3, 0)
        cells = {cell.key.question: cell for cell in await stored_cells(book.store, "locomo-1")}
        shown = [item.text for item in cells["conv-1/0001"].context if item.kind == "memory"]
        assert any("yellow van" in text for text in shown), "what was said in a session is recalled"
        ratings = await stored_ratings(book.store, "locomo-1")
        assert {(r.key.unit, r.key.metric) for r in ratings} == {
            *((f"conv-1/000{n}", m) for n in (1, 2) for m in ("acc", "word_recall", "word_f1")),
            ("conv-1/0003", "uqr"),
        }
        ada = await book.find("Ada Byrne")
        kept = await book.store.read(conversations.list_all, ada.id)
        assert len(kept) == 2, "a conversation a session; questions are not kept"
        await book.evaluation.run("locomo", new=True, limit=1, **wanted)
        again = await book.store.read(conversations.list_all, ada.id)
        assert len({talk.principal for talk in again}) == 2, "another run, another person"


async def test_sessions_are_distilled_through_an_endpoint_before_the_questions(
    loopback, tmp_path: Path
):
    said = [
        {"speaker": who, "text": f"{text} {n}."}
        for n in range(1, 7)
        for who, text in (("Ines", "In May I bought a boat called Heron"), ("Ada", "So you did"))
    ]
    spoken = {"speaker_a": "Ines", "speaker_b": "Ada", "session_1": said}
    sample = {**LOCOMO, "conversation": {**spoken, "session_1_date_time": "8 May, 2023"}}
    file = written(tmp_path, "locomo10.json", [sample])
    endpoint = {"chat__model": "m", "chat__base_url": loopback.base_url}
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA), **endpoint) as book:
        report = await book.evaluation.run(
            "locomo", characters=["Ada Byrne"], methods=["ensemble"], path=file, build=True
        )
        assert (report.cells, report.failed) == (3, 0)
        ada = await book.find("Ada Byrne")
        stored = await book.store.read(memories.list_memories, ada.id)
        assert {memory.session for memory in stored} != {None}
        used = book.meter.usage().by_task
        assert used["distil_turns"].calls == 2, "four turns a call, then what is left"
        assert used["reply"].calls == 3
