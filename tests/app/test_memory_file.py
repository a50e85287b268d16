"""Files of memories and chat logs: what can be read, and which line cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offbook.app.memories import memories_in, read_memories
from offbook.errors import OffbookError, UsageError

GOOD = '{"said": "Who are you?", "answered": "Ada."}\n'


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "memories.jsonl"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_memories_are_read_in_their_order(tmp_path: Path):
    text = "\ufeff" + GOOD + '\r\n{"said": " 你好 ", "answered": "a\u2028b", "at": "one.md"}'
    first, second = read_memories(written(tmp_path, text)).fragments
    assert (first.said, first.answered, first.at) == ("Who are you?", "Ada.", None)
    assert (second.said, second.answered, second.at) == ("你好", "a\u2028b", "one.md")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 2 of .*: no JSON"),
        ("[1]", "line 2 of .*: no object"),
        ('{"said": "a"}', "line 2 of .*: it has no 'answered'"),
        ('{"said": 3, "answered": "b"}', "line 2 of .*: 'said' is no text: 3"),
        ('{"said": " ", "answered": "b"}', "line 2 of .*: 'said' is empty"),
        ('{"said": "a", "answered": "b", "at": 4}', "line 2 of .*: 'at' is no text: 4"),
        ('{"said": "a", "answered": "\\ud800"}', "line 2 of .*"),
        ('{"said": "a", "answered": "\\u0000"}', "line 2 of .*"),
    ],
)
def test_a_line_that_is_no_memory_is_named_by_its_number(tmp_path: Path, line, why):
    with pytest.raises(OffbookError, match=why) as found:
        read_memories(written(tmp_path, f"{GOOD}{line}\n{GOOD}"))
    assert found.value.exit_code == 2
    assert '"answered"' in found.value.hint


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_memories_is_refused(tmp_path: Path, text):
    with pytest.raises(OffbookError, match="holds no memories"):
        read_memories(written(tmp_path, text))


def test_what_is_no_text_file_is_refused(tmp_path: Path):
    with pytest.raises(OffbookError, match=r"line 2 of .* is not in UTF-8"):
        read_memories(written(tmp_path, GOOD.encode() + b"\xff"))
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(OffbookError, match="cannot be read"):
            read_memories(path)


def test_what_is_not_read_is_said(tmp_path: Path):
    read = read_memories(written(tmp_path, '{"said": "a", "answered": "b", "mood": "x"}'))
    assert read.messages == ["'mood' is not read (in 1 of 1 lines)"]


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


def test_memories_stay_memories():
    text = '{"said": "Who is Wat?", "answered": "My brother.", "mes": "x"}'
    assert pairs(text) == [("Who is Wat?", "My brother.")]
    with pytest.raises(UsageError, match="it has no 'said'"):
        memories_in('{"question": "a", "answer": "b"}', "x.jsonl")
    with pytest.raises(UsageError, match="no JSON"):
        memories_in('{"said": "a", ', "x.jsonl")


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
