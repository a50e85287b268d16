"""Whole groups: families, generations, rivals for a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.models.offline import group_verification
from offbook.models.offline.group_verification import partition
from offbook.models.offline.identity import fit
from offbook.prompts.described import Described


def parts(*names):
    members = [
        Described(name, "character", told)
        for name, told in (n if isinstance(n, tuple) else (n, "") for n in names)
    ]
    found = partition(members)
    return [{members[number].name for number in part} for part in found.parts]


def test_one_person_under_many_names_stays_whole():
    assert len(parts("Hetty Wren", "dear Hetty", "Miss Wren", "Harriet", "Miss Harriet Wren")) == 1


def test_a_family_is_told_apart():
    found = parts(
        "Mr. Wren",
        "Mrs. Wren",
        "Hetty Wren",
        "my dear Hetty",
        ("Papa", "Said by Hetty Wren: come"),
        ("Mamma", "Said by Hetty Wren: come"),
    )
    assert {"Mr. Wren", "Papa"} in found
    assert {"Mrs. Wren", "Mamma"} in found
    assert {"Hetty Wren", "my dear Hetty"} in found
    assert len(found) == 3


def test_the_eldest_daughter_is_miss_with_the_surname():
    found = parts("Miss Wren", "Ida Wren", "Ida", "Hetty Wren", "Miss Hetty Wren", "Miss Hetty")
    assert {"Miss Wren", "Ida Wren", "Ida"} in found


def test_a_sentence_that_names_father_and_son_does_not_make_them_one():
    told = (
        "He had a son who was also called Tom Wren, and the village called the father Old Tom"
        " and the son Young Tom."
    )
    found = parts(
        "Mr. Tom Wren",
        ("Tom Wren", told),
        ("Old Tom", f"Old Tom was a pilot. / {told}"),
        ("Young Tom", f"{told} / Young Tom was simply Mr. Wren from then on."),
        "Tom",
        "Mr. Wren",
    )
    assert not any({"Old Tom", "Young Tom"} <= part for part in found)
    assert any({"Old Tom", "Mr. Tom Wren"} <= part for part in found)


def test_only_those_of_one_given_name_are_looked_at_for_a_marriage(monkeypatch):
    seen = []

    def look(*names):
        seen.append(names)
        return False

    monkeypatch.setattr(group_verification, "is_maiden_and_wife", look)
    parts(*(f"{given} {family}" for given in ("Ida", "Ann") for family in ("Lane", "Wren")))
    assert seen
    assert all(a.given == b.given for one, other, _ in seen for a in one for b in other)


@pytest.mark.parametrize(
    ("names", "apart"),
    [
        (("Mr. T. Wren", "Mr. Tom Wren", "Mr. Titus Wren"), ("Mr. Tom Wren", "Mr. Titus Wren")),
        (("Hugh Lane", "old Mr. Hugh", "young Mr. Hugh"), ("old Mr. Hugh", "young Mr. Hugh")),
        (("Ida Lane", "Miss Ida", "Mrs. Ida"), ("Miss Ida", "Mrs. Ida")),
        (("Ida", "Ida Wren", "Mrs. Ida Lane"), ("Ida Wren", "Mrs. Ida Lane")),
        (("Ida Wren", "Mrs. Lane", "Ida Lane"), ("Ida Wren", "Ida Lane")),
    ],
)
def test_fathers_and_sons_mothers_and_daughters_are_two(names, apart):
    assert not any(part >= set(apart) for part in parts(*names))


def test_a_name_that_two_fit_alike_goes_to_neither():
    found = parts("Mr. Wren", "Tom Wren", "Hugh Wren")
    assert sorted(map(len, found)) == [1, 1, 1]


def test_much_more_is_told_of_one_of_them():
    told = "of him / of him / of him / of him"
    found = parts("Mr. Wren", ("Tom Wren", told), ("Tom", told), "Hugh Wren")
    assert {"Mr. Wren", "Tom Wren", "Tom"} in found


def test_the_only_one_of_a_surname_may_be_called_by_either_name():
    assert len(parts("Tom Wren", "Mr. Tom", "Mr. Wren", "Tom")) == 1
    assert len(parts("Ida Wren", "Miss Ida", "Miss Wren", "Ida")) == 1


def test_a_wife_who_is_the_only_woman_of_a_surname_is_one_and_a_mother_of_sisters_another():
    assert {"Mrs. Wren", "Ida Wren", "Ida"} in parts("Ida Wren", "Ida", "Mrs. Wren", "Mr. Wren")
    assert {"Mrs. Wren"} in parts("Ida Wren", "Ida", "Mrs. Wren", "Mr. Wren", "Hetty Wren")


def test_a_bride_and_the_wife_she_becomes_are_one():
    found = parts("Ida Wren", "Miss Wren", "Ida", "Ida Lane", "Mrs. Lane", "Mr. Lane")
    assert {"Ida Wren", "Miss Wren", "Ida", "Ida Lane", "Mrs. Lane"} in found


def test_the_father_is_not_one_of_the_sons():
    found = parts("Mr. Wren", "Tom Wren", "Tom", ("my father", "Said by Tom Wren: come"))
    assert {"Mr. Wren", "my father"} in found


def test_whoever_is_called_miss_is_not_also_the_wife():
    found = parts("Mrs. Wren", "Miss Hetty", "Hetty Wren")
    assert {"Mrs. Wren"} in found


def test_few_speak_of_themselves_by_name():
    found = parts("Margaret Lane", "Margaret Wren", ("Peg", "Said by Margaret Lane: no"))
    assert {"Margaret Wren", "Peg"} in found


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["Mr. Wren", "Miss Wren", "Wren"], "Mr. Wren and Miss Wren"),
        (["Hetty Wren", "Hetty Lane", "Hetty"], "different ones"),
        (["Hetty", "Hetty Wren", "poor Hetty"], "nothing speaks against"),
    ],
)
def test_the_reason_says_why(names, told):
    assert told in partition([Described(name, "character", "") for name in names]).reason


MEMBERS = st.lists(
    st.builds(
        Described,
        st.sampled_from(
            [
                "Hetty Wren",
                "Hetty",
                "Miss Wren",
                "Mrs. Wren",
                "Mr. Wren",
                "Wren",
                "Tom Wren",
                "Mr. Tom",
                "Hugh Wren",
                "my father",
                "Mamma",
                "the Captain",
                "Captain Wren",
            ]
        ),
        st.just("character"),
        st.sampled_from(["", "Said by Tom Wren: go", "Said by Ida: go / Said by Hetty Wren: no"]),
    ),
    min_size=1,
    max_size=9,
    unique=True,
)


@given(MEMBERS)
def test_it_is_a_partition(members):
    found = partition(members)
    assert sorted(n for part in found.parts for n in part) == list(range(len(members)))
    assert all(list(part) == sorted(part) for part in found.parts)


@given(MEMBERS, st.randoms(use_true_random=False))
def test_the_order_of_members_is_no_matter(members, random):
    shuffled = list(members)
    random.shuffle(shuffled)

    def sets(of):
        return {frozenset(of[n] for n in part) for part in partition(of).parts}

    assert sets(members) == sets(shuffled)


def test_a_given_name_that_no_list_has_goes_to_the_woman_who_bears_it():
    found = parts(
        ("Wren", "of him / of him / of him / of him"),
        "Hugh Wren",
        ("Isaldise Wren", "Isaldise Wren poisoned the duke, so that her son should inherit."),
        ("Isaldise", "Wren had a second wife, Isaldise. / There Isaldise slept."),
        ("Madame Wren", "The horses bolted with Madame Wren and her son."),
        "Monsieur Wren",
    )
    assert {"Isaldise Wren", "Isaldise", "Madame Wren"} in found
    assert {"Wren", "Hugh Wren", "Monsieur Wren"} in found


def test_the_bare_name_of_a_ruler_is_not_the_daughters_who_is_named_beside_her():
    members = [
        Described("Arsinoe", "character", "Arsinoe ruled. / Arsinoe sailed. / Arsinoe wrote."),
        Described("Arsinoe IV Philopator", "character", "Arsinoe IV Philopator sailed."),
        Described("Arsinoe IV", "character", "Arsinoe IV was born in 68 BC to a pharaoh."),
        Described(
            "Arsinoe Phila II",
            "character",
            "By then Arsinoe had borne a girl, Arsinoe Phila II. / Arsinoe Phila II wed.",
        ),
        Described("Phila", "character", "Phila was sent to Rome."),
    ]
    found = partition(members, "Arsinoe").parts
    assert (0, 1, 2) in found
    assert (3, 4) in found


def test_a_ruler_with_a_second_name_is_not_who_is_named_beside_her_without_it():
    told = "By then Arsinoe had borne a girl, Arsinoe Phila II."
    one = Described("Arsinoe", "character", "Arsinoe sailed.")
    other = Described("Arsinoe Phila II", "character", told)
    found = fit(one, other)
    assert found.conflict
    assert fit(other, one) == found
    assert (
        fit(one, Described("Arsinoe Phila II", "character", "Arsinoe Phila II wed.")).strength > 0
    )


@pytest.mark.parametrize("told", ["", "of him / of him / of him / of him"])
def test_an_epithet_tells_namesakes_apart_and_takes_the_bare_name(told):
    found = parts("Tobias the Great", "Tobias Helm", ("Tobias", told))
    assert {"Tobias the Great", "Tobias"} in found
    assert {"Tobias Helm"} in found


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (
            "Tobias the Grey",
            "Tobias the White",
            "Tobias the Grey fell and became Tobias the White.",
        ),
        ("Tobias the Bald", "Tobias the Dane", "Tobias the Bald, also known as Tobias the Dane."),
        ("Tobias the Great", "Tobias Helm", "Tobias the Great, born Tobias Helm, ruled."),
        ("Tobias the Great", "Tobias Helm", "Tobias the Great was born Tobias Helm."),
        ("Tobias Hugovich", "Tobias the Cruel", "Tobias Hugovich, called Tobias the Cruel."),
    ],
)
def test_a_text_that_gives_one_as_a_name_of_the_other_outweighs_an_epithet(one, other, told):
    assert parts((one, told), other) == [{one, other}]
    assert parts(other, (one, told), "Tobias") == [{one, other, "Tobias"}]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("Tobias the Great", "Tobias Helm", "Tobias the Great ruled, and Tobias Helm slept."),
        ("Tobias the Great", "Tobias Helm", "Tobias the Great was born in Tobias Helm's house."),
        ("Tobias the Grey", "Tobias the White", "Tobias the Grey became king."),
        ("Tobias the Grey", "Tobias the White", ""),
    ],
)
def test_epithets_tell_apart_where_no_text_says_otherwise(one, other, told):
    assert {one} in parts((one, told), other)


def test_the_father_of_whom_no_son_speaks_is_the_man_who_bears_the_surname():
    told = ("Papa", "Said by Ida Wren: come")
    assert {"Hugh Wren", "Papa", "Mr. Wren"} in parts("Hugh Wren", "Ida Wren", told, "Mr. Wren")
    own = ("my father", "Said by Hugh Wren: come")
    assert {"Hugh Wren"} in parts("Hugh Wren", "Ida Wren", own, "Mr. Wren")


def test_who_speaks_of_somebody_as_mrs_is_not_that_one():
    said = ("dear Ida", "Said by Mrs. Wren: sleeps")
    assert len(parts("Mrs. Wren", "Ida Wren", said)) == 2
    assert len(parts("Mrs. Wren", "Ida Wren", ("dear Ida", "Said by Tom Lane: sleeps"))) == 1


def test_who_speaks_of_somebody_twice_by_a_title_and_surname_is_not_that_one():
    told = "Said by Mr. Wren: sleeps"
    assert {"Mr. Wren"} in parts("Mr. Wren", ("Hugh Wren", f"{told} / {told}"), "Hugh")
    assert {"Mr. Wren"} not in parts("Mr. Wren", ("Hugh Wren", told), "Hugh")


def test_a_woman_who_speaks_of_mr_with_her_own_surname_is_his_wife():
    family = ["Ida Wren", "Hetty Wren", "Miss Hetty", "Mrs. Wren", "Miss Wren"]
    found = parts(*family, ("Mr. Wren", "Said by Ida Wren: he comes"))
    assert {"Ida Wren", "Mrs. Wren"} in found
    assert {"Hetty Wren", "Miss Hetty", "Miss Wren"} in found
    found = parts(*family, ("Mr. Wren", "Said by Tom Lane: he comes"))
    assert {"Ida Wren", "Mrs. Wren"} not in found


def test_miss_with_the_surname_is_no_one_of_whom_nobody_knows_whether_it_is_a_woman():
    found = parts("Zorblax Wren", "Hetty Wren", "Miss Hetty", "Miss Wren")
    assert {"Hetty Wren", "Miss Hetty", "Miss Wren"} in found


def test_a_count_is_called_by_his_given_name_behind_another_title():
    found = parts("Tobias Wren", "Count Wren", "Monsieur Tobias", "Count Lane")
    assert {"Tobias Wren", "Count Wren", "Monsieur Tobias"} in found
