from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.benchmark import Item, Label, Question, Subject
from offbook.evaluation.interviews.keyed_ratings import keyed
from offbook.evaluation.measured import Measured
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.report.profiles import interviews
from tests.evaluation import made

METRICS = ("mbti_item", "bigfive_item", "16p_option", "bfi_option", "16p_batch", "bfi_batch")
DIMENSION = {True: "E/I", False: "Extraversion"}


def measured(metric, values, labels=()):
    dimension = DIMENSION[metric.startswith(("mbti", "16p"))]
    questions = tuple(
        Question(f"i{n}", "?", item=Item("t", str(n), dimension, 1 if n % 3 else -1))
        for n in range(len(values))
    )
    protocol = "items" if metric.endswith("_item") else "open_interview"
    run = made.run((metric,), protocol=protocol, variants=("naive",))
    units = [
        f"{dimension}/{n}" if metric.endswith("_batch") else f"i{n}" for n in range(len(values))
    ]
    ratings = [made.rating(metric, unit, value) for unit, value in zip(units, values, strict=True)]
    data = made.dataset(*questions, subjects=(Subject("Nora Vey", labels=tuple(labels)),))
    return Measured(run, data, [made.cell(q.id) for q in questions], ratings)


@pytest.mark.parametrize("metric", METRICS)
@given(data=st.data())
@settings(deadline=None)
def test_the_interval_is_around_the_score_of_the_interview(metric, data):
    scale = SCALES[metric]
    ratings = st.integers(int(scale.low), int(scale.high)).map(float)
    values = data.draw(st.lists(st.none() | ratings, min_size=1, max_size=5))
    (interview,) = interviews(measured(metric, values))
    trait = interview.traits[0]
    present = [
        keyed(metric, 1 if metric.endswith("_batch") or n % 3 else -1, value)
        for n, value in enumerate(values)
        if value is not None
    ]
    assert (trait.score.n, trait.score.missing) == (len(present), len(values) - len(present))
    if not present:
        assert trait.score.mean is None
        return
    assert trait.score.mean is not None
    assert trait.score.mean == pytest.approx(sum(present) / len(present))
    assert trait.low <= trait.score.mean <= trait.high
    if trait.score.interval:
        low, high = trait.score.interval
        assert low - 1e-9 <= trait.score.mean <= high + 1e-9


def test_labels_with_scores_and_undecided_ones_are_told_apart():
    labels = [Label("BFI", "Extraversion", "H", 4.5), Label("BFI", "Openness", "X", 3.1)]
    (interview,) = interviews(measured("bfi_batch", [2.0], labels))
    told = {trait.dimension: (trait.label, trait.label_score) for trait in interview.traits}
    assert told["Extraversion"] == ("S", 4.5)
    assert told["Openness"] == ("X", 3.1)
    assert told["Neuroticism"] == ("", None)
    assert (interview.labels, interview.letters) == ("S---X", "R----")
    assert (interview.wrong, interview.compared) == (1, 1)
