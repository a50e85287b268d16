"""InCharacter in both layouts, on small files of our own."""

import pytest

from offbook.errors import UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import item, noted, write_json
from tests.evaluation.datasets.questionnaire_fixtures import BFI_FILE, MBTI_FILE


def in_character(folder):
    write_json(folder / "data" / "questionnaires" / "16Personalities.json", MBTI_FILE)
    write_json(folder / "data" / "questionnaires" / "BFI.json", BFI_FILE)
    said = {"16Personalities": {"P/J": {"score": 50.0}}, "BFI": {"Openness": {"score": 4.0}}}
    write_json(
        folder / "data" / "characters_labels.json",
        {"pdb": {"Ada-en": said, "mei-zh": said}, "annotation": {"Ada-en": said}},
    )
    write_json(
        folder / "data" / "characters.json",
        {"mei-zh": {"alias": ["梅", "Mei"], "experimenter": "兰"}},
    )
    return folder


def test_in_character_asks_each_in_its_language_and_keys_by_the_category(tmp_path):
    dataset = load_dataset(
        "incharacter", in_character(tmp_path), {"questionnaire": "16personalities"}
    )
    items = [(q.id, q.subject, q.text, item(q).number, item(q).sign) for q in dataset.questions]
    assert items == [
        ("Ada-en:16Personalities-7", "Ada-en", "Do you tidy?", "7", -1),
        ("Ada-en:16Personalities-2", "Ada-en", "Do you roam?", "2", 1),
        ("mei-zh:16Personalities-7", "mei-zh", "你收拾吗？", "7", -1),
        ("mei-zh:16Personalities-2", "mei-zh", "你闲逛吗？", "2", 1),
    ]
    mei = dataset.subject("mei-zh")
    assert (mei.names, mei.interviewer) == (("梅", "Mei"), "兰")
    assert [(label.dimension, label.type, label.score) for label in mei.labels] == [
        ("P/J", "X", 50.0)
    ]


def test_in_character_in_one_language_asks_everybody_the_same(tmp_path):
    folder = in_character(tmp_path)
    dataset = load_dataset("incharacter", folder, {"language": "zh"})
    assert [(q.id, q.subject, q.text) for q in dataset.questions] == [("BFI-1", None, "你唱歌吗？")]
    assert item(dataset.questions[0]).sign == -1
    assert [label.type for label in dataset.subject("Ada-en").labels] == ["H"]
    annotated = load_dataset("incharacter", folder / "data", {"labels": "annotation"})
    assert [subject.name for subject in annotated.subjects] == ["Ada-en"]
    assert annotated.questions[0].subject is None


def test_in_character_without_labels_or_names_says_so(tmp_path):
    write_json(tmp_path / "BFI.json", BFI_FILE)
    dataset = load_dataset("incharacter", tmp_path / "BFI.json")
    assert dataset.subjects == ()
    assert noted(dataset, "no labels")
    write_json(tmp_path / "characters_labels.json", {"pdb": {"Ada-en": {}}})
    assert noted(load_dataset("incharacter", tmp_path), "no characters.json")
    with pytest.raises(UsageError, match="no labels of 'annotation'"):
        load_dataset("incharacter", tmp_path, {"labels": "annotation"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"category": "K"}, "item '1' of .*cannot be keyed"),
        ({"rewritten_en": ""}, "no 'rewritten_en'"),
        ({"dimension": ""}, "no 'dimension'"),
    ],
)
def test_an_item_that_cannot_be_keyed_is_refused(tmp_path, change, said):
    broken = {**BFI_FILE, "questions": {"1": {**BFI_FILE["questions"]["1"], **change}}}
    write_json(tmp_path / "BFI.json", broken)
    with pytest.raises(UsageError, match=said):
        load_dataset("incharacter", tmp_path)
    write_json(tmp_path / "BFI.json", {"questions": []})
    with pytest.raises(UsageError, match="no questionnaire"):
        load_dataset("incharacter", tmp_path)
