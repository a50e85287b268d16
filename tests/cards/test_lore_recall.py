import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.cards import (
    LoreMessage,
    MacroValues,
    RecallSettings,
    ScanSettings,
    recall_lore,
    write_lorebook,
)
from offbook.cards.lore_places import place_of, unheard_wishes
from offbook.cards.lore_timers import Span, Timers
from offbook.cards.lorebook import Lorebook, LoreEntry
from tests.cards.generator import book, entry, read_raw_book, world_info
from tests.sizes import examples
from tests.waiting import work_below

VALUES = MacroValues("Mira", "Sam")


def lore(*entries, said="the ferry", turns=1, budget=500, **more):
    made = Lorebook(book(*entries, **more.pop("fields", {})))
    messages = [LoreMessage(said)] * turns
    own = ("similar", "activated", "tokens_of", "earlier", "clock")
    options = {name: more.pop(name) for name in own if name in more}
    return recall_lore(made, messages, VALUES, RecallSettings(budget, **more), **options)


def texts(recall):
    return [item.text for item in recall.used]


def test_entries_are_expanded_and_stand_in_their_order():
    recall = lore(
        entry(content="@@activate\n{{char}} waits.", insertion_order=5),
        entry(content="{{user}} came.", insertion_order=2),
        entry(content="Never.", keys=["zzz"]),
        entry(content="{{// nothing}}"),
    )
    assert texts(recall) == ["Sam came.", "Mira waits."]
    assert [item.index for item in recall.used] == [1, 0]
    assert recall.used[0].why == "the key 'ferry' is said"
    assert recall.skipped == ()


def test_what_does_not_fit_is_skipped_and_the_next_one_goes_on():
    recall = lore(
        entry(content="a" * 400, insertion_order=9, name="long"),
        entry(content="short", insertion_order=1),
        budget=50,
    )
    assert texts(recall) == ["short"]
    (skipped,) = recall.skipped
    assert (skipped.kind, skipped.title) == ("lore", "long")
    assert "100 tokens, and 50 of 50 are left" in skipped.why


def test_priority_then_order_then_meaning_and_what_may_go_goes_last():
    entries = (
        entry(content="low", priority=1),
        entry(content="high", priority=2, insertion_order=1),
        entry(content="always here", constant=True, insertion_order=300),
        entry(content="by meaning", keys=["zzz"], priority=9),
        entry(content="@@ignore_on_max_context\nlast one", constant=True, priority=9),
    )

    def kept(budget):
        return set(
            texts(lore(*entries, budget=budget, similar={3: 0.7}, tokens_of=lambda text: 10))
        )

    assert kept(11) == {"high"}
    assert kept(21) == {"high", "low"}
    assert kept(31) == {"high", "low", "always here"}
    assert kept(41) == {"high", "low", "always here", "last one"}
    assert len(kept(51)) == 5


def test_sillytavern_knows_no_priority_and_no_constants_first():
    own = {"selectiveLogic": 0}
    entries = (
        entry(content="low", priority=9, insertion_order=1, extensions=own),
        entry(content="constant", constant=True, insertion_order=2, extensions=own),
        entry(content="high", insertion_order=3, extensions=own),
    )
    assert texts(lore(*entries, budget=11, tokens_of=lambda text: 10)) == ["high"]
    # SillyTavern tells less than the budget, and not all of it
    assert texts(lore(*entries, budget=10, tokens_of=lambda text: 10)) == []


def test_what_constants_took_from_a_key_that_is_said_is_given_beyond_the_budget():
    entries = (
        entry(content="one two three", constant=True, insertion_order=9),
        entry(content="four five six", insertion_order=2),
        entry(content="seven eight", insertion_order=1),
        entry(content="near", keys=["zzz"]),
        entry(content="nine ten eleven", constant=True, insertion_order=0),
    )

    def kept(beyond):
        words = {"tokens_of": lambda text: len(text.split()), "similar": {3: 0.9}}
        return texts(lore(*entries, budget=4, beyond_tokens=beyond, **words))

    assert kept(0) == ["one two three"]
    assert kept(2) == ["seven eight", "one two three"]
    # no more than the constant one took
    assert kept(100) == ["four five six", "one two three"]


def test_the_budget_of_the_book_counts_where_it_is_less():
    item = entry(content="a" * 80)
    assert lore(item, fields={"token_budget": 10}).used == ()
    assert len(lore(item, fields={"token_budget": 0}).used) == 1
    assert len(lore(item, fields={"token_budget": 9_999}, budget=20).used) == 1
    assert (
        len(lore(entry(content="a" * 80, extensions={"ignore_budget": True}), budget=0).used) == 1
    )


def test_near_in_meaning_says_so_and_respects_what_is_off():
    off = entry(keys=["zzz"], enabled=False)
    forbidden = entry(keys=["zzz"], content="@@dont_activate\nx")
    recall = lore(entry(keys=["zzz"]), off, forbidden, similar={0: 0.5, 1: 0.9, 2: 0.9})
    assert [(item.index, item.score, item.why) for item in recall.used] == [
        (0, 0.5, "it is near in meaning (0.50)")
    ]


def test_keys_in_active_entries_are_found_unless_the_book_says_no():
    entries = (
        entry(content="It passes the lighthouse. {{hidden_key:gull}}"),
        entry(keys=["lighthouse"], content="Old."),
        entry(keys=["gull"], content="Grey."),
        entry(keys=["old"], content="Never out.", extensions={"exclude_recursion": True}),
    )
    assert len(lore(*entries).used) == 3
    assert len(lore(*entries, fields={"recursive_scanning": None}).used) == 3
    assert len(lore(*entries, fields={"recursive_scanning": False}).used) == 1
    assert len(lore(*entries, fields={"recursive_scanning": False}, recursive=True).used) == 3
    assert len(lore(*entries, fields={"recursive_scanning": True}, recursive=False).used) == 1
    closed = entry(content="lighthouse", extensions={"prevent_recursion": True})
    assert len(lore(closed, entries[1], recursive=True).used) == 1
    late = entry(content="Late.", extensions={"delay_until_recursion": True})
    assert texts(lore(late)) == []
    assert "Late." in texts(lore(entries[0], late, recursive=True))
    assert len(lore(*entries, recursive=True, recursion_steps=0).used) == 1


def test_probability_is_decided_by_the_seed():
    def used(chance, seed, **more):
        return len(lore(entry(extensions={"probability": chance, **more}), seed=seed).used)

    assert [used(0, str(n)) for n in range(20)] == [0] * 20
    assert [used(100, str(n)) for n in range(20)] == [1] * 20
    assert used(0, "x", useProbability=False) == 1
    half = sum(used(50, str(n)) for n in range(400))
    assert 150 < half < 250
    assert used(50, "7") == used(50, "7")
    assert "probability" in lore(entry(extensions={"probability": 0})).skipped[0].why


def test_sticky_cooldown_and_delay_count_messages():
    item = entry(id=5, extensions={"sticky": 2, "cooldown": 2, "delay": 2})
    assert lore(item, turns=1).skipped[0].why == "it waits for message 2"
    first = lore(item, turns=3)
    assert first.activated == {"5": Timers(Span(3, 5), Span(3, 5))}

    def later(turns, said="nothing", since=first):
        return lore(item, turns=turns, said=said, activated=since.activated)

    assert later(4).used[0].why == "sticky for 2 messages, 1 of them gone"
    assert later(4).activated == first.activated
    # its rest begins where its stay ends, with the message that is answered then
    rests = later(5, "the ferry")
    assert rests.skipped[0].why == "it cools down for 2 messages"
    assert rests.activated == {"5": Timers(None, Span(5, 7, firm=True))}
    assert later(6, "the ferry", rests).skipped[0].why == "it cools down for 2 messages"
    assert later(6, since=rests).skipped == ()
    assert later(7, "the ferry", rests).activated == {"5": Timers(Span(7, 9), Span(7, 9))}
    # the same message answered again, and a chat that went back
    assert later(3, "the ferry").activated == first.activated
    assert later(2, "the ferry").activated == {"5": Timers(Span(2, 4), Span(2, 4))}


def test_a_key_begins_a_stay_anew_with_the_message_after_its_last():
    item = entry(id=5, extensions={"sticky": 2})
    stays = lore(item, turns=1).activated
    assert lore(item, turns=2, said="gull", activated=stays).used
    assert lore(item, turns=3, said="gull", activated=stays).used == ()
    again = lore(item, turns=3, activated=stays)
    assert again.activated == {"5": Timers(Span(3, 5))}


def test_a_key_that_cannot_be_searched_is_said():
    recall = lore(entry(keys=["/(/", "ferry"], use_regex=True, extensions={"selectiveLogic": 0}))
    assert len(recall.used) == 1
    assert "is not used: it is no valid pattern: unterminated group" in recall.skipped[0].why


def test_many_hostile_patterns_share_one_clock():
    entries = [entry(keys=[f"/(a|aa)+\\1x{n}$/"], use_regex=True) for n in range(200)]
    # Alone, each would take 0.05 s: ten seconds in all.
    with work_below(2):
        recall = lore(*entries, said="a" * 3_000, scan=ScanSettings(pattern_seconds=0.2))
    assert recall.used == ()
    assert len(recall.skipped) == 200


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(st.integers(0, 60), st.booleans(), st.integers(-3, 3)), max_size=8),
    st.integers(0, 100),
)
def test_the_budget_is_never_exceeded_and_nothing_is_lost(rows, budget):
    entries = [
        entry(content="x" * size, constant=constant, insertion_order=order, name=str(number))
        for number, (size, constant, order) in enumerate(rows)
    ] or [entry(content="")]
    recall = lore(*entries, budget=budget)
    assert sum(item.tokens for item in recall.used) <= budget
    assert len(recall.used) + len(recall.skipped) == sum(size > 0 for size, _, _ in rows)


def test_sticky_entries_stay_whatever_their_chances():
    item = entry(
        id=1,
        keys=["ferry"],
        extensions={"sticky": 5, "probability": 0, "exclude_recursion": True, "group": "a"},
    )
    other = entry(id=2, keys=["gull"], extensions={"group": "a", "group_override": True})
    running = {"1": Timers(Span(2, 7))}
    recall = lore(item, other, said="gull", turns=3, activated=running)
    assert [used.index for used in recall.used] == [0]
    assert "was chosen from its group 'a'" in recall.skipped[0].why
    assert lore(item, other, said="gull", turns=9, activated=running).used[0].index == 1


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ({"use_group_scoring": True}, {}, ["two"]),
        ({"group_override": True}, {}, ["one"]),
        ({"group_weight": 1_000_000}, {"group_weight": 0.001}, ["one"]),
        ({"group": "b"}, {}, ["one", "two"]),
    ],
)
def test_one_of_a_group_stays(first, second, left):
    entries = (
        entry(content="one", extensions={"group": "a", **first}),
        entry(content="two", keys=["ferry", "late"], extensions={"group": "a, c", **second}),
    )
    assert texts(lore(*entries, said="the late ferry")) == left


def test_a_book_has_the_budget_that_it_asks_for_up_to_what_it_may_have():
    entries = [entry(content="a b"), entry(content="c d"), entry(content="e f")]
    asked = {"fields": {"token_budget": 5}, "tokens_of": lambda text: len(text.split())}
    assert texts(lore(*entries, budget=2, **asked)) == ["a b", "c d"]
    assert texts(lore(*entries, budget=7, **asked)) == ["a b", "c d"]
    assert texts(lore(*entries, budget=7, most_tokens=3, **asked)) == ["a b"]
    assert len(lore(*entries, budget=7, most_tokens=2, tokens_of=asked["tokens_of"]).used) == 3


def test_a_world_info_file_says_at_its_root_how_it_is_searched():
    raw = world_info()
    raw |= {"recursive_scanning": False, "scan_depth": 7, "token_budget": True}
    read = read_raw_book(raw).book
    assert (read.recursive_scanning, read.scan_depth, read.token_budget) == (False, 7, None)
    assert json.loads(write_lorebook(read, "sillytavern")) == raw


def test_likeness_does_not_call_for_what_an_entry_rules_out():
    entries = (
        entry(keys=["zzz"], content="@@activate_only_after 4\nsecret"),
        entry(keys=["zzz"], content="@@exclude_keys ferry\nhidden"),
        entry(keys=["zzz"], content="plain"),
    )
    assert texts(lore(*entries, similar={0: 0.9, 1: 0.9, 2: 0.9})) == ["plain"]


def test_timers_count_the_messages_that_are_not_shown_any_more():
    item = entry(id=5, extensions={"delay": 10})
    assert lore(item, turns=2).used == ()
    recall = lore(item, turns=2, earlier=8)
    assert (len(recall.used), recall.used[0].why) == (1, "the key 'ferry' is said")


PLACES = [
    ({"position": "before_char"}, "before"),
    ({"position": "after_char"}, "after"),
    ({}, "after"),
    ({"extensions": {"position": 0}}, "before"),
    ({"extensions": {"position": 1}}, "after"),
    ({"extensions": {"position": 5}}, "examples"),
    ({"extensions": {"position": 6}}, "examples"),
    ({"extensions": {"position": 7}}, "after"),
    ({"extensions": {"position": 99}}, "after"),
    ({"extensions": {"position": "0"}, "position": "before_char"}, "before"),
    ({"extensions": {"position": 4, "depth": 9}}, "deep"),
    ({"extensions": {"position": 2}}, "above the note"),
    ({"extensions": {"position": 4}}, "at the note"),
    ({"extensions": {"position": 3}}, "below the note"),
    ({"extensions": {"position": 4, "depth": 0}}, "end"),
    ({"extensions": {"position": 4, "depth": -7}}, "end"),
    ({"content": "@@depth 0\nx", "position": "before_char"}, "end"),
    ({"content": "@@depth 9\nx"}, "deep"),
    ({"content": "@@reverse_depth 1\nx"}, "deep"),
    ({"content": "@@reverse_depth 99\nx"}, "end"),
    ({"content": "@@position before_desc\n@@depth 0\nx"}, "before"),
    ({"content": "@@position scenario\nx"}, "after"),
]
ORDER = [
    "before", "after", "examples", "deep", "above the note", "at the note", "below the note", "end",
]  # fmt: skip


@pytest.mark.parametrize(("fields", "where"), PLACES)
def test_the_place_of_an_entry_is_one_in_the_order_of_entries(fields, where):
    made = place_of(LoreEntry(entry(**fields)), 10)
    marks: dict[str, dict[str, Any]] = {
        "before": {"position": "before_char"},
        "after": {"position": "after_char"},
        "examples": {"extensions": {"position": 5}},
        "deep": {"content": "@@depth 9\nx"},
        "above the note": {"extensions": {"position": 2}},
        "at the note": {"content": "@@depth 4\nx"},
        "below the note": {"extensions": {"position": 3}},
        "end": {"content": "@@depth 0\nx"},
    }
    for number, name in enumerate(ORDER):
        other = place_of(LoreEntry(entry(**marks[name])), 10)
        if number < ORDER.index(where):
            assert other < made
        elif number > ORDER.index(where):
            assert made < other


def test_entries_are_told_in_the_order_of_their_places():
    recall = lore(
        entry(content="@@depth 0\nlast"),
        entry(content="@@depth 3\nnearer"),
        entry(content="after two", insertion_order=11),
        entry(content="after one", position="after_char"),
        entry(content="first", position="before_char", insertion_order=99),
    )
    assert texts(recall) == ["first", "after one", "after two", "nearer", "last"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, ""),
        ({"position": "before_char"}, ""),
        ({"content": "@@depth 4\nx"}, "depth: "),
        ({"extensions": {"position": 4}}, "depth: "),
        ({"content": "@@role user\nx"}, "role: "),
        ({"extensions": {"role": 2}}, "role: "),
        ({"extensions": {"role": 0}}, ""),
        ({"extensions": {"position": 7}}, "outlet: "),
        ({"extensions": {"match_scenario": True}}, "match_scenario"),
        ({"extensions": {"match_scenario": False}}, ""),
        ({"content": "@@disable_ui_prompt system_prompt\nx"}, "own rules"),
        ({"content": "@@is_user_icon a\nx"}, "no icons"),
    ],
)
def test_wishes_that_are_not_followed_are_named(fields, told):
    found = "; ".join(unheard_wishes(LoreEntry(entry(**fields))))
    assert (told in found) if told else not found
