"""The measuring itself: masking, ties, and the three kinds of labelled files."""

from __future__ import annotations

import importlib
import json
from itertools import permutations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def quality(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("quality_retrieval")


@pytest.mark.parametrize(
    ("question", "masked"),
    [
        ("What did Haydn teach you in Vienna?", "What did teach you in"),
        ("Rome fell; did I, or I'd, fall?", "fell; did I, or I'd, fall?"),
        ('Did "Fidelio" (the Opera) fail?', "Did (the fail?"),
        ("no names here", "no names here"),
    ],
)
def test_masking_removes_names_and_keeps_the_question(quality, question, masked):
    assert quality.mask(question) == masked


@pytest.mark.parametrize("gold", [{0}, {3, 4}, {1, 2, 3, 5}])
@pytest.mark.parametrize("at", [1, 3, 6, 9])
def test_ties_count_as_the_mean_over_their_orders(quality, gold, at):
    scores = np.array([3, 1, 1, 1, 0, 0], dtype=np.float32)
    recalls = []
    for order in permutations(range(len(scores))):
        ranking = sorted(order, key=lambda position: -scores[position])
        recalls.append(len(gold & set(ranking[:at])) / min(at, len(gold)))
    expected = quality.expected_recall(scores, frozenset(gold), at)
    assert expected == pytest.approx(np.mean(recalls))


def test_evidence_is_found_in_the_paragraph_that_holds_it(quality, tmp_path):
    (tmp_path / "keeper.md").write_text(
        "# Keeper\n\n## Youth\n\nShe was born\nin the frost.\n\n## Work\n\nShe lights the lamp.\n"
    )
    asked = [
        {"question": "When were you born?", "evidence": ["born in the frost"]},
        {"question": "Do you fly?", "evidence": []},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, asked)))
    passages, questions = quality.load(file)
    assert [(p.headings, p.text) for p in passages["keeper"]] == [
        ("Keeper, Youth", "She was born in the frost."),
        ("Keeper, Work", "She lights the lamp."),
    ]
    assert [(q.text, q.gold) for q in questions] == [("When were you born?", frozenset([0]))]


def test_answers_are_searched_within_their_character(quality, tmp_path):
    file = tmp_path / "answers.jsonl"
    answered = [
        {"character": "A", "model": "m", "question": "a?", "answer": "a"},
        {"character": "B", "model": "m", "question": "b?", "answer": "b"},
        {"character": "A", "model": "n", "question": "a?", "answer": "another model's"},
        {"character": "A", "model": "m", "question": "c?", "answer": "c"},
    ]
    file.write_text("\n".join(map(json.dumps, answered)))
    passages, questions = quality.load(file)
    assert {name: [p.text for p in own] for name, own in passages.items()} == {
        "A": ["a", "c"],
        "B": ["b"],
    }
    assert [(q.character, q.gold) for q in questions] == [
        ("A", frozenset([0])),
        ("B", frozenset([0])),
        ("A", frozenset([1])),
    ]


def test_every_candidate_scores_every_passage(quality):
    passages = quality.Passages(
        [quality.Passage("Work", "She lights the lamp."), quality.Passage("", "The storm broke.")]
    )
    scorings = quality.CANDIDATES.items()
    for _, scores in scorings:
        assert scores(passages, "Who lights the lamp?").shape == (2,)
    best = {name: int(scores(passages, "a storm").argmax()) for name, scores in scorings}
    assert {where for name, where in best.items() if name != "first passages"} == {1}
