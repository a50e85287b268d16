"""Several runs in one report: side by side where they may be, refused where judges differ."""

from __future__ import annotations

import csv
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Item, Label, Question, Subject
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import keyed, scaled
from offbook.evaluation.record import OFFLINE_MARK, CellKey, Score
from offbook.evaluation.report.collection import Watch, collect, interviews, joined
from offbook.evaluation.report.csv_tables import write_csv
from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.markdown import write_markdown
from offbook.evaluation.report.material import ReportedRun
from offbook.evaluation.report.tables import joint_tables
from offbook.evaluation.report.writing import report_files
from offbook.evaluation.scores import Measured, reply_scores
from offbook.models.builtin import BuiltinEmbedder
from offbook.protocols import Store
from offbook.stores import chunks, documents, vectors
from offbook.types import Chunk, Document, Usage
from tests.evaluation import made
from tests.evaluation.report import made_reports
from tests.evaluation.report.stored_runs import collected, stored

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
        value
        if metric.endswith("_batch")
        else scaled(metric, keyed(metric, 1 if n % 3 else -1, value))
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


WHY = "the answer gives no rating; it begins with "


def test_no_text_is_kept_however_many_cells_go_by():
    text = "word " * 4_000

    def cells():
        for n in range(2_000):
            yield made.cell(f"q{n}", text + str(n), context=(made.passage(text + str(n)),))

    def ratings():
        for n in range(2_000):
            yield made.rating("ke", f"q{n}", n % 9 + 1.0, analysis=text + str(n))

    watch = Watch(made.run(("ke",)), most=3)
    tracemalloc.start()
    for _ in watch.cells(cells()):
        pass
    for _ in watch.ratings(ratings()):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000
    assert len(watch.examples()) == 6


def test_reasons_are_shortened_and_the_rare_ones_are_counted_together():
    watch = Watch(made.run(("ke",), variants=("naive",)), most=1)
    found = [made.rating("ke", f"q{n}", None) for n in range(400)]
    told = [WHY + ("x" * 500 if n < 300 else str(n)) for n in range(400)]
    changed = [type(r)(r.key, None, missing=why) for r, why in zip(found, told, strict=True)]
    list(watch.ratings(changed))
    (rated,) = watch.rated()
    assert (rated.total, rated.missing) == (400, 400)
    assert sum(count for _, count in rated.reasons) == 400
    assert rated.reasons[0][1] == 300
    assert rated.reasons[-1][0] == "other reasons"
    assert len(rated.reasons) == 9
    assert max(len(why) for why, _ in rated.reasons) <= 160


def test_of_equal_ratings_the_first_by_name_is_shown():
    watch = Watch(made.run(("ke",), variants=("naive",)), most=1)
    values = {"q3": 1.0, "q1": 1.0, "q2": 9.0, "q4": 9.0}
    list(watch.ratings([made.rating("ke", unit, value) for unit, value in values.items()]))
    assert watch.examples() == {
        CellKey("Nora Vey", "q1", "naive"): ("worst KE: 1",),
        CellKey("Nora Vey", "q2", "naive"): ("best KE: 9",),
    }


QUESTIONS = (
    Question("q1", "What do you hate?", answers=("rain",), scope="in", kind="tastes"),
    Question("q2", "What is radar?", scope="out", kind="things"),
    Question("q3", "Where do you live?", answers=("Hull",), scope="in", kind="places"),
)


def replies(variants=("naive", "vanilla")):
    return [
        made.cell(question.id, variant=variant, usage=Usage(calls=2, seconds=0.5))
        for question in QUESTIONS
        for variant in variants
    ]


def rated(metric="ke", values=(8.0, 2.0, 5.0), variant="naive", **fields):
    pairs = zip(QUESTIONS, values, strict=True)
    return [made.rating(metric, q.id, value, variant, **fields) for q, value in pairs]


async def test_what_is_missing_failed_and_overruled_is_counted_and_shown(sqlite_store: Store):
    cells = [*replies(("naive",))[:2], made.cell("q3", None)]
    ratings = [
        made.rating("ke", "q1", 8.0, analysis="He says so.", person=3.0, person_name="Ines"),
        made.rating("ke", "q2", None),
    ]
    run = made.run(("ke",), variants=("naive",))
    report = await collected(sqlite_store, run, made.dataset(*QUESTIONS), cells, ratings)
    assert (report.counts.planned, report.counts.cells, report.counts.failed) == (3, 3, 1)
    (failed,) = report.failed
    assert (failed.key, failed.error) == (CellKey("Nora Vey", "q3", "naive"), "the endpoint failed")
    (told,) = report.ratings
    assert (told.total, told.missing, told.overruled) == (2, 1, 1)
    assert told.reasons == (("answer_invalid", 1),)
    score = next(s for s in report.scores if (s.metric, s.group) == ("ke", "all"))
    assert (score.estimate.mean, score.estimate.n, score.estimate.missing) == (3.0, 1, 2)
    shown = {example.key.question: example for example in report.examples}
    assert shown["q1"].why == ("overruled KE",)
    assert shown["q2"].why == ("no rating of KE",)
    (rating,) = shown["q1"].ratings
    assert (rating.value, rating.person, rating.analysis) == (8.0, 3.0, "He says so.")


async def test_the_worst_and_the_best_cells_are_shown_whole(sqlite_store: Store):
    context = (made.passage("She hates rain."),)
    cells = [made.cell(q.id, f"About {q.id}.", context=context) for q in QUESTIONS]
    ratings = [*rated("ke", (8.0, 2.0, 5.0)), *rated("kh", (9.0, 1.0, 4.0))]
    run = made.run(("ke", "kh"), variants=("naive",))
    data = made.dataset(*QUESTIONS)
    report = await collected(sqlite_store, run, data, cells, ratings, most=1)
    shown = {example.key.question: example for example in report.examples}
    assert set(shown) == {"q1", "q2"}
    assert shown["q1"].why == ("best KE: 8", "worst KH: 9")
    assert shown["q2"].why == ("worst KE: 2", "best KH: 1")
    example = shown["q1"]
    assert (example.question, example.answers, example.reply) == (
        "What do you hate?", ("rain",), "About q1.",
    )  # fmt: skip
    assert [rating.key.metric for rating in example.ratings] == ["ke", "kh"]
    (grounds,) = example.grounds
    assert (grounds.text, grounds.places) == ("She hates rain.", ("d1[0:15]",))


async def test_ratings_of_another_judge_are_not_seen(sqlite_store: Store):
    run = made.run(("ke",), variants=("naive",))
    ratings = [*rated(), *rated(values=(1.0, 1.0, None), judge="other")]
    report = await collected(
        sqlite_store, run, made.dataset(*QUESTIONS), replies(("naive",)), ratings
    )
    assert [(each.total, each.missing) for each in report.ratings] == [(3, 0)]
    assert {r.key.judge for e in report.examples for r in e.ratings} == {made.JUDGE}


class SomebodysProtocol:
    """A way of measuring that offbook does not know."""

    def ready(self, key):
        return key

    def judgements(self, run, dataset, cells):
        return []

    def scores(self, run, dataset, cells, ratings):
        total = sum(1 for _ in cells)
        list(ratings)
        return [Score("length", "naive", "all", Estimate(float(total), total), "higher")]


async def test_somebody_elses_protocol_scores_for_itself(sqlite_store: Store):
    run = made.run(("ke",), variants=("naive",))
    data = made.dataset(*QUESTIONS)
    source = await stored(sqlite_store, run, data, replies(("naive",)), rated())
    own = replace(source, run=replace(run, protocol="mine"), protocol=SomebodysProtocol())
    report = await collect(sqlite_store, own)
    assert [(score.metric, score.estimate.mean) for score in report.scores] == [("length", 3.0)]
    assert report.counts.cells == 3


# -- chunks ------------------------------------------------------------------------------------

TEXTS = ("She hates rain and wet shoes.", "She lives in Hull.", "Clocks are her trade.")


async def with_chunks(store: Store, *, keep: int = len(TEXTS)) -> None:
    """Nora's document in chunks of one chunking, with their vectors."""
    from offbook.stores import characters

    text = "\n".join(TEXTS)
    starts = [text.index(each) for each in TEXTS]
    found = [
        Chunk(f"c{n}", "d1", "graph", n, start, start + len(each), (), each)
        for n, (start, each) in enumerate(zip(starts, TEXTS, strict=True))
    ]
    matrix = await BuiltinEmbedder().embed(TEXTS, "document")

    def write(conn):
        characters.create(conn, "Nora Vey")
        documents.put(conn, "nora-vey", Document("d1", "nora.md", text, "0" * 64))
        chunks.replace_chunks(conn, "nora-vey", "d1", "graph", {}, found)
        made_set = vectors.use_set(conn, "nora-vey", "builtin", matrix.shape[1])
        ids = [chunk.id for chunk in found][:keep]
        vectors.put_vectors(conn, "nora-vey", made_set.id, "chunk", ids, matrix[:keep])

    await store.write(write)


async def test_similarity_is_that_of_the_chunks_that_were_given_to_the_reply(sqlite_store: Store):
    await with_chunks(sqlite_store, keep=2)
    context = (made.passage(TEXTS[0], "c0"), made.passage(TEXTS[2], "c2"))
    cells = [
        made.cell("q1", context=context),
        made.cell("q2", context=()),
        made.cell("q1", variant="vanilla"),
    ]
    embedder = BuiltinEmbedder()
    report = await collected(
        sqlite_store, made.run(("ke",)), made.dataset(*QUESTIONS), cells, [], embedder=embedder
    )
    (near,) = report.cosines
    question = await embedder.embed([QUESTIONS[0].text], "query")
    chunk = await embedder.embed([TEXTS[0]], "document")
    assert near.name == "naive"
    assert near.values == pytest.approx([float(question[0] @ chunk[0])], abs=1e-6)
    assert (near.mean.n, near.mean.missing, near.unmatched) == (1, 1, 1)


QUESTIONS_JOINING = tuple(Question(f"q{n}", f"Question {n}?") for n in range(4))


def of(id_: str, values: tuple[float, ...], method: str = "naive", **changed) -> ReportedRun:
    run = made.run(("ke",), id=id_, variants=(method,), **changed)
    cells = [made.cell(q.id, variant=method) for q in QUESTIONS_JOINING]
    ratings = [
        made.rating("ke", q.id, value, method)
        for q, value in zip(QUESTIONS_JOINING, values, strict=True)
    ]
    measured = Measured(run, made.dataset(*QUESTIONS_JOINING), cells, ratings)
    return made_reports.report((method,), run=run, measured=measured)


def won(metric: str, judge: str = "m", **values: tuple[float, ...]) -> list[str]:
    """How a report on one run with these ratings, by method, begins."""
    size = len(next(iter(values.values())))
    questions = [Question(f"q{n:03}", f"Question {n}?") for n in range(size)]
    models = made_reports.run((), judge=judge).models
    run = made.run((metric,), variants=tuple(values), models=models)
    cells = [made.cell(q.id, variant=name) for q in questions for name in values]
    ratings = [
        replace(rated, key=replace(rated.key, judge=judge))
        for name, each in values.items()
        for q, value in zip(questions, each, strict=True)
        for rated in (made.rating(metric, q.id, value, name),)
    ]
    measured = Measured(run, made.dataset(*questions), cells, ratings)
    scores = tuple(reply_scores(measured))
    report = made_reports.report(tuple(values), run=run, measured=measured, scores=scores)
    return list(joined([report]).headlines)


def test_a_report_begins_with_who_won_by_how_much_with_n():
    (said,) = won("ke", naive=(4.0, 5.0) * 30, ensemble=(6.0, 6.0) * 30, vanilla=(1.0, 1.0) * 30)
    assert said.startswith("ensemble is ahead of naive, the next of 2, by 1.50 [1.")
    assert "in Knowledge Exposure (KE), n = 60" in said
    assert OFFLINE_MARK not in said
    assert OFFLINE_MARK in won("ke", "offline", naive=(4.0, 5.0), ensemble=(6.0, 7.0))[0]
    # Where less is better, who has less is ahead, and by a positive number.
    (said,) = won("kh", naive=(4.0, 5.0) * 30, ensemble=(6.0, 6.0) * 30)
    assert said.startswith("naive is ahead of ensemble by 1.50 [")
    (said,) = won("ke", naive=(4.0, 8.0) * 30, ensemble=(8.0, 4.0) * 30)
    assert said.startswith("Nobody is ahead in Knowledge Exposure (KE), n = 60: ")
    (said,) = won("ke", naive=(4.0,), ensemble=(8.0,))
    assert said.startswith("Too little was rated to say who is ahead")
    (said,) = won("ke", naive=(4.0, 8.0))
    assert said.startswith("Only one method was asked, naive")


def test_the_first_sentence_of_the_files_is_who_won():
    report = joined([of("a-1", (1.0, 2.0, 3.0, 4.0)), of("a-2", (2.0, 4.0, 3.0, 4.0))])
    (said,) = report.headlines
    assert "a-2: naive" in said
    assert said.split(" (KE)", maxsplit=1)[0] in write_markdown(report).splitlines()[2]
    assert said in write_html(report)


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


def test_a_matrix_has_a_line_a_question_and_a_column_a_method():
    report = joined([of("a-1", (1.0, 2.0, 3.0, 4.0)), of("a-2", (2.0, 4.0, 3.0, 4.0))])
    rows = [*csv.DictReader(write_csv(report)["questions.csv"].splitlines())]
    assert [(row["run"], float(row["naive"])) for row in rows] == [
        *(("a-1", value) for value in (1.0, 2.0, 3.0, 4.0)),
        *(("a-2", value) for value in (2.0, 4.0, 3.0, 4.0)),
    ]
    assert len({(row["run"], row["subject"], row["question"], row["repeat"]) for row in rows}) == 8


@pytest.mark.parametrize(
    "other",
    [
        {"dataset_checksum": "1"},
        {"benchmark_version": 2},
        {"limit": 3},
        {"subjects": {"Tom Ash": "tom-ash"}},
        {"prompts": {"knowledge_exposure": 9}},
    ],
)
def test_runs_that_were_not_asked_or_judged_alike_are_not_put_into_one_table(other):
    report = joined([of("a-1", (1.0,) * 4), of("a-2", (3.0,) * 4, **other)])
    assert report.joint == ()
    assert len(report.runs) == 2


def test_files_of_several_runs_do_not_replace_one_another():
    runs = [of("a-1", (1.0, 2.0, 3.0, 4.0)), of("a-2", (2.0, 4.0, 3.0, 4.0))]
    names = [name for name, _ in report_files(joined(runs), with_pictures=False)]
    assert len(names) == len(set(names))
    assert {"tables/a-1-differences.tex", "tables/a-2-scores-1.tex"} & set(names)
    assert "tables/joint-1-scores-1.tex" in names


def test_labels_with_scores_and_undecided_ones_are_told_apart():
    labels = [
        Label("BFI", "Extraversion", "H", 4.5),
        Label("BFI", "Openness", "X", 3.1),
        Label("BFI", "Agreeableness", "high"),
    ]
    (interview,) = interviews(measured("bfi_batch", [2.0], labels))
    told = {trait.dimension: (trait.label, trait.label_score) for trait in interview.traits}
    assert told["Extraversion"] == ("S", 4.5)
    assert told["Openness"] == ("X", 3.1)
    assert told["Neuroticism"] == ("", None)
    assert told["Agreeableness"] == ("X", None), "neither high nor low: nothing is compared"
    assert (interview.labels, interview.letters) == ("S--XX", "R----")
    assert (interview.wrong, interview.compared) == (1, 1)
