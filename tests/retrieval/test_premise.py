"""False premises of kinship: what the graph tells against a question, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from offbook.retrieval.boundary import QuestionNames
from offbook.retrieval.premise import false_kinship
from offbook.types import ContextItem
from tests.retrieval.graphs import index, person, tie

GRAPH = index(
    [
        person("Ada Byrne"),
        person("Tom Byrne", "Tom Byrne is the father of Ada Byrne and a keeper.", "Tommy"),
        person("Maud Keane", "Maud Keane sells bread."),
        person("Jem Byrne", "Jem Byrne is a sailor."),
    ],
    [tie("Jem Byrne", "Ada Byrne", 5, "Jem Byrne is the brother of Ada Byrne.")],
    {},
)


def found(question: str) -> Sequence[ContextItem]:
    names = QuestionNames(question, tuple(GRAPH.names.find(question)), (), {}, (), ())
    return false_kinship(GRAPH, names)


@pytest.mark.parametrize(
    "question",
    [
        "How is your brother Tom Byrne?",
        "How is your dear brother, Tommy?",
        "Is Tom Byrne, your uncle, well?",
    ],
)
def test_other_kinship_than_the_texts_tell_is_not_so(question):
    (item,) = found(question)
    assert item.kind == "premise"
    assert item.title.startswith("not so: your ")
    assert item.text == "Tom Byrne is the father of Ada Byrne and a keeper."


@pytest.mark.parametrize(
    "question",
    [
        "How is your father Tom Byrne?",
        "How is your brother Jem Byrne?",
        "How is your sister Maud Keane?",
        "How is your sister Ilse?",
        "Does your brother know Tom Byrne?",
        "How is my brother Tom Byrne?",
        "Was Tommy your cousin?",
        "How is your friend Tom Byrne?",
    ],
)
def test_what_fits_or_is_not_told_of_is_left_alone(question):
    assert found(question) == []


@pytest.mark.parametrize(
    ("told", "untrue"),
    [
        ("Joe Marsh owns the mill with his wife Ann, and Ada often visits.", False),
        ("Joe Marsh met Ada Byrne at the house of her father.", False),
        ("Joe Marsh's wife asked Ada to supper.", False),
        ("Joe Marsh is Ada's favourite uncle.", True),
        ("Ada Byrne lives with her old father Joe.", True),
        ("Joe Marsh was a sailor and the father of Ada Byrne.", True),
        ("Joe Marsh married Ada in May.", True),
        ("Joe Marsh is the son of Ada's brother.", False),
        ("Joe Marsh is the brother of Ada Byrne.", False),
    ],
)
def test_kin_of_others_in_the_same_sentence_contradict_nothing(told, untrue):
    graph = index([person("Ada Byrne"), person("Joe Marsh", told)])
    question = "How is your brother Joe Marsh?"
    names = QuestionNames(question, tuple(graph.names.find(question)), (), {}, (), ())
    assert bool(false_kinship(graph, names)) is untrue
