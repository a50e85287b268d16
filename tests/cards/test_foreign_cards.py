"""Characters of NovelAI and Backyard AI, and files that only look like a character."""

import json

import pytest

from offbook.cards import load_asset, read_card, read_lorebook
from offbook.cards.files import CardFiles, show_file
from offbook.errors import UnreadableCard
from tests.cards.generator import picture, zipped

LORE = {"lorebookVersion": 5, "entries": [
    {"text": "The bell is of bronze.", "displayName": "Bell", "keys": ("bell",), "enabled": True,
     "forceActivation": True, "contextConfig": {"budgetPriority": 400}},
]}  # fmt: skip
SCENARIO = {
    "scenarioVersion": 3,
    "title": "The Bell of Harrow",
    "author": "Ines",
    "description": "A winter on the island.",
    "prompt": "The ferry is late again.",
    "tags": ["sea"],
    "context": [{"text": "Mira keeps the tide tables."}, {"text": "[ Style: dry ]"}],
    "settings": {"parameters": {"temperature": 0.6}},
    "lorebook": LORE,
}
STORY = {
    "storyContainerVersion": 1,
    "metadata": {"title": "The Bell of Harrow", "description": "A winter on the island."},
    "content": {
        "context": SCENARIO["context"],
        "lorebook": LORE,
        "story": {"fragments": [{"data": "The ferry is late again.", "origin": "prompt"},
                                {"data": " It came.", "origin": "ai"}]},
    },
}  # fmt: skip


@pytest.mark.parametrize("raw", [SCENARIO, STORY])
def test_scenarios_and_stories_of_novelai_are_cards_with_their_lorebook(raw):
    read = read_card(json.dumps(raw).encode())
    card = read.card
    assert (card.name, card.scenario) == ("The Bell of Harrow", "A winter on the island.")
    assert card.first_mes == "The ferry is late again."
    assert card.description == "Mira keeps the tide tables."
    assert card.post_history_instructions == "[ Style: dry ]"
    assert card.book is not None
    (entry,) = card.book.entries
    assert (entry.keys, entry.content, entry.constant) == (
        ("bell",), "The bell is of bronze.", True,
    )  # fmt: skip
    assert "card-foreign" in [finding.code for finding in read.warnings]
    assert "context" in card.extensions["offbook/novelai-scenario"]


def byaf(manifest=None, person=None, *scenarios, **members):
    person = person or {
        "schemaVersion": 1,
        "name": "Mira",
        "displayName": "Mira Vale",
        "persona": "{character} keeps the tide tables. {user} is late.",
        "loreItems": [{"key": "bell, ring", "value": "{character} rings it."}],
        "images": [{"path": "images/a.png", "label": ""}, {"path": "images/b.png", "label": "x"}],
    }
    files = {"characters/m/character.json": person}
    files |= {f"scenarios/{number}.json": each for number, each in enumerate(scenarios)}
    manifest = manifest or {
        "schemaVersion": 1,
        "author": {"name": "Ines", "backyardURL": "https://example.org/ines"},
        "characters": ["characters/m/character.json"],
        "scenarios": [f"scenarios/{number}.json" for number in range(len(scenarios))],
    }
    made = {name: json.dumps(each).encode() for name, each in files.items()}
    return zipped({"manifest.json": json.dumps(manifest).encode(), **made, **members})


def test_an_archive_of_backyard_ai_is_a_card():
    first = {
        "narrative": "Night on the quay.",
        "formattingInstructions": "Short answers.",
        "firstMessages": [{"characterID": "m", "text": "#{character}: You again, {user}?"}],
        "exampleMessages": [{"characterID": "m", "text": "#{user}: Late?\n#{character}: Late."}],
        "messages": [{"type": "human", "text": "Hello"}],
    }
    other = {"firstMessages": [{"characterID": "m", "text": "Morning."}]}
    images = {"characters/m/images/a.png": picture(), "characters/m/images/b.png": b"b"}
    read = read_card(byaf(None, None, first, other, **images))
    card = read.card
    assert (read.source_format, card.name, card.nickname) == ("byaf", "Mira Vale", "Mira")
    assert card.description == "{{char}} keeps the tide tables. {{user}} is late."
    assert (card.scenario, card.system_prompt) == ("Night on the quay.", "Short answers.")
    assert card.first_mes == "{{char}}: You again, {{user}}?"
    assert list(card.alternate_greetings) == ["Morning."]
    assert card.mes_example == "<START>\n{{user}}: Late?\n{{char}}: Late."
    assert (card.creator, card.creator_notes) == ("Ines", "https://example.org/ines")
    assert card.book is not None
    assert [(entry.keys, entry.content) for entry in card.book.entries] == [
        (("bell", "ring"), "{{char}} rings it.")
    ]
    assert {f.code for f in read.warnings} >= {"byaf-chats", "byaf-scenarios"}
    assert [load_asset(read, asset) for asset in read.assets] == [picture(), b"b"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zipped({"x.txt": b"x"}), "no card.json in the zip"),
        (byaf({"characters": []}), "manifest.json names none"),
        (byaf({"characters": ["characters/n/character.json"]}), "the zip is damaged"),
        (byaf({"characters": ["../../etc/passwd"]}), "the zip is damaged"),
    ],
)
def test_an_archive_without_a_character_is_refused(data, says):
    with pytest.raises(UnreadableCard, match=says):
        read_card(data)


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "left-pad", "version": "1.3.0", "description": "String left pad", "scripts": {}},
        {"name": 1590, "namely": 4, "the": 5},
        {"name": "a preset", "temperature": 1, "description": "warm"},
    ],
)
def test_a_file_with_a_name_is_no_card_for_it(raw):
    with pytest.raises(UnreadableCard, match="none of the fields of a card"):
        read_card(json.dumps(raw).encode())


def test_a_name_and_a_description_alone_are_a_card():
    raw = {"name": "Mira", "description": "keeps the tide tables", "avatar": "none"}
    assert read_card(json.dumps(raw).encode()).card.name == "Mira"


def test_entries_that_can_never_fit_are_counted(tmp_path):
    words = {"0": {"uid": 0, "key": ["a"], "content": "word " * 90},
             "1": {"uid": 1, "key": ["b"], "content": "word"},
             "2": {"uid": 2, "key": ["c"], "content": "word " * 90, "ignoreBudget": True},
             "3": {"uid": 3, "key": ["d"], "content": "word " * 90, "disable": True}}  # fmt: skip
    file = tmp_path / "world.json"
    file.write_text(json.dumps({"entries": words}))
    assert CardFiles().read(file, lore_tokens=50).never_fit == 1
    assert CardFiles().read(file).never_fit == 0
    assert show_file(file, lore_tokens=50)["lorebook"]["never_fit"] == 1
    book = read_lorebook(json.dumps({"entries": words, "token_budget": 20}).encode()).book
    assert book.never_fit(5_000) == 1
