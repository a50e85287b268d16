"""Our own questionnaires as datasets."""

import pytest

from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.questionnaires import LANGUAGES, SHIPPED, shipped


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_they_are_datasets_without_subjects(name, language):
    dataset = load_dataset(name, options={"language": language})
    assert (len(dataset.subjects), len(dataset.questions)) == (0, 60)
    assert {question.subject for question in dataset.questions} == {None}
    assert {question.language for question in dataset.questions} == {language}
    assert dataset.notes == ()
    items = [question.item for question in dataset.questions]
    assert items == [each.item for each in shipped(name, language)]


def test_a_file_of_labels_brings_its_characters(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("character,mbti,sloan\nAda,ISXJ,RCOAX\n", encoding="utf-8")
    dataset = load_dataset("mbti-60", file)
    (ada,) = dataset.subjects
    assert "".join(label.type for label in ada.labels) == "ISXJRCOAX"
