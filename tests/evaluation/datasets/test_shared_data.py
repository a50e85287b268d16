"""The loaders on the shared data: counts from its README and from evaluation.md as facts."""

from collections import Counter

import pytest

from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.metrics.typology import MBTI, SLOAN
from tests.evaluation.datasets.files import noted, shared


def test_character_llm():
    dataset = load_dataset("character-llm", shared("character_llm"), {"mode": "all"})
    assert len(dataset.questions) == 884 - 2  # two are put twice to the same character
    assert noted(dataset, "asked once, with the answers of all: 2")
    single = load_dataset("character-llm", shared("character_llm"))
    scopes = Counter((q.subject, q.scope) for q in single.questions)
    assert len(single.subjects) == 6
    assert {scopes[subject.name, "out"] for subject in single.subjects} == {5}
    assert sum(len(subject.documents) for subject in single.subjects) == 6
    assert "Ludwig van Beethoven" in single.subject("Beethoven").names
    assert noted(single, "though this character may know of it: 3")
    above = load_dataset("character-llm", shared())
    assert above.checksum == single.checksum
    spartacus = single.subject("Spartacus").labels
    assert "".join(label.type for label in spartacus) == "ISTPRCOEI"
    assert [label.type for label in single.subject("Caesar").labels if label.type == "X"] == ["X"]


@pytest.mark.parametrize(
    ("questionnaire", "items", "source", "decided"),
    [
        ("BFI", 44, "pdb", 98),
        ("16Personalities", 60, "pdb", 75),
        ("BFI", 44, "annotation", 85),
        ("16Personalities", 60, "annotation", 73),
    ],
)
def test_in_character(questionnaire, items, source, decided):
    options = {"questionnaire": questionnaire, "labels": source}
    dataset = load_dataset("incharacter", shared("questionnaires"), options)
    assert len(dataset.subjects) == 20
    asked = Counter(question.subject for question in dataset.questions)
    assert asked == {subject.name: items for subject in dataset.subjects}
    labels = [label for subject in dataset.subjects for label in subject.labels]
    assert sum(label.type != "X" for label in labels) == decided
    assert {label.source for label in labels} == {source}
    hutao = dataset.subject("hutao-zh")
    assert {q.language for q in dataset.questions if q.subject == "hutao-zh"} == {"zh"}
    assert {q.language for q in dataset.questions if q.subject == "Snape-en"} == {"en"}
    assert hutao.interviewer == "旅行者"


def test_sixteen_personalities_are_keyed_by_category():
    options = {"questionnaire": "16Personalities", "language": "en"}
    dataset = load_dataset("incharacter", shared("questionnaires"), options)
    signs = {q.item.number: q.item.sign for q in dataset.questions if q.item}
    assert signs["25"] == 1  # the list `reverse` says otherwise
    assert signs["4"] == -1
    keys = Counter((q.item.dimension, q.item.sign) for q in dataset.questions if q.item)
    assert keys["T/F", -1] == 12
    assert {q.item.dimension for q in dataset.questions if q.item} == {
        each.name for each in MBTI.dimensions
    }


def test_the_two_files_of_labels_say_the_same(tmp_path):
    folder = shared("questionnaires")
    for name in ("BFI.json", "characters_labels.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    nested = load_dataset("incharacter", tmp_path)
    flat = load_dataset("incharacter", folder)
    for subject in flat.subjects:
        assert nested.subject(subject.name).labels == subject.labels


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ipip_neo_120(language):
    dataset = load_dataset("ipip-neo-120", shared("ipip"), {"language": language})
    assert dataset.notes == ()
    assert len({question.text for question in dataset.questions}) == 120
    domains = Counter(question.item.dimension for question in dataset.questions if question.item)
    assert domains == {dimension.name: 24 for dimension in SLOAN.dimensions}
    facets = Counter(question.kind for question in dataset.questions)
    assert set(facets.values()) == {4}


def test_role_bench():
    chinese = load_dataset("rolebench", shared("rolebench"))
    assert (len(chinese.subjects), len(chinese.questions)) == (3, 139)
    english = load_dataset("rolebench", shared(), {"language": "en"})
    assert (len(english.subjects), len(english.questions)) == (15, 750 - 4)
    assert noted(english, "asked once, with the answers of all: 4")
    general = load_dataset("rolebench", shared(), {"part": "general"})
    assert {question.kind for question in general.questions} == {"rolebench_zh_general"}
    assert len({question.text for question in general.questions}) == 45


def test_character_eval():
    dataset = load_dataset("charactereval", shared(), {"questions": "16Personalities"})
    assert len(dataset.subjects) == 23
    memories = sum(len(subject.memories) for subject in dataset.subjects)
    assert memories == 2334
    assert all(len(subject.documents) == 1 for subject in dataset.subjects)
    assert sum(len(subject.labels) for subject in dataset.subjects) == 24
    assert len(dataset.questions) == 60
    asked = load_dataset("charactereval", shared("memory"))
    held_out = len(asked.questions)
    assert 0.15 < held_out / 2334 < 0.25


def test_chat_haruhi():
    dataset = load_dataset("chatharuhi", shared("memory"), {"questions": "mbti-60"})
    assert len(dataset.subjects) == 11
    assert sum(len(subject.memories) for subject in dataset.subjects) == 660
    assert all(subject.description for subject in dataset.subjects)
    assert dataset.subject("胡桃").names == ("hutao",)


def test_dated_topics_as_a_file_of_ones_own():
    dataset = load_dataset("file", shared("boundary", "dated_topics.jsonl"))
    assert len(dataset.questions) == 200
    assert {question.scope for question in dataset.questions} == {"in", "out"}
    assert noted(dataset, "field 'evidence' is not read (in 200 of 200 rows)")
