"""Names in a question: any case and accents, whole words, longest first, in any script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.retrieval.name_table import NameTable, atoms, key_of

NAMES = [
    "Mr. Bennet",
    "Miss Bennet",
    "Miss Bennet",
    "Will",
    "D’Artagnan",
    "李白",
    "Don",
    "Edmond Dantès",
    "the Bishop",
    "Hope",
    "김철수",
    "アン",
    "Queen's Gambit",
    "Bennet",
    "Ann Lee of York",
    "Tom Ann Lee",
]
TABLE = NameTable((name, at) for at, name in enumerate(NAMES))


def found(question: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(name.text, name.entities) for name in TABLE.find(question)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Do you know MR BENNET'S wife?", [("MR BENNET", (0,))]),
        ("is mr. bennet rich?", [("mr. bennet", (0,))]),
        ("Bennets and Bennetton", []),
        ("Who is bennet?", [("bennet", (13,))]),
        ("edmond dantes?", [("edmond dantes", (7,))]),
        ("EDMOND DANTE\u0300S?", [("EDMOND DANTÈS", (7,))]),
        ("Did d'artagnan win?", [("d'artagnan", (4,))]),
        ("The bishop came.", [("bishop", (8,))]),
        ("a queen’s gambit", [("queen’s gambit", (12,))]),
        ("Edmond, Dantès is late", []),
        ("Edmond\nDantès", []),
    ],
)
def test_case_accents_and_whole_words(question, names):
    assert found(question) == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("你认识李白吗", [("李白", (5,))]),
        ("김철수는 누구인가요?", [("김철수", (10,))]),
        ("アンは誰ですか", [("アン", (11,))]),
        ("アンドレは誰ですか", []),
    ],
)
def test_scripts_without_blanks_are_searched_anywhere(question, names):
    assert found(question) == names


def test_a_name_of_two_is_returned_for_both():
    assert found("What of Miss Bennet?") == [("Miss Bennet", (1, 2))]
    assert TABLE.lookup("MISS BENNET") == (1, 2)


def test_the_longest_wins_wherever_it_begins():
    assert found("Was Tom Ann Lee of York there?") == [("Ann Lee of York", (14,))]


@pytest.mark.parametrize(
    "question", ["Will you come?", "will you?", "I don't know", "What will be. Will it?"]
)
def test_verbs_and_contractions_are_nobody(question):
    assert found(question) == []


def test_a_function_word_with_a_capital_inside_a_question_is_a_name():
    assert found("What did Will say?") == [("Will", (3,))]


def test_an_everyday_word_is_not_sure_without_its_capital():
    (small,) = TABLE.find("What hope is there?")
    (large,) = TABLE.find("What is Hope like?")
    assert (small.sure, large.sure) == (False, True)


def test_look_up_knows_case_accents_and_articles():
    assert TABLE.lookup("edmond DANTES") == (7,)
    assert TABLE.lookup("bishop") == TABLE.lookup("The Bishop") == (8,)
    assert TABLE.lookup("Nobody") == ()
    assert TABLE.lookup("") == ()


def test_a_blank_or_enormous_name_is_no_harm():
    table = NameTable([("", 0), ("  ", 1), ("word " * 2000, 2), ("...", 3)])
    assert table.find("word word word") == []
    assert table.lookup("word " * 2000) == (2,)
    assert table.lookup("...") == ()


def test_possessives_and_contractions_leave_the_name():
    assert [atom.text for atom in atoms("Tom's they'll O'Brien")] == ["tom", "they", "o", "brien"]


PEOPLE = [
    "Mr. Hugh Lane",
    "Captain Ahab",
    "King of France",
    "The Light of Skerry",
    "Lady Anne of York",
    "Long John Silver",
    "Родион Романович Раскольников",
    "王夫人",
    "Mr. Bell",
    "夏目漱石",
]


@pytest.mark.parametrize(
    ("part", "people"),
    [
        ("Hugh", [0]), ("Mr. Lane", [0]), ("lane", [0]), ("Ahab", [1]), ("Lady Anne", [4]),
        ("Silver", [5]), ("John", [5]), ("Родион Романович", [6]), ("Раскольников", [6]),
        ("漱石", [9]), ("Bell", [8]),
        ("Mr.", []), ("the captain", []), ("France", []), ("the light", []), ("Skerry", []),
        ("York", []), ("Lady York", []), ("Long", []), ("夫人", []), ("Mrs. Lane", []),
    ],
)  # fmt: skip
def test_a_part_of_a_name_is_a_name_and_no_title_place_or_noun(part, people):
    table = NameTable((name, at) for at, name in enumerate(PEOPLE))
    assert list(table.bearing(part)) == people


@pytest.mark.parametrize(
    ("part", "people"),
    [
        ("Prof. Lane", [0]), ("Monsieur Silver", [5]), ("Captain Bell", [8]), ("Mrs. Lane", []),
        ("Madame Bell", []), ("King Silver", []), ("Lady York", []), ("Professor", []),
    ],
)  # fmt: skip
def test_a_title_that_no_name_has_is_left_out_where_it_is_no_other_persons(part, people):
    table = NameTable((name, at) for at, name in enumerate(PEOPLE))
    assert list(table.bearing(part)) == people


words = st.text(st.sampled_from("abéŸ李김 ア'-.’"), max_size=12)


@given(st.lists(words, max_size=6), words)
def test_what_is_found_is_written_there_and_never_overlaps(names, question):
    table = NameTable((name, at) for at, name in enumerate(names))
    end = 0
    for name in table.find(question):
        composed = unicodedata.normalize("NFC", question)
        assert composed[name.start : name.start + len(name.text)] == name.text
        assert name.start >= end
        end = name.start + len(name.text)
        assert {key_of(names[at]) for at in name.entities} == {name.key}


@given(words)
def test_every_name_is_found_by_itself_in_any_case(name):
    table = NameTable([(name, 0)])
    expected = (0,) if key_of(name) else ()
    assert table.lookup(name) == table.lookup(name.swapcase()) == expected
