"""What passages reveal, by rules: of the character, for the question, in any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.prompts.traits import AttributesInputs, PassageInputs
from offbook.rules.traits import extract_attributes, index_traits, reveals_trait

NAME, HEAD = "Nora Quill", "Nora Quill, Later years"
WAITS = "Nora waited eleven months for the answer. She never wrote a second letter."
PLACE = "The lock lies below the mill. It has two gates of oak and a cottage beside it."
OTHER = "Tobias shouted at the bargemen. Tobias struck the table and cursed the squire in his fury."
GIVES = "Nora gave her coat to a beggar and paid his supper. She would take no thanks."
FAIR = (
    "Nora swore to keep her promise to Tobias. She believed that a debt must be paid, poor or rich."
)
ZH = "诺拉等了十一个月，从不催促。她把外套送给了乞丐。"


def reveals(question: str, passage: str, name: str = NAME) -> bool:
    return reveals_trait(PassageInputs(name, HEAD, passage, question)).reveals


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Are you patient?", WAITS),
        ("Are you generous to strangers?", GIVES),
        ("Do you keep your promises?", FAIR),
        ("Are you a patient person?", WAITS.replace("Nora", "I").replace("She", "I")),
        ("Are you patient?", WAITS.replace("Nora", "{{char}}")),
    ],
)
def test_a_deed_reveals_what_is_asked_for(question, passage):
    assert reveals(question, passage)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Are you patient?", PLACE),
        ("Are you jealous?", WAITS),
        ("Do you lose your temper?", OTHER),
        ("Are you patient?", "* * *"),
        ("Are you patient?", ""),
        ("", WAITS),
    ],
)
def test_what_shows_nothing_of_the_character_does_not(question, passage):
    assert not reveals(question, passage)


def test_what_a_passage_reveals_is_its_own_sentences():
    found = index_traits(PassageInputs(NAME, HEAD, f"{WAITS} {FAIR} {PLACE}"))
    assert found.reveals
    assert 1 <= len(found.attributes) <= 4
    assert all(attribute.text in f"{WAITS} {FAIR}" for attribute in found.attributes)
    kinds = {attribute.kind for attribute in found.attributes}
    assert kinds == {"belief_and_value", "psychological_trait"}


@pytest.mark.parametrize("passage", [PLACE, "", "* * *", "# A heading"])
def test_of_a_place_nothing_is_listed(passage):
    found = index_traits(PassageInputs(NAME, HEAD, f"Nora Quill. {passage}" if passage else ""))
    assert found.attributes == []
    assert not found.reveals


def test_attributes_are_those_that_bear_on_the_question():
    passages = tuple(f"{HEAD}\n{text}" for text in (PLACE, WAITS, FAIR))
    found = extract_attributes(AttributesInputs(NAME, "Are you patient?", passages))
    assert "eleven months" in found.psychological_traits
    assert "gates of oak" not in found.belief_and_values + found.psychological_traits
    fair = extract_attributes(AttributesInputs(NAME, "Do you keep your promises?", passages))
    assert "swore" in fair.belief_and_values


def test_nothing_that_bears_leaves_both_empty():
    found = extract_attributes(AttributesInputs(NAME, "Are you jealous?", (PLACE,)))
    assert (found.belief_and_values, found.psychological_traits) == ("", "")


def test_a_sentence_is_told_once():
    found = extract_attributes(AttributesInputs(NAME, "Are you patient?", (WAITS, WAITS)))
    assert found.psychological_traits.count("eleven months") == 1


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_has_an_answer_and_always_the_same(passage, question, name):
    told = PassageInputs(name, "", passage, question)
    assert reveals_trait(told) == reveals_trait(told)
    found = index_traits(told)
    assert found.reveals == bool(found.attributes)
    kept = " ".join(passage.split())
    assert all(attribute.text in kept for attribute in found.attributes)
    extract_attributes(AttributesInputs(name, question, (passage,)))
