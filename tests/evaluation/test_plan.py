from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.evaluation.benchmark import Question, Subject
from offbook.evaluation.plan import plan, questions_of
from offbook.evaluation.record import CellKey
from tests.evaluation import made


class ByReply:
    def ready(self, key: CellKey) -> object:
        return key


class ByDimension:
    def ready(self, key: CellKey) -> object:
        return key.subject, key.variant, key.repeat, key.question[0]


SUBJECTS = (Subject("Nora Vey"), Subject("Tom Ash"))
QUESTIONS = tuple(Question(f"{d}{n}", f"{d}{n}?") for d in "ab" for n in range(5))
DATASET = made.dataset(*QUESTIONS, subjects=SUBJECTS)


def run(**changes: object) -> object:
    subjects = {"Nora Vey": "nora-vey", "Tom Ash": "tom-ash"}
    return made.run(["ke"], subjects=subjects, **changes)


def keys(run_: object, protocol: object) -> list[CellKey]:
    return list(plan(run_, DATASET, protocol).keys())  # type: ignore[arg-type]


@given(st.integers(0, 50), st.integers(1, 3), st.none() | st.integers(1, 12))
def test_every_cell_is_planned_once(seed: int, repeats: int, limit: int | None):
    for protocol in (ByReply(), ByDimension()):
        found = keys(run(seed=seed, repeats=repeats, limit=limit), protocol)
        asked = min(limit or 10, 10)
        assert len(found) == len(set(found)) == 2 * 2 * repeats * asked


def test_the_order_is_decided_by_the_seed_alone():
    assert keys(run(seed=3), ByReply()) == keys(run(seed=3), ByReply())
    assert keys(run(seed=3), ByReply()) != keys(run(seed=4), ByReply())


def test_a_question_is_put_to_all_variants_before_the_next_one():
    found = keys(run(), ByReply())
    pairs = [found[n : n + 2] for n in range(0, len(found), 2)]
    assert all((a.subject, a.question) == (b.subject, b.question) for a, b in pairs)
    assert [key.variant for key in found[:2]] == ["naive", "vanilla"]


def test_repeats_come_one_after_the_other():
    repeats = [key.repeat for key in keys(run(repeats=3), ByReply())]
    assert repeats == sorted(repeats)


def test_what_is_judged_together_is_asked_together():
    groups = plan(run(), DATASET, ByDimension()).groups  # type: ignore[arg-type]
    assert len(groups) == 2 * 2 * 2
    assert all(len({(k.subject, k.variant, k.question[0]) for k in g.keys}) == 1 for g in groups)
    assert all(len(group.keys) == 5 for group in groups)


def test_a_larger_limit_asks_what_a_smaller_one_asked():
    small, large = run(limit=3), run(limit=6)
    for subject in SUBJECTS:
        few = questions_of(small, DATASET, subject.name)  # type: ignore[arg-type]
        many = questions_of(large, DATASET, subject.name)  # type: ignore[arg-type]
        assert len(few) == 3
        assert set(few) < set(many)


def test_what_is_stored_is_not_left():
    planned = plan(run(), DATASET, ByReply())  # type: ignore[arg-type]
    done = set(list(planned.keys())[:7])
    assert planned.left(done) == planned.cells - 7


def test_a_dataset_with_one_question_twice_asks_it_once():
    twice = made.dataset(QUESTIONS[0], QUESTIONS[0])
    assert plan(made.run(["ke"]), twice, ByReply()).cells == 2  # type: ignore[arg-type]
