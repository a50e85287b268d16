from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.evaluation.benchmark import Label, Question, Subject
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.protocol import Score
from offbook.evaluation.record import CellKey
from offbook.evaluation.report.collecting import collect
from offbook.models.builtin import BuiltinEmbedder
from offbook.protocols import Store
from offbook.stores import chunks, documents, vectors
from offbook.types import Chunk, Document, Usage
from tests.evaluation import made
from tests.evaluation.report.stored_runs import collected, stored

QUESTIONS = (
    Question("q1", "What do you hate?", answers=("rain",), scope="in", kind="tastes"),
    Question("q2", "What is radar?", scope="out", kind="things"),
    Question("q3", "Where do you live?", answers=("Hull",), scope="in", kind="places"),
)
LABELLED = Subject(
    "Nora Vey",
    labels=(Label("mbti", "E/I", "I"), Label("mbti", "S/N", "X"), Label("mbti", "T/F", "T")),
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


TWO_METHODS = [*rated(), *rated(values=(1.0, None, 3.0), variant="vanilla")]


def as_rows(scores: tuple[Score, ...] | list[Score]):
    return sorted(
        ((s.metric, s.variant, s.group, s.estimate, s.better, s.unit) for s in scores), key=str
    )


@pytest.mark.parametrize(
    ("protocol", "metrics", "questions", "ratings"),
    [
        ("questions", ("ke", "hs"), QUESTIONS, TWO_METHODS),
        (
            "items",
            ("mbti_item",),
            (made.item(1, "E/I"), made.item(2, "E/I", -1), made.item(3, "T/F")),
            [made.rating("mbti_item", "i1", 6.0), made.rating("mbti_item", "i2", None)],
        ),
        (
            "open_interview",
            ("16p_batch",),
            (made.item(1, "E/I"), made.item(2, "T/F")),
            [made.rating("16p_batch", "E/I/1", 30.0), made.rating("16p_batch", "T/F/1", 80.0)],
        ),
    ],
)  # fmt: skip
async def test_the_scores_are_those_of_the_runs_own_protocol(
    sqlite_store: Store, protocol, metrics, questions, ratings
):
    run = made.run(metrics, protocol=protocol)
    data = made.dataset(*questions, subjects=(LABELLED,))
    cells = [made.cell(q.id, variant=v) for q in questions for v in ("naive", "vanilla")]
    source = await stored(sqlite_store, run, data, cells, ratings)
    report = await collect(sqlite_store, source)
    expected = source.protocol.scores(run, data, iter(cells), iter(ratings))
    assert as_rows(report.scores) == as_rows(expected)


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


async def test_where_all_are_rated_alike_none_is_the_worst(sqlite_store: Store):
    run = made.run(("ke",), variants=("naive",))
    ratings = rated(values=(4.0, 4.0, 4.0))
    report = await collected(
        sqlite_store, run, made.dataset(*QUESTIONS), replies(("naive",)), ratings
    )
    assert report.examples == ()


async def test_other_methods_are_compared_with_the_first_on_the_same_questions(
    sqlite_store: Store,
):
    run = made.run(("ke", "kh"))
    ratings = [*rated(), *rated(values=(5.0, None, 4.0), variant="vanilla")]
    report = await collected(sqlite_store, run, made.dataset(*QUESTIONS), replies(), ratings)
    found = {each.metric: each for each in report.differences}
    ke = found["ke"]
    assert (ke.first, ke.second, ke.better) == ("vanilla", "naive", "higher")
    assert (ke.estimate.mean, ke.estimate.n, ke.estimate.missing) == (-2.0, 2, 1)
    assert (found["kh"].estimate.n, found["kh"].estimate.missing) == (0, 3)


async def test_ratings_of_another_judge_are_not_seen(sqlite_store: Store):
    run = made.run(("ke",), variants=("naive",))
    ratings = [*rated(), *rated(values=(1.0, 1.0, None), judge="other")]
    report = await collected(
        sqlite_store, run, made.dataset(*QUESTIONS), replies(("naive",)), ratings
    )
    assert [(each.total, each.missing) for each in report.ratings] == [(3, 0)]
    assert {r.key.judge for e in report.examples for r in e.ratings} == {made.JUDGE}


async def test_an_empty_run_has_no_scores_and_no_trouble(sqlite_store: Store):
    report = await collected(sqlite_store, made.run(("ke",)), made.dataset(*QUESTIONS))
    assert not any((report.examples, report.failed, report.ratings, report.use))
    assert {(score.estimate.mean, score.estimate.n) for score in report.scores} == {(None, 0)}
    assert (report.counts.planned, report.counts.cells) == (6, 0)


async def test_interviews_have_letters_labels_and_an_interval_of_their_items(sqlite_store: Store):
    items = tuple(made.item(n, "E/I", 1 if n % 2 else -1) for n in range(1, 7))
    values = (6.0, 2.0, 7.0, None, 5.0, 3.0)
    ratings = [
        made.rating("mbti_item", q.id, value) for q, value in zip(items, values, strict=True)
    ]
    run = made.run(("mbti_item",), protocol="items", variants=("naive",))
    cells = [made.cell(question.id) for question in items]
    data = made.dataset(*items, subjects=(LABELLED,))
    report = await collected(sqlite_store, run, data, cells, ratings)
    (interview,) = report.interviews
    trait = interview.traits[0]
    expected = estimate([50 + 50 * a / 3 for a in (-2, -2, -3, -1, -1)])
    assert trait.score.mean == pytest.approx(expected.mean)
    assert (trait.score.n, trait.score.missing) == (5, 1)
    assert trait.score.interval == pytest.approx(expected.interval)
    assert (trait.letter, trait.label) == ("I", "I")
    assert (interview.letters, interview.labels) == ("I---", "IXT-")
    assert (interview.wrong, interview.compared) == (0, 1)


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


async def test_chunk_usage_is_a_share_of_all_chunks_of_what_was_searched(sqlite_store: Store):
    cells = [
        made.cell("q1", context=(made.passage(TEXTS[0], "c0"), made.passage(TEXTS[1], "c1"))),
        made.cell("q2", context=(made.passage(TEXTS[0], "c0"),)),
    ]
    run = made.run(("ke",), chunks={"naive": {"Nora Vey": 3}})
    report = await collected(sqlite_store, run, made.dataset(*QUESTIONS), cells, [])
    (used,) = report.use
    assert (used.variant, used.chunks) == ("naive", 3)
    assert used.use.duplication == {0: 1, 1: 1, 2: 1}
    score = next(score for score in report.scores if score.metric == "chunk_usage")
    assert score.estimate.mean == pytest.approx(2 / 3)


async def test_where_nobody_counted_the_chunks_there_is_a_histogram_and_no_share(
    sqlite_store: Store,
):
    cells = [made.cell("q1", context=(made.passage("Gone.", "c9"),))]
    run = made.run(("ke",))
    report = await collected(sqlite_store, run, made.dataset(*QUESTIONS), cells, [])
    (used,) = report.use
    assert (used.chunks, used.use.duplication) == (None, {1: 1})
    assert not [score for score in report.scores if score.metric == "chunk_usage"]


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
