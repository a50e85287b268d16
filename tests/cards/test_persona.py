import pytest

from offbook.cards import (
    MacroValues,
    lore_document,
    persona_document,
    voice_samples,
)
from offbook.cards.lorebook import Lorebook
from offbook.cards.persona import strip_markup, told_text
from offbook.documents.sections import speech_samples
from tests.cards.generator import book, entry, read_raw, v1, v2, v3
from tests.waiting import work_below


def card(raw):
    return read_raw(raw).card


DIALOGUE = """<START>
{{user}}: Is it late?
{{char}}: It is always late.
Look at the *moon*.
<start>
Mira Vale: Sit down.
Sam: No.
<BOT>: It is always late.
Note: this is no speaker.
"""


def test_a_document_has_what_is_about_the_character_and_nothing_else():
    raw = v2(
        system_prompt="SYSTEM",
        post_history_instructions="AFTER",
        creator_notes="NOTES",
        creator="CREATOR",
        tags=["TAGS"],
        mes_example=DIALOGUE,
    )
    document = persona_document(card(raw), user="Sam")
    assert document.startswith(
        "# Mira Vale\n\nMira Vale keeps the tide tables of Harrow Point.\n\n## Personality\n"
    )
    assert "## Scenario\n\nSam has missed the ferry." in document
    for word in ("SYSTEM", "AFTER", "NOTES", "CREATOR", "TAGS", "{{", "The next one goes"):
        assert word not in document


def test_examples_become_a_section_from_which_the_voice_is_taken():
    document = persona_document(card(v2(mes_example=DIALOGUE)))
    said = speech_samples(document, 8)
    assert said[0] == "It is always late. Look at the *moon*."
    assert "Is it late?" not in said


def test_the_voice_is_what_the_character_says():
    made = card(v2(mes_example=DIALOGUE))
    assert voice_samples(made, user="Sam") == (
        "It is always late. Look at the *moon*.",
        "Sit down.",
        "It is always late. Note: this is no speaker.",
    )
    assert voice_samples(made, user="Sam", limit=1) == ("It is always late. Look at the *moon*.",)
    assert voice_samples(made, limit=-1) == ()
    assert voice_samples(card(v2(mes_example=""))) == ()


def test_the_nickname_is_what_the_character_is_called():
    document = persona_document(card(v3()))
    assert "# Mira Vale\n\nMira Vale is called Mi.\n\nMi keeps the tide tables" in document


def test_a_lorebook_becomes_a_document():
    lore = Lorebook(
        book(
            entry(content="@@depth 4\n{{char}} waits.", name="Waiting"),
            entry(content="x", enabled=False),
            entry(content="# Big\nShips."),
        )
    )
    assert lore_document(lore, MacroValues("Mira")) == (
        "# Harrow\n\n## Waiting\n\nMira waits.\n\n## ferry\n\n### Big\nShips.\n"
    )
    assert lore_document(Lorebook({"entries": []}), MacroValues("Mira")) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <b>b</b> <br/>c", "a b c"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("<!-- x -->a<!-- open", "a<!-- open"),
        ("<SCRIPT src=x>a</script >b<style>c", "bc"),
        ("<3 <user>", "<3 "),
        ("a<style>x</style>", "a"),
    ],
)
def test_markup_is_taken_out(text, expected):
    assert strip_markup(text) == expected


@pytest.mark.parametrize(
    ("hostile", "left"),
    [
        ("<!--" * 200_000, 800_000),
        ("<script>" * 100_000, 0),
        ("<script>" * 100_000 + "</script>", 0),
        ("<a " * 200_000, 600_000),
        ("<" * 500_000, 500_000),
        ("</" * 300_000, 600_000),
    ],
    ids=["comments", "scripts", "one closed", "tags", "signs", "ends"],
)
def test_hostile_markup_takes_little_time(hostile, left):
    with work_below(5):
        assert len(strip_markup(hostile)) == left


def test_a_name_of_several_lines_stays_one_heading():
    assert persona_document(card(v1(name="A\n# B\0"))).splitlines()[0] == "# A # B"
    assert persona_document(card(v1(name="###"))).splitlines()[0] == "# Unnamed"


LORE_TOLD = [
    (
        '{{user}}: "What is the Sound?"\n{{char}}: *She looks out.* "A strait."',
        '*She looks out.* "A strait."',
    ),
    ('{{user}}: "What is it?" {{char}}: "A strait."', '"A strait."'),
    ("<USER>: What is it?\nAnd why?\n\nIt is calm.\n<BOT>: A strait.", "It is calm.\nA strait."),
    ("Sam: What?\nMira Vale: A strait.\nGuard: Halt!", "A strait.\nGuard: Halt!"),
    # no dialogue: the person is described
    ("{{user}}: a traveller who lost the ferry", "Sam: a traveller who lost the ferry"),
    (
        '[{{char}}\'s lamp= "burns oil", "far seen"]\n[Genre: sea; Tags: storm; Home: a tower]',
        "Mira Vale's lamp: burns oil, far seen.\nHome: a tower.",
    ),
    ("[This is only a note]", "[This is only a note]"),
    ("[A: b; and no more]", "[A: b; and no more]"),
]


@pytest.mark.parametrize(("text", "expected"), LORE_TOLD)
def test_dialogue_and_lists_in_lore_are_cut_into_turns_and_facts(text, expected):
    values = MacroValues("Mira Vale", "Sam")
    assert told_text(text, values) == expected
    made = Lorebook(book(entry(content=text)))
    assert lore_document(made, values).endswith(f"{expected}\n")
