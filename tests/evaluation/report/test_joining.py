"""Several runs in one report: side by side where they may be, refused where judges differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Question
from offbook.evaluation.measured import Measured
from offbook.evaluation.report.csv_tables import write_csv
from offbook.evaluation.report.files import report_files
from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.joining import joined
from offbook.evaluation.report.material import ReportedRun
from offbook.evaluation.report.tables import joint_tables
from tests.evaluation import made
from tests.evaluation.report import made_reports

QUESTIONS = tuple(Question(f"q{n}", f"Question {n}?") for n in range(4))


def of(id_: str, values: tuple[float, ...], method: str = "naive", **changed) -> ReportedRun:
    run = made.run(("ke",), id=id_, variants=(method,), **changed)
    cells = [made.cell(q.id, variant=method) for q in QUESTIONS]
    ratings = [
        made.rating("ke", q.id, value, method) for q, value in zip(QUESTIONS, values, strict=True)
    ]
    measured = Measured(run, made.dataset(*QUESTIONS), cells, ratings)
    return made_reports.report((method,), run=run, measured=measured)


def test_runs_of_different_judges_are_refused_and_the_hint_mends_it():
    runs = [
        made_reports.report(("naive",), judge="one"),
        made_reports.report(("naive",), run=made_reports.run(("naive",), judge="two", id_="b-1")),
    ]
    with pytest.raises(UsageError, match="different judges") as caught:
        joined(runs)
    assert "offbook eval score b-1 --judge one" in caught.value.hint


def test_a_judge_of_one_name_at_another_address_is_another_judge():
    first = made_reports.report(("naive",), judge="one")
    judge = replace(first.run.models["judge"], base_url="http://elsewhere/v1")
    other = replace(first.run, id="b-1", models={**first.run.models, "judge": judge})
    with pytest.raises(UsageError, match="elsewhere"):
        joined([first, replace(first, run=other)])


def test_runs_of_the_same_questions_stand_side_by_side_with_paired_differences():
    report = joined([of("a-1", (1.0, 2.0, 3.0, 4.0)), of("a-2", (2.0, 4.0, 3.0, 4.0))])
    (joint,) = report.joint
    assert joint.runs == ("a-1", "a-2")
    assert {score.variant for score in joint.scores} == {"a-1: naive", "a-2: naive"}
    (difference,) = joint.differences
    assert (difference.first, difference.second) == ("a-2: naive", "a-1: naive")
    assert (difference.estimate.mean, difference.estimate.n) == (0.75, 4)
    assert "joint-1-differences" in {table.name for table in joint_tables(joint)}
    assert "a-1, a-2 side by side" in write_html(report)
    assert "a-2: naive" in write_csv(report)["differences.csv"]


def test_two_runs_of_one_method_each_are_compared_whatever_their_methods():
    report = joined([of("a-1", (1.0,) * 4), of("a-2", (3.0,) * 4, "amadeus")])
    (difference,) = report.joint[0].differences
    assert (difference.first, difference.estimate.mean) == ("a-2: amadeus", 2.0)


@pytest.mark.parametrize(
    "other",
    [
        {"dataset_checksum": "1"},
        {"benchmark_version": 2},
        {"limit": 3},
        {"prompts": {"knowledge_exposure": 9}},
    ],
)
def test_runs_that_were_not_asked_or_judged_alike_are_not_put_into_one_table(other):
    report = joined([of("a-1", (1.0,) * 4), of("a-2", (3.0,) * 4, **other)])
    assert report.joint == ()
    assert len(report.runs) == 2


def test_prompts_that_no_judge_is_asked_may_differ():
    prompts = {"reply": 9}
    assert joined([of("a-1", (1.0,) * 4), of("a-2", (3.0,) * 4, prompts=prompts)]).joint


def test_files_of_several_runs_do_not_replace_one_another():
    runs = [of("a-1", (1.0, 2.0, 3.0, 4.0)), of("a-2", (2.0, 4.0, 3.0, 4.0))]
    names = [name for name, _ in report_files(joined(runs), with_pictures=False)]
    assert len(names) == len(set(names))
    assert {"tables/a-1-differences.tex", "tables/a-2-scores-1.tex"} & set(names)
    assert "tables/joint-1-scores-1.tex" in names
