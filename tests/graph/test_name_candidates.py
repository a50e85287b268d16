"""Candidates by name: which, how many, and that later rows do not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.name_candidates import candidates_by_name
from offbook.types import RawEntity
from tests.waiting import work_is_linear

NAMES = st.sampled_from(
    [
        "Hetty Wren",
        "Hetty",
        "my dear Hetty",
        "Harriet",
        "Miss Wren",
        "Mrs. Wren",
        "Mr. Wren",
        "Wren",
        "my father",
        "Tom Lane",
        "the Admiral",
        "Admiral Lane",
        "that man",
        "孙悟空",
        "?",
    ]
)
TOLD = st.sampled_from(
    ["", "Said by Tom Wren: come", "Known as Hetty.", "Said by Ida: no", "Alias Tom Lane."]
)
ENTITIES = st.lists(st.tuples(NAMES, TOLD), max_size=30).map(
    lambda rows: [
        RawEntity(str(row), "c", row, name, "character", told)
        for row, (name, told) in enumerate(rows)
    ]
)


def entities(*names):
    return [
        RawEntity(str(row), "c", row, name, "character", told)
        for row, (name, told) in enumerate(n if isinstance(n, tuple) else (n, "") for n in names)
    ]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Hetty Wren", "Hetty"),
        ("Harriet Wren", "Hetty"),
        ("H. Wren", "Harriet Wren"),
        ("Harriet Wren", "Miss Wren"),
        ("Mr. Wren", "old Wren"),
        ("Admiral Lane", "the Admiral"),
        ("the Duke of Low Water", "Low Water"),
        ("Low Water", "the Duke of Low Water"),
        (("Mr. Wren", ""), ("my father", "Said by Tom Wren: he comes")),
        (("my father", "Said by Tom Wren: he comes"), ("Mr. Wren", "")),
        (("the Fox", ""), ("Tom Lane", "A smuggler, known as the Fox.")),
        (("Tom Lane", "A smuggler, known as the Fox."), ("the Fox", "")),
        ("the matron", "the matron of the asylum"),
        ("Low Farm", "the Low Farm"),
        ("Zorbalina Wren", "Zorb"),
        ("Dmitri Lane", "Mitenka"),
        ("林黛玉", "黛玉"),
    ],
)
def test_names_that_may_be_one_are_found(earlier, later):
    assert candidates_by_name(entities("Someone Else", earlier, "Other", later), 3)[3] == (1,)


@pytest.mark.parametrize(
    ("earlier", "later"), [("Tom Lane", "Hetty Wren"), ("Mr. Wren", "Mrs. Wren"), ("Ida", "Tom")]
)
def test_names_that_cannot_are_not(earlier, later):
    assert candidates_by_name(entities(earlier, later), 3) == [(), ()]


def test_a_known_name_is_not_looked_up_again():
    assert candidates_by_name(entities("Hetty Wren", "Hetty", "Hetty"), 3)[2] == ()


def test_forms_of_one_name_do_not_crowd_out_others():
    rows = entities("Wren", "dear Hetty", "poor Hetty", "my Hetty", "old Hetty", "Hetty Wren")
    assert 0 in candidates_by_name(rows, 3)[5]


@given(ENTITIES, st.integers(0, 4))
def test_only_earlier_rows_at_most_k_each_once(rows, k):
    found = candidates_by_name(rows, k)
    assert len(found) == len(rows)
    for row, candidates in enumerate(found):
        assert len(candidates) <= k
        assert len(set(candidates)) == len(candidates)
        assert all(0 <= earlier < row for earlier in candidates)


@given(ENTITIES, st.data())
def test_what_a_row_gets_depends_on_no_later_row(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    assert candidates_by_name(rows[:cut], 3) == candidates_by_name(rows, 3)[:cut]


def many(count):
    surnames = [a + b + c for a in ("Ba", "Lo", "Ri") for b in ("lun", "ter") for c in ("ax", "os")]
    return entities(
        *(
            (f"{title}{surnames[n % 12]}{n // 40}", f"Said by Tom {surnames[n % 7]}: he came")
            for n in range(count)
            for title in ("Hetty ", "Mr. ")
        )
    )


@pytest.mark.long
def test_work_grows_about_linearly():
    rows = {count: many(count) for count in (500, 4_000)}
    assert work_is_linear(lambda count: candidates_by_name(rows[count], 3), 500)
