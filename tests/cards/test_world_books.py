"""Books of the size that worlds have: constants, long entries, nothing said of recursion."""

import random

import pytest

from offbook.cards import LoreMessage, MacroValues, RecallSettings, recall_lore
from offbook.cards.lorebook import Lorebook
from offbook.settings.model import LoreSettings
from tests.cards.generator import read_raw_book

WINDOW = 8_192
PLACES = [
    "eldmoor", "tharn", "kelwick", "ossery", "brannoch", "vesper", "carrow", "dunmere", "fenwick",
    "gallan", "harrowby", "istrel", "jorvale", "kestrin", "lorne", "marrowby",
]  # fmt: skip


def tokens_of(text: str) -> int:
    return len(text.split())


def world(seed: int) -> Lorebook:
    """A World Info file whose entries have 120 to 420 words and name other places."""
    chance = random.Random(seed)
    entries = {}
    for number, place in enumerate(PLACES):
        named = chance.sample([other for other in PLACES if other != place], 1)
        words = ["dust"] * (chance.randint(120, 420) - 2) + [f"{place.title()}land", *named]
        chance.shuffle(words)
        entries[str(number)] = {
            "uid": number,
            "key": [place],
            "keysecondary": [],
            "content": " ".join(words),
            "constant": chance.random() < 0.3,
            "selective": True,
            "order": chance.choice((50, 100, 150)),
            "position": 0,
            "disable": False,
        }
    return read_raw_book({"entries": entries}).book


def reference(book: Lorebook, said: str, budget: int) -> list[int]:
    """What the reference's defaults tell: step by step, until an entry does not fit."""
    told_already: list[int] = []
    heard, spent = said.lower().split(), 0
    while True:
        called = [
            (-entry.insertion_order, index)
            for index, entry in enumerate(book.entries)
            if index not in told_already and (entry.constant or entry.keys[0] in heard)
        ]
        if not called:
            return told_already
        for _, index in sorted(called):
            text = book.entries[index].text
            if spent + tokens_of(text) >= budget:
                return told_already
            spent += tokens_of(text)
            told_already.append(index)
            heard += text.lower().split()


@pytest.mark.parametrize("seed", range(40))
def test_what_the_reference_tells_is_told_and_beyond_its_budget_more(seed):
    book, settings = world(seed), LoreSettings()
    assert settings.budget(WINDOW) == WINDOW // 4
    said = f"What is {PLACES[seed % len(PLACES)]} near {PLACES[seed * 7 % len(PLACES)]}"
    expected = set(reference(book, said, WINDOW // 4))

    def recalled(beyond: int):
        chosen = RecallSettings(settings.budget(WINDOW), beyond_tokens=beyond)
        values = MacroValues("Mira", "Sam")
        return recall_lore(book, [LoreMessage(said)], values, chosen, tokens_of=tokens_of)

    within, beyond = recalled(0), recalled(settings.beyond(WINDOW))
    assert expected
    assert expected <= {entry.index for entry in within.used}
    assert {entry.index for entry in within.used} <= {entry.index for entry in beyond.used}
    # What is called for by a key and still left out would take more than constants have taken.
    constant = sum(e.tokens for e in beyond.used if e.entry.constant)
    room = min(settings.beyond(WINDOW), constant)
    extra = sum(e.tokens for e in beyond.used) - sum(e.tokens for e in within.used)
    assert extra <= room
    sizes = {entry.title: tokens_of(entry.text) for entry in book.entries}
    starved = [skip for skip in beyond.skipped if "the key" in skip.why]
    assert all(sizes[skip.title] > room - extra for skip in starved)


def test_beyond_the_budget_more_is_told_in_most_worlds():
    more = 0
    for seed in range(40):
        book, settings = world(seed), LoreSettings()
        said = [LoreMessage(" ".join(PLACES[:6]))]
        counts = [
            len(
                recall_lore(
                    book,
                    said,
                    MacroValues("Mira"),
                    RecallSettings(WINDOW // 4, beyond_tokens=beyond),
                    tokens_of=tokens_of,
                ).used
            )
            for beyond in (0, settings.beyond(WINDOW))
        ]
        more += counts[1] > counts[0]
    assert more > 20
