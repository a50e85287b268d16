"""Third person into first: a table with a rate, and what must never happen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.character import FirstPerson, Names

NORA = Names("Nora Vey", "Nora Vey", frozenset({("nora",), ("vey",), ("nora", "vey")}), "f")

SPOKEN = {
    "Nora was born in Whitby.": "I was born in Whitby.",
    "In 1890 Nora opened a shop.": "In 1890 I opened a shop.",
    "Nora is slow to speak and hates rain.": "I am slow to speak and hate rain.",
    "Nora cannot swim and sees no reason to learn.": "I cannot swim and see no reason to learn.",
    "Nora trusts Tom, the baker, and owes him two pounds.": (
        "I trust Tom, the baker, and owe him two pounds."
    ),
    "Nora kept her tools in her father's shed.": "I kept my tools in my father's shed.",
    "Nora said that she had lost her purse.": "I said that I had lost my purse.",
    "Nora taught herself to read.": "I taught myself to read.",
    "Nora has two cats, and she feeds them.": "",
    "However, Nora loved the sea.": "However, I loved the sea.",
    "Vey never married.": "I never married.",
    "When he threatened her, Nora laughed.": "",
}
"""What is about the character alone, and what may be said of it ("": it is quoted instead)."""
QUOTED = (
    "Her aunt Ruth taught her to read.",
    "Nora and Ruth mended nets.",
    "Ruth told Nora that she had never married.",
    "Nora met Ruth, and she laughed.",
    "Nora reads to her every evening.",
    "Nora caught a chill and died in 1940.",
    "Nora was buried in Hull.",
    "Tom loved Nora.",
    "Nora's brother drowned.",
    "The Vey family lived in Hull.",
    "When she was eleven her brother fell through the ice.",
    "They travelled with Nora.",
    '"Nora is late," said Tom.',
)
"""What has another subject, or words of which it is not certain whom they mean."""


def test_most_of_what_is_about_the_character_alone_is_said_by_it_and_none_of_it_wrongly():
    speaker = FirstPerson(NORA)
    told = {text: speaker.passage([text])[0] for text in SPOKEN}
    assert all(told[text].text in (said, text) for text, said in SPOKEN.items())
    said = [text for text, wanted in SPOKEN.items() if wanted and told[text].spoken]
    assert len(said) >= 0.9 * sum(map(bool, SPOKEN.values())), said


@pytest.mark.parametrize("text", QUOTED)
def test_what_is_about_others_or_in_doubt_stays_as_it_is(text):
    (told,) = FirstPerson(NORA).passage([text])
    assert not told.spoken
    assert told.text == text


def test_a_pronoun_is_the_character_in_an_unbroken_chain_alone():
    speaker = FirstPerson(NORA)
    chained = speaker.passage(["Nora kept a shop.", "She sold clocks.", "She hated rain."])
    assert [one.text for one in chained] == ["I kept a shop.", "I sold clocks.", "I hated rain."]
    broken = speaker.passage(["Nora met Ruth in Hull.", "She sold clocks."])
    assert (broken[1].spoken, broken[1].leans) == (False, True)
    start = speaker.passage(["She sold clocks."])
    assert (start[0].spoken, start[0].about, start[0].leans) == (False, True, False)
    unknown = FirstPerson(Names("Nora", "Nora", frozenset({("nora",)})))
    assert not unknown.passage(["Nora kept a shop.", "She sold clocks."])[1].spoken


def test_what_speaks_of_i_is_the_characters_own():
    (told,) = FirstPerson(NORA).passage(["My father taught me to sail."])
    assert (told.text, told.spoken) == ("My father taught me to sail.", True)


def test_somebody_elses_he_leans_on_what_stands_before():
    texts = ["Peder let Nora row.", "When his eyes failed he sold her the ferry."]
    assert FirstPerson(NORA).passage(texts)[1].leans


@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_sentences_are_read_one_by_one(texts):
    assert len(FirstPerson(NORA).passage(texts)) == len(texts)


def test_where_another_tells_the_story_or_is_meant_nothing_becomes_first_person():
    own = FirstPerson(NORA).passage(["I rowed to the rock."])
    other = FirstPerson(NORA, narrates=False).passage(["I rowed to the rock.", "She slept."])
    assert (own[0].spoken, other[0].spoken, other[0].about) == (True, False, False)
    assert not other[1].about, "whoever tells it may be meant"
    sentences = ["She owned a boat.", "Nora owned a cart."]
    meant = FirstPerson(NORA).passage(sentences)
    of_another = FirstPerson(NORA).passage(sentences, of_another=True)
    assert (meant[0].about, of_another[0].about) == (True, False)
    assert of_another[1].text == "I owned a cart."
