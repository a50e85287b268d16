from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from offbook.documents.chunking import CHUNKINGS, make_splitter
from offbook.errors import ConfigurationError, UnknownName
from tests.documents.texts import document


def embed(texts: list[str]) -> NDArray[np.float32]:
    return np.full((len(texts), 2), 0.5**0.5, dtype=np.float32)


@pytest.mark.parametrize("name", CHUNKINGS)
def test_every_splitter_is_made_by_name_and_splits(name: str):
    splitter = make_splitter(name, {}, embed)
    text = "# A\nSome text. It is here.\n"
    made = splitter.split(document(text))
    assert splitter.name == name
    assert {chunk.chunking for chunk in made} == {name}
    assert splitter.parameters(document(text))["unit"] in ("characters", "tokens")
    assert "Some text. It is here." in made[0].text


def test_settings_reach_the_splitter():
    splitter = make_splitter("acts", {"alpha": 4, "limit": 100, "preset": "default"})
    assert splitter.parameters(document("x" * 500))["overlap"] == 25


def test_the_faithful_graph_chunking_is_the_window_of_the_paper():
    splitter = make_splitter("graph", {"preset": "faithful"})
    assert splitter.name == "graph"
    assert splitter.parameters(document("x")) == {"size": 600, "overlap": 100, "unit": "tokens"}
    assert "most" in make_splitter("graph").parameters(document("x"))


def test_an_unknown_name_names_the_nearest_and_the_known():
    with pytest.raises(UnknownName) as error:
        make_splitter("act")
    assert "'act'" in error.value.message
    assert "did you mean 'acts'?" in error.value.hint
    with pytest.raises(UnknownName) as error:
        make_splitter("zzzz")
    assert error.value.hint.startswith("known: acts, ats")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("acts", {"size": 5}, "no setting 'size'"),
        ("fixed", {"size": 0}, "never end"),
        ("semantic", {}, "nothing to embed"),
        ("graph", {"most": 0}, "cannot be made"),
    ],
)
def test_settings_that_do_not_fit_are_refused(name: str, values: dict[str, Any], message: str):
    with pytest.raises(ConfigurationError, match=message) as error:
        make_splitter(name, values)
    assert error.value.hint
