from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.evaluation.matching import differences, same_request
from offbook.evaluation.record import ModelNamed, Variant
from tests.evaluation import made

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
    assert differences(OLD, other) == []
    assert same_request(OLD, other)


@pytest.mark.parametrize("changes", [{"limit": 9}, {"limit": None}, {"repeats": 3}])
def test_a_run_may_grow(changes):
    assert differences(OLD, replace(OLD, **changes)) == []


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
    (found,) = differences(OLD, replace(OLD, **changes))
    assert found.startswith(told)


def test_another_model_is_another_run():
    models = {"judge": ModelNamed("other", "http://127.0.0.1:1/v1")}
    (found,) = differences(OLD, replace(OLD, models=models))
    assert "judge-7b at http://127.0.0.1:1/v1 -> other at" in found


def test_another_setting_of_a_method_is_another_run():
    old = replace(OLD, variants=(Variant("a", "a", "default", {"a.k": 3}),))
    new = replace(OLD, variants=(Variant("a", "a", "faithful", {"a.k": 4}),))
    assert differences(old, new) == [
        "the preset of a default -> faithful",
        "a: setting a.k 3 -> 4",
    ]
    assert same_request(old, new), "a person would take the one for the other"
    assert not same_request(OLD, new)
    assert differences(OLD, new)[0].startswith("the methods naive, vanilla -> a")
