"""Sets of rows: nothing is lost, and a person's word keeps apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.linking import Links


def test_a_star_of_aliases_loses_no_member():
    links = Links(["a", "b", "c", "d"])
    assert links.join(0, 1)
    assert links.join(0, 3)
    assert links.sets() == [[0, 1, 3], [2]]


def test_those_told_apart_never_meet_not_even_by_a_detour():
    links = Links(["ann", "bell", "anna", "ann"], [("anna", "bell")])
    assert links.join(0, 1)
    assert not links.join(0, 2)
    assert not links.join(2, 1)
    assert links.join(3, 2), "another mention of the name is another row"
    assert not links.join(3, 0)
    assert links.sets() == [[0, 1], [2, 3]]


@given(st.data())
def test_sets_are_the_connected_parts(data):
    count = data.draw(st.integers(1, 30))
    row = st.integers(0, count - 1)
    joined = data.draw(st.lists(st.tuples(row, row), max_size=40))
    links = Links([str(n) for n in range(count)])
    for a, b in joined:
        assert links.join(a, b)
    parts = [{n} for n in range(count)]
    for a, b in joined:
        one = next(p for p in parts if a in p)
        other = next(p for p in parts if b in p)
        if one is not other:
            parts.remove(other)
            one |= other
    assert links.sets() == sorted(sorted(part) for part in parts)
    assert all(links.root(n) == min(next(p for p in parts if n in p)) for n in range(count))
