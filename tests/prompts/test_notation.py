"""Only notation is mended; what is cut off, or would lose something, is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import IncompleteAnswer, InvalidAnswer
from offbook.prompts.notation import loads_strictly, mend_notation, spans

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=6), VALUES, max_size=4)
# Prose in front of an answer; braces would be an answer of their own.
PROSE = st.text(st.characters(exclude_characters="{}"), max_size=30)


@given(OBJECTS, PROSE, PROSE)
def test_an_object_is_found_whole_among_prose(value, before, after):
    assert [loads_strictly(span) for span in spans(before + json.dumps(value) + after)] == [value]


@given(OBJECTS)
def test_mending_leaves_what_is_right_alone(value):
    assert mend_notation(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("span", "value"),
    [
        ("{'a': 'x', 'b': [1, 2]}", {"a": "x", "b": [1, 2]}),
        ("{'a': 'it's late', 'b': 1}", {"a": "it's late", "b": 1}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
        ('{a: "x", b: 2}', {"a": "x", "b": 2}),
        ('{"a": "one\nline"}', {"a": "one\nline"}),
        ('{"a": "he said "hi" to me"}', {"a": 'he said "hi" to me'}),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}),
        ("{“a”: “x”}", {"a": "x"}),
        (r"""{'a' : 'caf\u00e9' , 'b': 'one\ntwo'}""", {"a": "café", "b": "one\ntwo"}),
    ],
)
def test_slips_of_notation_are_mended(span, value):
    assert mend_notation(span) == value
    assert list(spans(f"Here: {span}!")) == [span]


@pytest.mark.parametrize(
    "span",
    [
        '{"a": [1, ...]}',
        '{"a": [1, 2, …]}',
        '{"a": 1 /* and so on */}',
        '{"a": 1} // the rest is the same\n}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": ' * 5000 + "1" + "}" * 5000,
    ],
)
def test_what_mending_would_lose_or_add_is_refused(span):
    with pytest.raises(InvalidAnswer, match=r"not JSON|nested"):
        mend_notation(span)


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2}', '{"a": "x', "{'a': ['x', 'y", '{"a": {"b": 1}', '{"a": "x\\"}']
)
def test_brackets_and_strings_that_do_not_close_are_cut_off(text):
    with pytest.raises(IncompleteAnswer):
        list(spans(text))


def test_an_abyss_is_no_answer():
    with pytest.raises(InvalidAnswer, match="nested"):
        list(spans("{" * 5000 + "}" * 5000))


def test_brackets_in_strings_are_no_brackets():
    text = '{"a": "}]{", "b": "\\"}"}'
    assert list(spans(f"see {text} there")) == [text]
