"""Files of memories: what can be read, and which line cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offbook.app.memory_file import read_memories
from offbook.demo import memories as demo_memories
from offbook.errors import OffbookError

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


def test_the_demo_has_the_format(tmp_path: Path):
    rows = [{"said": m.said, "answered": m.answered} for m in demo_memories()]
    read = read_memories(written(tmp_path, "\n".join(map(json.dumps, rows))))
    assert len({fragment.id for fragment in read.fragments}) == len(rows) == 104


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
