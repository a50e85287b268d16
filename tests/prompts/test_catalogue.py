"""What holds for every prompt that exists."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import offbook.prompts
from offbook.prompts import lock
from offbook.prompts.catalogue import ALL
from offbook.prompts.lock import locked
from offbook.prompts.prompt import Json, Prompt, Text, render, wording
from tests.models import fakes  # noqa: F401 -- what a text is
from tests.sizes import examples

PROMPTS = pytest.mark.parametrize("prompt", ALL, ids=[prompt.label for prompt in ALL])
PLAIN = st.text(min_size=1, max_size=200).map(str.strip).filter(bool)


def answers(prompt: Prompt[Any, Any]):
    """Values that the prompt's answer may have."""
    match prompt.answer:
        case Text():
            return PLAIN
        case Json(model=model):
            return st.from_type(model)
    raise AssertionError(f"no strategy for the answers of {prompt!r}")


@PROMPTS
@given(data=st.data())
@settings(max_examples=examples(40))
def test_reads_what_it_writes(prompt, data):
    value = data.draw(answers(prompt))
    assert prompt.answer.parse(prompt.answer.write(value)) == value


@PROMPTS
@given(data=st.data())
@settings(max_examples=15)
def test_any_inputs_can_be_put_into_words(prompt, data):
    messages = render(prompt, data.draw(st.from_type(prompt.inputs)))
    assert messages[-1].role == "user"
    assert messages[-1].content


@PROMPTS
def test_the_wording_mentions_declared_inputs_only(prompt):
    assert "user" in wording(prompt).blocks


@PROMPTS
def test_says_where_it_comes_from_and_is_locked(prompt):
    assert prompt.source
    assert prompt.label in locked()


@PROMPTS
def test_replies_are_not_kept_and_what_is_kept_is_not_random(prompt):
    if prompt.cacheable:
        # A judge rates at 0.2, as RoleRAG's does: its first answer is kept like any other.
        assert prompt.parameters["temperature"] == (0.2 if prompt.role == "judge" else 0.0)
        assert prompt.role != "actor"


def test_names_are_unique():
    assert len({prompt.name for prompt in ALL}) == len(ALL)


def test_no_prompt_is_missing_in_the_catalogue():
    defined = {
        value.label
        for module in pkgutil.iter_modules(offbook.prompts.__path__, "offbook.prompts.")
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Prompt)
    }
    assert defined == {prompt.label for prompt in ALL}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "greet.v1.jinja").write_text("Hello.\n", encoding="utf-8")
    assert lock.main([], tmp_path) == 0
    return tmp_path


def test_every_wording_is_as_it_was_locked():
    changed = lock.differences()
    assert changed == {}, "a wording changed: add a version, then `python -m offbook.prompts.lock`"


def test_a_new_wording_is_added(folder):
    (folder / "stage" / "greet.v2.jinja").write_text("Good day.", encoding="utf-8")
    assert lock.differences(folder) == {"greet.v2": "added"}
    assert lock.main([], folder) == 0
    assert lock.differences(folder) == {}


def test_a_changed_wording_is_refused_unless_it_was_never_released(folder, capsys):
    (folder / "stage" / "greet.v1.jinja").write_text("Hullo.", encoding="utf-8")
    assert lock.main([], folder) == 1
    assert "greet.v1 changed" in capsys.readouterr().err
    assert lock.differences(folder) == {"greet.v1": "changed"}
    assert lock.main(["--replace", "greet.v1"], folder) == 0
    assert lock.differences(folder) == {}


def test_a_wording_that_is_gone_is_refused(folder):
    (folder / "stage" / "greet.v1.jinja").unlink()
    assert lock.differences(folder) == {"greet.v1": "gone"}
    assert lock.main([], folder) == 1


def test_line_ends_of_the_checkout_do_not_matter(folder):
    (folder / "stage" / "greet.v1.jinja").write_bytes(b"Hello.\r\n")
    assert lock.differences(folder) == {}


def test_two_files_of_one_name_are_a_mistake(folder):
    (folder / "greet.v1.jinja").write_text("Hi.", encoding="utf-8")
    with pytest.raises(ValueError, match="greet"):
        lock.digests(folder)
