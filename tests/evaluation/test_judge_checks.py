"""Checks of a judge: the bias of a judge that is made for it is found, and none in a fair one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.evaluation.benchmark import Introduction, Question, Subject
from offbook.evaluation.judge_checks import METRIC, OTHER_AUTHOR, JudgeChecks
from offbook.prompts.interviewing import Preference
from tests.evaluation.made import JUDGE, cell, dataset, judged, rating, run

VARIANTS = ("naive", "amadeus", "rolerag", "vanilla")
QUESTIONS = tuple(Question(f"q{number}", f"What of {number}?") for number in range(60))
RUN = run((), variants=VARIANTS)
DATA = dataset(*QUESTIONS)
CELLS = [cell(q.id, f"{v} says so of {q.id}.", v) for q in QUESTIONS for v in VARIANTS]


def told(label):
    return Preference(analysis="So it is.", best=label)


def takes_first(_prompt, inputs):
    return told(inputs.replies[0].label)


def takes_the_shortest(_prompt, inputs):
    return told(min(inputs.replies, key=lambda reply: (len(reply.text), reply.text)).label)


def takes_its_own(prompt, inputs):
    own = [reply.label for reply in inputs.replies if reply.author == JUDGE]
    return told(own[0]) if own else takes_the_shortest(prompt, inputs)


def found_of(answer, cells=CELLS, checks=None, of_run=RUN):
    checks = checks or JudgeChecks()
    ratings = judged(checks, of_run, DATA, cells, answer)
    return checks.bias(of_run, DATA, iter(cells), iter(ratings))


def test_a_judge_that_takes_the_first_is_found_out():
    found = found_of(takes_first)
    assert found.judge == JUDGE
    assert (found.first.mean, found.first.n) == (1.0, 120)
    assert found.position_bias.mean == pytest.approx(2 / 3)
    assert found.position_bias.low is not None
    assert found.position_bias.low > 0
    assert (found.flips.mean, found.flips.n) == (1.0, 60)
    assert found.label_bias.mean == 0.0


def test_a_judge_that_looks_at_the_replies_is_not_swayed_by_order_or_names():
    found = found_of(takes_the_shortest)
    assert found.flips.mean == 0.0
    assert found.label_bias.mean == 0.0
    assert found.position_bias.interval is not None
    low, high = found.position_bias.interval
    assert low < 0 < high


def test_a_judge_that_takes_what_bears_its_name_is_found_out():
    found = found_of(takes_its_own)
    assert found.flips.mean == 0.0
    assert found.label_bias.mean is not None
    assert found.label_bias.mean > 0.5
    assert found.label_bias.low is not None
    assert found.label_bias.low > 0.4


def test_names_stand_only_in_half_of_the_comparisons_and_name_one_reply_as_the_judges():
    found = JudgeChecks().judgements(RUN, DATA, CELLS[:4])
    assert [j.keys[0].unit for j in found] == [
        f"q0/{labelling}/{order}/{found[0].keys[0].unit[-8:]}"
        for labelling in ("neutral", "named")
        for order in (1, 2)
    ]
    authors = [sorted(reply.author for reply in j.inputs.replies) for j in found]
    assert authors[:2] == [["", "", ""]] * 2
    assert authors[2:] == [sorted([JUDGE, OTHER_AUTHOR, OTHER_AUTHOR])] * 2
    texts = [[reply.text for reply in j.inputs.replies] for j in found]
    assert texts[0] == texts[2] == texts[1][::-1] == texts[3][::-1]
    assert [reply.label for reply in found[0].inputs.replies] == ["A", "B", "C"]
    assert {j.keys[0].metric for j in found} == {METRIC}


def test_orders_are_shuffled_and_the_same_when_the_run_goes_on():
    firsts = [
        j.inputs.replies[0].text.split()[0] for j in JudgeChecks().judgements(RUN, DATA, CELLS)
    ]
    assert len(set(firsts)) == len(VARIANTS)
    again = [
        j.inputs.replies[0].text.split()[0] for j in JudgeChecks().judgements(RUN, DATA, CELLS)
    ]
    assert firsts == again
    other = run((), variants=VARIANTS, seed=1)
    assert firsts != [
        j.inputs.replies[0].text.split()[0] for j in JudgeChecks().judgements(other, DATA, CELLS)
    ]


def test_only_as_many_questions_are_asked_about_as_are_wanted():
    checks = JudgeChecks(limit=10)
    assert len(checks.judgements(RUN, DATA, CELLS)) == 40
    assert found_of(takes_first, checks=checks).questions == 10
    assert JudgeChecks(limit=None).judgements(RUN, DATA, CELLS[:4])


def test_equal_replies_are_nothing_to_choose_from_and_are_counted():
    cells = [cell("q1", " Rain.\n" if v == "naive" else "Rain.", v) for v in VARIANTS]
    cells += [cell("q2", "Rain." if v == "naive" else "Fog.", v) for v in VARIANTS]
    found = found_of(takes_first, cells)
    assert (found.identical, found.questions) == (1, 1)


def test_failed_replies_and_questions_that_are_gone_are_left_out():
    cells = [cell("q1", None if v == "naive" else f"{v}.", v) for v in VARIANTS]
    cells += [cell("gone", f"{v}.", v) for v in VARIANTS]
    found = JudgeChecks().judgements(RUN, DATA, cells)
    assert {j.keys[0].unit.partition("/")[0] for j in found} == {"q1"}
    assert not any("naive" in reply.text for j in found for reply in j.inputs.replies)
    assert not JudgeChecks().judgements(RUN, DATA, [cell("q1")])


def test_a_missing_preference_is_left_out_and_counted():
    checks = JudgeChecks(limit=None)
    ratings = judged(checks, RUN, DATA, CELLS, takes_first)
    broken = [
        rating(METRIC, key.unit, None, "") if key.unit.startswith("q0/neutral/1/") else each
        for key, each in ((each.key, each) for each in ratings)
    ]
    found = checks.bias(RUN, DATA, iter(CELLS), iter(broken))
    assert (found.first.n, found.first.missing) == (119, 1)
    assert (found.flips.n, found.flips.missing) == (59, 1)
    assert (found.label_bias.n, found.label_bias.missing) == (119, 1)


def test_preferences_among_other_replies_do_not_count():
    among_four = judged(JudgeChecks(replies=4), RUN, DATA, CELLS, takes_the_shortest)
    found = JudgeChecks(replies=2).bias(RUN, DATA, iter(CELLS), iter(among_four))
    assert (found.first.n, found.first.missing) == (0, 120)


@pytest.mark.parametrize("replies", [0, 1, 27])
def test_a_comparison_is_of_two_to_twenty_six(replies):
    with pytest.raises(ValueError, match="cannot be compared"):
        JudgeChecks(replies=replies)


def test_what_the_judge_is_told_of_who_the_character_is_can_be_forgotten():
    told = {"Nora Vey": Introduction("Nora mends clocks.", ("nora-md",))}
    data = replace(DATA, subjects=(Subject("Nora Vey"),), introductions=told)
    found = JudgeChecks().judgements(RUN, data, CELLS[:4])
    assert {one.inputs.description for one in found} == {"Nora mends clocks."}
    assert all("nora-vey/nora-md" in one.documents for one in found)
