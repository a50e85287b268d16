from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation.variants import Asked, methods_named

NAMES = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
SETTINGS = st.dictionaries(
    st.builds("{}.{}".format, NAMES, NAMES), st.from_regex(r"[A-Za-z0-9.-]{1,6}", fullmatch=True)
)


def test_methods_and_settings_are_read():
    assert methods_named(["naive, amadeus[amadeus.gs=off; k=5],rolerag"]) == (
        Asked("naive"),
        Asked("amadeus", {"amadeus.gs": "off", "amadeus.k": "5"}),
        Asked("rolerag"),
    )
    assert methods_named(["naive", "amadeus[preset=faithful]"])[1].settings == {
        "preset": "faithful"
    }
    assert methods_named([]) == ()


@given(st.lists(st.builds(Asked, NAMES, SETTINGS), max_size=4, unique_by=lambda a: a.label))
def test_labels_are_read_as_the_methods_they_stand_for(asked: list[Asked]):
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
