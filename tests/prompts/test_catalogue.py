"""What holds for every prompt that exists."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import offbook.prompts
from offbook.prompts.answers import Choice, Json, Text
from offbook.prompts.catalogue import ALL
from offbook.prompts.lock import locked
from offbook.prompts.prompt import Prompt, render, wording
from offbook.types import Message

PROMPTS = pytest.mark.parametrize("prompt", ALL, ids=[prompt.label for prompt in ALL])
# No answer holds what no database takes.
STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
PLAIN = st.text(min_size=1, max_size=200).map(str.strip).filter(bool)

st.register_type_strategy(str, st.text(STORABLE))
st.register_type_strategy(
    Message, st.builds(Message, st.sampled_from(["user", "assistant"]), st.text(max_size=20))
)


def answers(prompt: Prompt[Any, Any]):
    """Values that the prompt's answer may have."""
    match prompt.answer:
        case Text():
            return PLAIN
        case Choice(options=options):
            return st.sampled_from(options)
        case Json(model=model):
            return st.from_type(model)
    raise AssertionError(f"no strategy for the answers of {prompt!r}")


@PROMPTS
@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_reads_what_it_writes(prompt, data):
    value = data.draw(answers(prompt))
    assert prompt.answer.parse(prompt.answer.write(value)) == value


@PROMPTS
@given(data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
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
