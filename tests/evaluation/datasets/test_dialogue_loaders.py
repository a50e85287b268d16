"""CharacterEval, ChatHaruhi and CharacterRAG in every layout, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import item, noted, write, write_json, write_lines
from tests.evaluation.datasets.test_loaders import MBTI_FILE

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


# CharacterRAG ----------------------------------------------------------------------------------


def test_character_rag_documents_and_rows(tmp_path):
    write(tmp_path / "README.md", "# CharacterRAG")
    write(tmp_path / ".cache" / "x.md", "hidden")
    write(tmp_path / "persona" / "Ada_Byrne.md", "# Ada Byrne\n\nShe keeps the light.\n")
    write_lines(
        tmp_path / "qa" / "Ada_Byrne_qa.jsonl",
        [
            {"question": "누구?", "answer": "에이다", "attribute": "Demographic Information"},
            {"question": "왜?", "answer": "등대", "attribute": "Belief & Values"},
            {"question": "무엇?", "answer": "빛", "attribute": "colour"},
            {"attribute": "activity"},
        ],
    )
    dataset = load_dataset("characterrag", tmp_path)
    (subject,) = dataset.subjects
    assert subject.name == "Ada Byrne"
    assert len(subject.documents) == 1
    assert [(q.kind, q.answers, q.language, q.scope) for q in dataset.questions] == [
        ("demographic_information", ("에이다",), "ko", "in"),
        ("belief_and_value", ("등대",), "ko", "in"),
        ("colour", ("빛",), "ko", "in"),
    ]
    assert noted(dataset, "attributes other than the six")
    assert noted(dataset, "neither a question nor a document")


def test_character_rag_in_one_table(tmp_path):
    write_json(
        tmp_path / "data" / "train.json",
        [
            {"character": "Ada", "persona_document": "Ada keeps the light."},
            {"character": "Ada", "query": "Who?", "ground_truth": "Ada", "category": "activity"},
        ],
    )
    dataset = load_dataset("characterrag", tmp_path)
    assert dataset.subject("Ada").documents[0].text == "Ada keeps the light."
    assert [(q.text, q.answers) for q in dataset.questions] == [("Who?", ("Ada",))]


def test_character_rag_questions_as_text(tmp_path):
    write(tmp_path / "Ada" / "persona.txt", "Ada keeps the light. Q: is a letter.")
    write(
        tmp_path / "Ada" / "questions.txt",
        "# Activity\n\nQ1: What does she keep?\nA1: The light,\nevery night.\n\n"
        "**Social Relationships**\nQ2: Who drowned?\nA2: Tom.\nQ3: Who else?\n",
    )
    dataset = load_dataset("characterrag", tmp_path)
    assert [(q.subject, q.text, q.answers, q.kind) for q in dataset.questions] == [
        ("Ada", "What does she keep?", ("The light, every night.",), "activity"),
        ("Ada", "Who drowned?", ("Tom.",), "social_relationships"),
        ("Ada", "Who else?", (), "social_relationships"),
    ]
    assert [d.name for d in dataset.subject("Ada").documents] == ["persona.txt"]
    assert noted(dataset, "questions.txt is taken for the questions of 'Ada'")


def test_character_rag_that_names_nobody(tmp_path):
    with pytest.raises(UnreadableDocument, match="neither questions nor"):
        load_dataset("characterrag", tmp_path)
    file = write(tmp_path / "persona.txt", "Somebody.")
    with pytest.raises(UsageError, match="names no character"):
        load_dataset("characterrag", tmp_path)
    file.unlink()
    write_lines(tmp_path / "qa.jsonl", [{"question": "Who?"}])
    with pytest.raises(UsageError, match="names no character"):
        load_dataset("characterrag", tmp_path)
