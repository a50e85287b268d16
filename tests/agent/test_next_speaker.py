"""Who speaks next: addressed, concerned, or by turn."""

from __future__ import annotations

import pytest

from offbook.agent.next_speaker import Line, next_speakers

PEOPLE = {
    "anne": ("Anne", "Anne Elliot", "Miss Elliot"),
    "captain": ("Captain Wentworth", "Frederick", "Frederick Wentworth"),
    "walter": ("Sir Walter", "Sir Walter Elliot"),
}
ANNE, CAPTAIN = Line("Anne", "It is late.", "anne"), Line("Frederick", "It is.", "captain")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Frederick, where were you?", ("captain",)),
        ("And where were you, Captain Wentworth?", ("captain",)),
        ("Tell me, Anne, was he there?", ("anne",)),
        ("Hello Anne!", ("anne",)),
        ("Walter. Come here.", ("walter",)),
        ("Frederick and Anne, how did you meet?", ("captain", "anne")),
        ("How did you two meet?", ("walter", "anne", "captain")),
        ("What is there to say of Wentworth?", ("captain",)),
        ("anne, are you there?", ("anne",)),
        # Two of them are called Elliot: that alone names neither.
        ("Elliot, are you there?", ("captain",)),
        ("And why do you say so?", ("captain",)),
        ("The carriage is here.", ("walter",)),
        ("The planned annexe is annealed.", ("walter",)),
    ],
)
def test_what_the_person_says_goes_to_whom_it_is_for(said, expected):
    assert next_speakers(PEOPLE, [ANNE, CAPTAIN, Line("", said)]) == expected


def test_a_character_is_answered_by_another_whom_it_addresses_or_who_is_next_by_turn():
    ask = Line("Anne", "Sir Walter, is the house let?", "anne")
    assert next_speakers(PEOPLE, [CAPTAIN, ask]) == ("walter",)
    assert next_speakers(PEOPLE, [CAPTAIN, ANNE]) == ("walter",)
    own = Line("Anne", "I, Anne Elliot, say no.", "anne")
    assert next_speakers(PEOPLE, [CAPTAIN, own]) == ("walter",), "nobody answers themselves"
    lines = [Line("", f"Line {n}.", each) for n, each in enumerate(("walter", "captain", "anne"))]
    assert next_speakers(PEOPLE, lines) == ("walter",)


def test_the_first_begins():
    assert next_speakers(PEOPLE, []) == ("anne",)


def test_long_speeches_are_read_at_their_ends():
    long = "It is a long story. " * 100_000
    assert next_speakers(PEOPLE, [Line("", f"{long} What do you say, Frederick?")]) == ("captain",)
