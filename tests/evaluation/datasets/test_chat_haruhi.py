"""ChatHaruhi in both layouts, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted, write, write_lines

TURNS = [(f"第{n}问？", f"第{n}答。") for n in range(40)]


def test_chat_haruhi_upstream_finds_who_speaks(tmp_path):
    ada = tmp_path / "characters" / "ada"
    write(ada / "system_prompt.txt", "You are Ada.")
    write(ada / "texts" / "1.txt", "旁白：夜里。\n汤姆：「灯亮吗？」\n阿达：「亮。」\n它一直亮着。")
    write(ada / "texts" / "2.txt", "阿达:我来了。\n汤姆：「等等。」\n阿达：“不等。”\n阿达：走。")
    write(ada / "texts" / "3.txt", "")
    write(tmp_path / "characters" / "mute" / "texts" / "1.txt", "没有人说话。")
    write_lines(
        tmp_path / "research" / "personality" / "raw_data" / "mbti_labels.jsonl",
        [{"character": "阿达", "label": "IXTJ"}, {"character": "旁人", "label": "ESTJ"}],
    )
    dataset = load_dataset("chatharuhi", tmp_path, {"questions": "bigfive-60"})
    (subject,) = dataset.subjects
    assert (subject.name, subject.names, subject.description) == ("阿达", ("ada",), "You are Ada.")
    assert [(m.said, m.answered) for m in subject.memories] == [
        ("灯亮吗？", "亮。\n它一直亮着。"),
        ("等等。", "不等。"),
    ]
    assert "".join(label.type for label in subject.labels) == "IXTJ"
    assert len(dataset.questions) == 60
    assert noted(dataset, "folder 'ada' is taken to be '阿达', who speaks in 2 of 3")
    assert noted(dataset, "nobody speaks, left out: 1 (mute)")
    assert noted(dataset, "texts that cannot be read")


def test_chat_haruhi_flat(tmp_path):
    rows = [
        {"id": f"c{n}", "character": "阿达", "folder": "ada", "question": said, "answer": answered}
        for n, (said, answered) in enumerate(TURNS)
    ]
    write_lines(tmp_path / "chatharuhi_qa.jsonl", [*rows, {"character": "阿达", "question": "?"}])
    prompts = [
        {"character": "阿达", "system_prompt": "P"},
        {"character": "别", "system_prompt": ""},
    ]
    write_lines(tmp_path / "chatharuhi_system_prompts.jsonl", prompts)
    write_lines(tmp_path / "mbti_labels.jsonl", [{"character": "Ada", "label": "INTJ"}])
    dataset = load_dataset("chatharuhi", tmp_path)
    subject = dataset.subject("阿达")
    assert (subject.description, len(subject.labels)) == ("P", 4)
    assert len(dataset.questions) + len(subject.memories) == len(TURNS)
    assert noted(dataset, "rows without question and answer, left out: 1")


def test_chat_haruhi_files_that_are_none(tmp_path):
    with pytest.raises(UnreadableDocument, match="no dialogues of ChatHaruhi"):
        load_dataset("chatharuhi", tmp_path)
    file = write_lines(tmp_path / "chatharuhi_qa.jsonl", [{"question": "?", "answer": "!"}])
    with pytest.raises(UsageError, match="has no 'character'"):
        load_dataset("chatharuhi", file)
