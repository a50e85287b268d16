"""Chat logs of other programs as memories: told by their shape, odd lines named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.app.memory_file import memories_in, read_memories
from offbook.cards import CardLimits, read_chatlog
from offbook.errors import UnreadableCard, UsageError
from offbook.settings import load_settings

HEADER = {"user_name": "Ines", "character_name": "Tamsin Reeve", "chat_metadata": {}}


def line(name: str, text: str, *, user: bool = False, **more: object) -> dict[str, object]:
    return {"name": name, "is_user": user, "is_system": False, "mes": text, **more}


CHAT = [
    line("Tamsin Reeve", "Mind the third step."),
    line("Ines", "Who is Wat?", user=True, send_date="November 5, 2023 2:02pm"),
    line(
        "Tamsin Reeve", "My brother.", send_date="November 5, 2023 2:03pm", swipes=["My brother."]
    ),
    line("Ines", "Where is he?", user=True),
    line("Tamsin Reeve", "Under the sea."),
]


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def pairs(text: str, character: str | None = None) -> list[tuple[str, str]]:
    found = memories_in(text, "chat.jsonl", character)
    return [(each.said, each.answered) for each in found.fragments]


WANTED = [("Who is Wat?", "My brother."), ("Where is he?", "Under the sea.")]


def test_exchanges_become_memories_and_a_greeting_does_not():
    found = memories_in(lines(HEADER, *CHAT), "chat.jsonl")
    assert [(each.said, each.answered) for each in found.fragments][-2:] == WANTED
    assert len(found.fragments) == 2
    assert str(found.fragments[0].at).startswith("2023-11-05T14:03")
    assert "5 messages, 2 exchanges" in found.messages[0]


def test_a_log_without_a_header_is_one_too():
    assert pairs(lines(*CHAT)) == WANTED


def test_a_line_that_cannot_be_read_is_left_out_and_named():
    found = memories_in(lines(HEADER, *CHAT[:3]) + '\n{"name": "Ines", \n', "chat.jsonl")
    assert len(found.fragments) == 1
    assert any("line 5" in message or "5" in message for message in found.messages[1:])


def test_logs_of_other_programs_are_read():
    ooba = {"internal": [], "data_visible": [["Who is Wat?", "My brother."]]}
    assert pairs(json.dumps(ooba)) == [("Who is Wat?", "My brother.")]


def test_in_a_group_the_character_is_meant_that_remembers():
    rows = [
        line("Ines", "Who rows?", user=True),
        line("Tamsin Reeve", "Not I."),
        line("Wat", "I do."),
    ]
    assert pairs(lines(*rows), "Wat") == [("Who rows?\n\nTamsin Reeve: Not I.", "I do.")]


def test_a_log_in_which_nothing_is_answered_is_refused():
    with pytest.raises(UsageError, match="nothing is answered"):
        memories_in(lines(HEADER, CHAT[0]), "chat.jsonl")


def test_memories_stay_memories():
    text = '{"said": "Who is Wat?", "answered": "My brother.", "mes": "x"}'
    assert pairs(text) == [("Who is Wat?", "My brother.")]
    with pytest.raises(UsageError, match="it has no 'said'"):
        memories_in('{"question": "a", "answer": "b"}', "x.jsonl")
    with pytest.raises(UsageError, match="no JSON"):
        memories_in('{"said": "a", ', "x.jsonl")


async def test_remember_takes_a_chat_log(tmp_path: Path):
    settings = load_settings({"home": str(tmp_path / "home")}, {}, tmp_path, tmp_path / "none")
    file = tmp_path / "chat.jsonl"
    file.write_text(lines(HEADER, *CHAT), "utf-8")
    assert len(read_memories(file).fragments) == 2
    async with await Offbook.open(settings) as book:
        await book.create("Tamsin Reeve")
        report = await book.memories.remember("tamsin-reeve", file)
        assert (report.added, report.scored) == (2, 2)
        again = await book.memories.remember("tamsin-reeve", file)
        assert (again.added, again.known) == (0, 2)


GROUP = [
    line("Ines", "Who rows?", user=True),
    line("Tamsin", "Not I."),
    line("Wat", "I do."),
]


def test_nobody_elses_words_become_memories():
    assert pairs(lines(*GROUP), "Tamsin Reeve") == [("Who rows?", "Not I.")]
    with pytest.raises(UsageError, match="not clear who is 'Captain Holt'") as told:
        memories_in(lines(*GROUP), "chat.jsonl", "Captain Holt")
    assert "'Tamsin', 'Wat'" in told.value.hint


def test_a_log_of_one_character_is_the_characters_whatever_it_is_called_there():
    assert pairs(lines(HEADER, *CHAT), "Captain Holt") == WANTED


def test_a_log_in_a_file_may_be_in_another_encoding_and_have_broken_lines(tmp_path: Path):
    file = tmp_path / "chat.jsonl"
    file.write_text(lines(HEADER, *CHAT), "utf-16")
    assert len(read_memories(file).fragments) == 2
    file.write_bytes(lines(HEADER, *CHAT).encode() + b'\n{"mes": "\xff", \n')
    read = read_memories(file)
    assert len(read.fragments) == 2
    assert any("line 7" in message for message in read.messages)


def test_a_log_that_is_too_long_is_refused_as_a_log(tmp_path: Path, monkeypatch):
    file = tmp_path / "chat.jsonl"
    file.write_text(lines(HEADER, *CHAT), "utf-8")
    monkeypatch.setattr(read_chatlog, "__defaults__", (CardLimits(messages=2),))
    with pytest.raises(UnreadableCard, match="more than 2 messages"):
        read_memories(file)
