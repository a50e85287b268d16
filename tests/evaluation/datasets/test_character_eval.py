"""CharacterEval in both layouts, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import item, noted, write_json, write_lines
from tests.evaluation.datasets.questionnaire_fixtures import MBTI_FILE

TURNS = [(f"第{n}问？", f"第{n}答。") for n in range(40)]


def test_character_eval_upstream(tmp_path):
    data = tmp_path / "charactereval" / "data"
    context = "旁人：你好\n阿达：你好\n旁人：灯呢？\n阿达：亮着：放心\n旁人：再见"
    write_json(
        data / "test_data.jsonl",
        [{"id": 1, "role": "阿达", "novel_name": "灯塔", "context": context}],
    )
    write_json(data / "character_profiles.json", {"阿达": {"姓名": "阿达", "年龄": ""}, "别": {}})
    labels = {"pdb": {"阿达": {"16Personalities": {"P/J": {"score": 12.0, "type": "L"}}}, "别": {}}}
    write_json(
        tmp_path / "charactereval-labels" / "data" / "charactereval" / "characters_labels.json",
        labels,
    )
    write_json(tmp_path / "incharacter/data/questionnaires/16Personalities.json", MBTI_FILE)
    dataset = load_dataset(
        "charactereval", tmp_path / "charactereval", {"questions": "16Personalities"}
    )
    ada = dataset.subject("阿达")
    assert [(m.said, m.answered) for m in ada.memories] == [
        ("你好", "你好"),
        ("灯呢？", "亮着：放心"),
    ]
    assert [d.text for d in ada.documents] == ["# 阿达\n\n## 姓名\n\n阿达\n"]
    assert [(label.type, label.source) for label in ada.labels] == [("L", "pdb")]
    assert [(q.subject, q.text, item(q).sign) for q in dataset.questions] == [
        (None, "你收拾吗？", -1),
        (None, "你闲逛吗？", 1),
    ]
    assert len(dataset.subjects) == 1


def test_character_eval_flat_asks_turns_that_are_no_memories(tmp_path):
    rows = [
        {"id": f"t{n}", "character": "阿达", "question": said, "answer": answered, "lang": "zh"}
        for n, (said, answered) in enumerate(TURNS)
    ]
    write_lines(
        tmp_path / "charactereval_qa.jsonl", [*rows, {"character": "阿达", "question": "?"}]
    )
    dataset = load_dataset("charactereval", tmp_path)
    asked = {q.text for q in dataset.questions}
    remembered = {m.said for m in dataset.subject("阿达").memories}
    assert asked | remembered == {said for said, _ in TURNS}
    assert asked.isdisjoint(remembered)
    assert 2 <= len(asked) <= 16
    assert all(q.answers == (q.text.replace("问？", "答。"),) for q in dataset.questions)
    assert noted(dataset, "one turn in five is asked")
    assert noted(dataset, "rows without question and answer, left out: 1")
    assert noted(dataset, "no profiles")
    assert noted(dataset, "no labels")
    mbti = load_dataset("charactereval", tmp_path, {"questions": "mbti-60", "language": "en"})
    assert len(mbti.questions) == 60
    assert len(mbti.subject("阿达").memories) == len(TURNS)


def test_character_eval_files_that_are_none(tmp_path):
    with pytest.raises(UnreadableDocument, match="no dialogues"):
        load_dataset("charactereval", tmp_path)
    file = write_lines(tmp_path / "charactereval_qa.jsonl", [{"question": "?", "answer": "!"}])
    with pytest.raises(UsageError, match="has no 'role'"):
        load_dataset("charactereval", file)
    write_lines(file, [{"role": "阿达", "question": "?", "answer": "!"}])
    write_json(tmp_path / "character_profiles.json", ["阿达"])
    with pytest.raises(UsageError, match="no object of profiles"):
        load_dataset("charactereval", tmp_path, {"questions": "mbti-60"})
    with pytest.raises(UnreadableDocument, match=r"no BFI\.json"):
        load_dataset("charactereval", tmp_path, {"questions": "BFI"})
