"""The demo's own set: questions, gold answers, documents, memories, and whose labels they are."""

import pytest

from offbook.errors import UsageError
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.questionnaires import SHIPPED
from tests.evaluation.datasets.files import item, noted


def test_the_demo_has_everything_that_is_measured(tmp_path):
    dataset = load_dataset("demo")
    (subject,) = dataset.subjects
    scopes = [question.scope for question in dataset.questions]
    assert (scopes.count("in"), scopes.count("out")) == (50, 10)
    assert all(bool(q.answers) == (q.scope == "in") for q in dataset.questions)
    assert len(subject.memories) == 104
    assert subject.documents[0].text.startswith("# Edmond Dantès")
    assert {label.source for label in subject.labels} == {
        "offbook: our own reading of the demo document"
    }
    assert noted(dataset, "our own reading")
    for name in subject.names:
        assert name.removeprefix("the ").removeprefix("The ") in subject.documents[0].text
    with pytest.raises(UsageError, match="is shipped"):
        load_dataset("demo", tmp_path)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_demo_can_be_put_our_questionnaires(name):
    dataset = load_dataset("demo", options={"questions": name})
    assert len(dataset.questions) == 60
    assert {item(question).questionnaire for question in dataset.questions} == {name}
    assert len(dataset.subjects[0].labels) == 9
