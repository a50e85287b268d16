"""The suffix of a file is its format."""

from pathlib import Path

import pytest

from offbook.errors import UsageError
from offbook.graph.drawing.formats import writer_for
from tests.graph.drawing import graphs


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.html", "<!doctype html>"), ("a.b.GraphML", "<?xml"), ("a.JSON", "{")],
)
def test_a_known_suffix_finds_its_writer(name, begins):
    made = graphs.small()
    assert writer_for(Path(name))(made.graph, "Mara", made.quotes).startswith(begins)


@pytest.mark.parametrize("name", ["a", "a.png", ".html", "html", "a.html.gz"])
def test_another_one_is_refused_and_the_three_are_named(name):
    with pytest.raises(UsageError) as caught:
        writer_for(Path(name))
    assert repr(name) in caught.value.message
    assert caught.value.hint == "let it end in .html, .graphml or .json"
