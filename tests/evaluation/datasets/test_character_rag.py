"""CharacterRAG in the forms that its files may have, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted, write, write_json, write_lines


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
