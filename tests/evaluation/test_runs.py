from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import (
    Part,
    Question,
    Subject,
    parts_named,
    subject_named,
)
from offbook.evaluation.record import CellKey, Variant
from offbook.evaluation.runner import plan, questions_of
from offbook.evaluation.runs import run_differences, same_request
from offbook.evaluation.variants import ChosenMethod, methods_named
from tests.app.homes import home_with, text
from tests.evaluation import made
from tests.evaluation.asked import stored_cells
from tests.evaluation.test_facade import questions

OLD = replace(
    made.run(["ke"]),
    prompts={"reply": 1},
    characters={"Nora Vey": "a" * 64},
    dataset_checksum="b" * 64,
    limit=5,
    repeats=2,
)


def test_what_is_the_same_goes_on():
    other = replace(OLD, id="x", created="later", status="stopped", offbook="9", path="elsewhere")
    assert run_differences(OLD, other) == []
    assert same_request(OLD, other)


@pytest.mark.parametrize("changes", [{"limit": 9}, {"limit": None}, {"repeats": 3}])
def test_a_run_may_grow(changes):
    assert run_differences(OLD, replace(OLD, **changes)) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"limit": 4}, "--limit 5 -> 4"),
        ({"repeats": 1}, "--repeats 2 -> 1"),
        ({"dataset_checksum": "c" * 64}, "the dataset's checksum bbbbbbbbbbbb -> cccccccccccc"),
        ({"prompts": {"reply": 2}}, "prompt reply 1 -> 2"),
        ({"prompts": {"reply": 1, "new": 1}}, "prompt new unset -> 1"),
        ({"characters": {"Nora Vey": "d" * 64}}, "what 'Nora Vey' knows"),
        ({"subjects": {"Nora Vey": "nora-vey-2"}}, "character Nora Vey nora-vey -> nora-vey-2"),
        ({"seed": 1}, "--seed 0 -> 1"),
        ({"embedder": "e"}, "the embedder builtin -> e"),
        ({"metrics": ("kh",)}, "the metrics"),
    ],
)
def test_what_differs_is_named(changes, told):
    (found,) = run_differences(OLD, replace(OLD, **changes))
    assert found.startswith(told)


def test_another_setting_of_a_method_is_another_run():
    old = replace(OLD, variants=(Variant("a", "a", "default", {"a.k": 3}),))
    new = replace(OLD, variants=(Variant("a", "a", "faithful", {"a.k": 4}),))
    assert run_differences(old, new) == [
        "the preset of a default -> faithful",
        "a: setting a.k 3 -> 4",
    ]
    assert same_request(old, new), "a person would take the one for the other"
    assert not same_request(OLD, new)
    assert run_differences(OLD, new)[0].startswith("the methods naive, vanilla -> a")


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
    return [key for group in plan(run_, DATASET, protocol) for key in group]  # type: ignore[arg-type]


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


def test_what_is_judged_together_is_asked_together():
    groups = plan(run(), DATASET, ByDimension())  # type: ignore[arg-type]
    assert len(groups) == 2 * 2 * 2
    assert all(len({(k.subject, k.variant, k.question[0]) for k in g}) == 1 for g in groups)
    assert all(len(group) == 5 for group in groups)


def test_a_larger_limit_asks_what_a_smaller_exchange_of():
    small, large = run(limit=3), run(limit=6)
    for subject in SUBJECTS:
        few = questions_of(small, DATASET, subject.name)  # type: ignore[arg-type]
        many = questions_of(large, DATASET, subject.name)  # type: ignore[arg-type]
        assert len(few) == 3
        assert set(few) < set(many)


NORA, TOM = Subject("Nora Véy", ("Miss Vey",)), Subject("Tom Ash")
OWN = made.dataset(
    Question("q1", "Who?", "Nora Véy"), Question("q2", "Who?", "Tom Ash"), subjects=(NORA, TOM)
)
ANYBODYS = made.dataset(Question("q1", "Who?"), subjects=())


def test_a_subject_is_found_by_another_name_without_accents_and_case():
    assert parts_named(OWN, ["nora vey"]) == (Part(NORA, "Nora Véy"),)
    assert parts_named(OWN, ["miss vey = nora-2"]) == (Part(NORA, "nora-2"),)


def test_anybody_is_asked_general_questions():
    assert parts_named(ANYBODYS, ["Ada"]) == (Part(Subject("Ada"), "Ada"),)
    assert subject_named(ANYBODYS, "Ada") == Subject("Ada")
    assert subject_named(OWN, "Tom Ash") is TOM


@pytest.mark.parametrize(
    ("dataset", "named", "why"),
    [
        (ANYBODYS, [], "does not say whom"),
        (OWN, ["Tom Ash", "tom ash"], "named twice"),
        (OWN, ["=x"], "names nobody"),
        (OWN, ["Tom Ash="], "names nobody"),
        (made.dataset(Question("q1", "Who?", "Tom Ash")), ["Nora Vey"], "no question for"),
    ],
)
def test_what_makes_no_sense_is_refused(dataset, named, why):
    with pytest.raises(UsageError, match=why) as caught:
        parts_named(dataset, named)
    assert caught.value.hint


def test_a_name_of_several_subjects_is_refused_and_an_own_name_goes_first():
    old, young = (
        Subject("Henry Vey the elder", ("Henry Vey", "Tom")),
        Subject("H. Vey", ("Henry Vey",)),
    )
    data = made.dataset(Question("q1", "Who?"), subjects=(old, young, Subject("Tom")))
    with pytest.raises(UsageError, match=r"several subjects: 'Henry Vey the elder', 'H\. Vey'"):
        parts_named(data, ["henry vey"])
    assert parts_named(data, ["tom"]) == (Part(Subject("Tom"), "Tom"),)
    assert parts_named(data, ["h vey"]) == (Part(young, "H. Vey"),)


def test_an_unknown_subject_names_the_nearest():
    with pytest.raises(UnknownName, match="nobody of the name 'Tom Aish'") as caught:
        parts_named(OWN, ["Tom Aish"])
    assert "'Tom Ash'" in caught.value.hint


NAMES = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
SETTINGS = st.dictionaries(
    st.builds("{}.{}".format, NAMES, NAMES), st.from_regex(r"[A-Za-z0-9.-]{1,6}", fullmatch=True)
)


def test_methods_and_settings_are_read():
    assert methods_named(["naive, amadeus[amadeus.gs=off; k=5],rolerag"]) == (
        ChosenMethod("naive"),
        ChosenMethod("amadeus", {"amadeus.gs": "off", "amadeus.k": "5"}),
        ChosenMethod("rolerag"),
    )
    assert methods_named(["naive", "amadeus[preset=faithful]"])[1].settings == {
        "preset": "faithful"
    }
    assert methods_named([]) == ()


@given(st.lists(st.builds(ChosenMethod, NAMES, SETTINGS), max_size=4, unique_by=lambda a: a.label))
def test_labels_are_read_as_the_methods_they_stand_for(asked: list[ChosenMethod]):
    assert methods_named([",".join(each.label for each in asked)]) == tuple(asked)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("naive,,b", "cannot be read"),
        ("amadeus[gs=off", "cannot be read"),
        ("amadeus[gs=off]]", "cannot be read"),
        (" ", "cannot be read"),
        ("amadeus[gs]", "sets nothing"),
        ("amadeus[=off]", "sets nothing"),
        ("naive,naive", "named twice"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, why: str):
    with pytest.raises(UsageError, match=why) as caught:
        methods_named([text])
    assert caught.value.hint


PLAIN = "# Nora Vey\n\nThe harbour has two piers.\n\nThe tide turns twice a day.\n"
REVEALING = "# Nora Vey\n\nNora Vey waited nine years for the boat and never asked for help.\n"


@pytest.mark.parametrize(
    ("method", "flags"), [("amadeus", {}), ("ensemble", {"ensemble__gs": "live"})]
)
@pytest.mark.parametrize(("persona", "expected"), [(PLAIN, True), (REVEALING, False)])
async def test_whether_guided_selection_found_nothing_is_recorded(
    tmp_path: Path, method: str, flags: dict[str, Any], persona: str, expected: bool
):
    row = {"id": "q", "question": "Are you patient?"}
    file = questions(tmp_path, [row])
    async with home_with(
        tmp_path, "Nora Vey", text("nora.md", persona), method=method, **flags
    ) as book:
        told: dict[str, Any] = {"characters": ["Nora Vey"], "path": file}
        await book.evaluation.run("file", **told)
        (cell,) = await stored_cells(book.store, "file-1")
    assert cell.fallback is expected
    assert bool(cell.selected) is (method == "amadeus" or not expected), "its stand-ins count"


@pytest.mark.parametrize(
    ("method", "flags"), [("naive", {}), ("ensemble", {}), ("amadeus", {"amadeus__gs": "off"})]
)
async def test_what_does_not_select_cannot_fall_back(
    tmp_path: Path, method: str, flags: dict[str, Any]
):
    async with home_with(
        tmp_path, "Nora Vey", text("nora.md", REVEALING), method=method, **flags
    ) as book:
        found = await book.recall("nora-vey", "Are you patient?")
    assert found.fallback is None
    assert found.selected is None
