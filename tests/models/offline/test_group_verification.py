"""Whole groups: families, generations, rivals for a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.prompts.entities import Described
from offbook.rules.group_verification import partition
from offbook.rules.identity import fit
from tests.tables import cases


def described(name, told=""):
    return Described(name, "character", told)


def parts(*names):
    members = [described(n) if isinstance(n, str) else described(*n) for n in names]
    return [{members[number].name for number in part} for part in partition(members).parts]


OF_HIM = "of him / of him / of him / of him"
PAPA = ("Papa", "Said by Hetty Wren: come")
MAMMA = ("Mamma", "Said by Hetty Wren: come")
FAMILY = ("Mr. Wren", "Mrs. Wren", "Hetty Wren", "my dear Hetty", PAPA, MAMMA)
BRIDE = ("Ida Wren", "Miss Wren", "Ida", "Ida Lane", "Mrs. Lane", "Mr. Lane")
SISTERS = ("Ida Wren", "Hetty Wren", "Miss Hetty", "Mrs. Wren", "Miss Wren")
RIVALS = (
    ("Wren", OF_HIM),
    "Hugh Wren",
    ("Isaldise Wren", "Isaldise Wren poisoned the duke, so that her son should inherit."),
    ("Isaldise", "Wren had a second wife, Isaldise. / There Isaldise slept."),
    ("Madame Wren", "The horses bolted with Madame Wren and her son."),
    "Monsieur Wren",
)
OLD_AND_YOUNG = (
    "He had a son who was also called Tom Wren, and the village called the father Old Tom"
    " and the son Young Tom."
)
GENERATIONS = (
    "Mr. Tom Wren",
    ("Tom Wren", OLD_AND_YOUNG),
    ("Old Tom", f"Old Tom was a pilot. / {OLD_AND_YOUNG}"),
    ("Young Tom", f"{OLD_AND_YOUNG} / Young Tom was simply Mr. Wren from then on."),
    "Tom",
    "Mr. Wren",
)
SAYS_TWICE = "Said by Mr. Wren: sleeps"


@pytest.mark.parametrize(
    ("names", "one"),
    [
        (FAMILY, {"Mr. Wren", "Papa"}),
        (FAMILY, {"Mrs. Wren", "Mamma"}),
        (FAMILY, {"Hetty Wren", "my dear Hetty"}),
        # The eldest daughter is Miss with the surname.
        (
            ("Miss Wren", "Ida Wren", "Ida", "Hetty Wren", "Miss Hetty Wren", "Miss Hetty"),
            {"Miss Wren", "Ida Wren", "Ida"},
        ),
        # Much more is told of one of two whom a name fits.
        (
            ("Mr. Wren", ("Tom Wren", OF_HIM), ("Tom", OF_HIM), "Hugh Wren"),
            {"Mr. Wren", "Tom Wren", "Tom"},
        ),
        (("Mr. Wren", "Tom Wren", "Hugh Wren"), {"Mr. Wren"}),
        # The only one of a surname may be called by either name.
        (("Tom Wren", "Mr. Tom", "Mr. Wren", "Tom"), {"Tom Wren", "Mr. Tom", "Mr. Wren", "Tom"}),
        (("Ida Wren", "Miss Ida", "Miss Wren"), {"Ida Wren", "Miss Ida", "Miss Wren"}),
        (("Ida Wren", "Ida", "Mrs. Wren", "Mr. Wren"), {"Mrs. Wren", "Ida Wren", "Ida"}),
        (("Ida Wren", "Ida", "Mrs. Wren", "Mr. Wren", "Hetty Wren"), {"Mrs. Wren"}),
        # A bride and the wife that she becomes are one.
        (BRIDE, {"Ida Wren", "Miss Wren", "Ida", "Ida Lane", "Mrs. Lane"}),
        # Whoever speaks of a father is a son or a daughter of his.
        (
            ("Mr. Wren", "Tom Wren", "Tom", ("my father", "Said by Tom Wren: come")),
            {"Mr. Wren", "my father"},
        ),
        (
            ("Hugh Wren", "Ida Wren", ("Papa", "Said by Ida Wren: come"), "Mr. Wren"),
            {"Hugh Wren", "Papa", "Mr. Wren"},
        ),
        (
            ("Hugh Wren", "Ida Wren", ("my father", "Said by Hugh Wren: come"), "Mr. Wren"),
            {"Hugh Wren"},
        ),
        (("Mrs. Wren", "Miss Hetty", "Hetty Wren"), {"Mrs. Wren"}),
        # Few speak of themselves by name.
        (
            ("Margaret Lane", "Margaret Wren", ("Peg", "Said by Margaret Lane: no")),
            {"Margaret Wren", "Peg"},
        ),
        (("Mrs. Wren", "Ida Wren", ("dear Ida", "Said by Mrs. Wren: sleeps")), {"Mrs. Wren"}),
        (
            ("Mrs. Wren", "Ida Wren", ("dear Ida", "Said by Tom Lane: sleeps")),
            {"Mrs. Wren", "Ida Wren", "dear Ida"},
        ),
        (
            ("Mr. Wren", ("Hugh Wren", f"{SAYS_TWICE} / {SAYS_TWICE}"), "Hugh"),
            {"Mr. Wren"},
        ),
        # A given name that no list has goes to the woman who bears it.
        (RIVALS, {"Isaldise Wren", "Isaldise", "Madame Wren"}),
        (RIVALS, {"Wren", "Hugh Wren", "Monsieur Wren"}),
        # A woman who speaks of Mr. with her own surname is his wife.
        ((*SISTERS, ("Mr. Wren", "Said by Ida Wren: he comes")), {"Ida Wren", "Mrs. Wren"}),
        (
            (*SISTERS, ("Mr. Wren", "Said by Ida Wren: he comes")),
            {"Hetty Wren", "Miss Hetty", "Miss Wren"},
        ),
        (
            ("Zorblax Wren", "Hetty Wren", "Miss Hetty", "Miss Wren"),
            {"Hetty Wren", "Miss Hetty", "Miss Wren"},
        ),
        (
            ("Tobias Wren", "Count Wren", "Monsieur Tobias", "Count Lane"),
            {"Tobias Wren", "Count Wren", "Monsieur Tobias"},
        ),
        # An epithet tells namesakes apart and takes the bare name.
        (("Tobias the Great", "Tobias Helm", "Tobias"), {"Tobias the Great", "Tobias"}),
        (("Tobias the Great", "Tobias Helm", ("Tobias", OF_HIM)), {"Tobias Helm"}),
    ],
)
def test_who_is_one(names, one):
    assert one in parts(*names)


@pytest.mark.parametrize(
    ("names", "apart"),
    [
        (GENERATIONS, ("Old Tom", "Young Tom")),
        (("Mr. T. Wren", "Mr. Tom Wren", "Mr. Titus Wren"), ("Mr. Tom Wren", "Mr. Titus Wren")),
        (("Hugh Lane", "old Mr. Hugh", "young Mr. Hugh"), ("old Mr. Hugh", "young Mr. Hugh")),
        (("Ida Lane", "Miss Ida", "Mrs. Ida"), ("Miss Ida", "Mrs. Ida")),
        (("Ida", "Ida Wren", "Mrs. Ida Lane"), ("Ida Wren", "Mrs. Ida Lane")),
        (("Ida Wren", "Mrs. Lane", "Ida Lane"), ("Ida Wren", "Ida Lane")),
        (("Mr. Wren", "Tom Wren", "Hugh Wren"), ("Tom Wren", "Hugh Wren")),
        ((*SISTERS, ("Mr. Wren", "Said by Tom Lane: he comes")), ("Ida Wren", "Mrs. Wren")),
    ],
)
def test_who_is_two(names, apart):
    assert not any(part >= set(apart) for part in parts(*names))


def test_one_person_under_many_names_stays_whole():
    assert len(parts("Hetty Wren", "dear Hetty", "Miss Wren", "Harriet", "Miss Harriet Wren")) == 1
    assert any({"Old Tom", "Mr. Tom Wren"} <= part for part in parts(*GENERATIONS))


@pytest.mark.parametrize(("names", "told"), cases(__file__, "the reason says why"))
def test_the_reason_says_why(names, told):
    assert told in partition(list(map(described, names))).reason


NAMES = (
    *("Hetty Wren", "Hetty", "Miss Wren", "Mrs. Wren", "Mr. Wren", "Wren", "Tom Wren", "Mr. Tom"),
    *("Hugh Wren", "my father", "Mamma", "the Captain", "Captain Wren"),
)
SAID = ("", "Said by Tom Wren: go", "Said by Ida: go / Said by Hetty Wren: no")
MEMBERS = st.lists(
    st.builds(described, st.sampled_from(NAMES), st.sampled_from(SAID)),
    min_size=1,
    max_size=9,
    unique=True,
)


@given(MEMBERS, st.randoms(use_true_random=False))
def test_it_is_a_partition_and_the_order_of_members_is_no_matter(members, random):
    found = partition(members)
    assert sorted(n for part in found.parts for n in part) == list(range(len(members)))
    assert all(list(part) == sorted(part) for part in found.parts)
    shuffled = list(members)
    random.shuffle(shuffled)

    def sets(of):
        return {frozenset(of[n] for n in part) for part in partition(of).parts}

    assert sets(members) == sets(shuffled)


def test_the_bare_name_of_a_ruler_is_not_the_daughters_who_is_named_beside_her():
    borne = "By then Arsinoe had borne a girl, Arsinoe Phila II."
    members = [
        described("Arsinoe", "Arsinoe ruled. / Arsinoe sailed. / Arsinoe wrote."),
        described("Arsinoe IV Philopator", "Arsinoe IV Philopator sailed."),
        described("Arsinoe IV", "Arsinoe IV was born in 68 BC to a pharaoh."),
        described("Arsinoe Phila II", f"{borne} / Arsinoe Phila II wed."),
        described("Phila", "Phila was sent to Rome."),
    ]
    found = partition(members, "Arsinoe").parts
    assert (0, 1, 2) in found
    assert (3, 4) in found
    one, other = described("Arsinoe", "Arsinoe sailed."), described("Arsinoe Phila II", borne)
    assert fit(one, other).conflict
    assert fit(other, one) == fit(one, other)
    assert fit(one, described("Arsinoe Phila II", "Arsinoe Phila II wed.")).strength > 0


GREY, WHITE, GREAT, HELM = "Tobias the Grey", "Tobias the White", "Tobias the Great", "Tobias Helm"


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (GREY, WHITE, "Tobias the Grey fell and became Tobias the White."),
        ("Tobias the Bald", "Tobias the Dane", "Tobias the Bald, also known as Tobias the Dane."),
        (GREAT, HELM, "Tobias the Great, born Tobias Helm, ruled."),
        (GREAT, HELM, "Tobias the Great was born Tobias Helm."),
        ("Tobias Hugovich", "Tobias the Cruel", "Tobias Hugovich, called Tobias the Cruel."),
    ],
)
def test_a_text_that_gives_one_as_a_name_of_the_other_outweighs_an_epithet(one, other, told):
    assert parts((one, told), other) == [{one, other}]
    assert parts(other, (one, told), "Tobias") == [{one, other, "Tobias"}]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (GREAT, HELM, "Tobias the Great ruled, and Tobias Helm slept."),
        (GREAT, HELM, "Tobias the Great was born in Tobias Helm's house."),
        (GREY, WHITE, "Tobias the Grey became king."),
        (GREY, WHITE, ""),
    ],
)
def test_epithets_tell_apart_where_no_text_says_otherwise(one, other, told):
    assert {one} in parts((one, told), other)
