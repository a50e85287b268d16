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
    read_lorebook,
    recall_lore,
)
from offbook.cards.key_search import PatternTime
from offbook.cards.lore_places import place_of, unheard_wishes
from offbook.cards.lorebook import Lorebook, LoreEntry
from tests.cards.generator import book, entry, world_info
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


def test_constant_then_keys_then_meaning_then_priority():
    entries = (
        entry(content="keyed low", priority=1),
        entry(content="keyed high", priority=2),
        entry(content="always here", constant=True),
        entry(content="by meaning", keys=["zzz"]),
        entry(content="@@ignore_on_max_context\nlast one", constant=True),
    )

    def kept(budget):
        return set(
            texts(lore(*entries, budget=budget, similar={3: 0.7}, tokens_of=lambda text: 10))
        )

    assert kept(10) == {"always here"}
    assert kept(20) == {"always here", "keyed high"}
    assert kept(30) == {"always here", "keyed high", "keyed low"}
    assert kept(40) == {"always here", "keyed high", "keyed low", "by meaning"}
    assert len(kept(50)) == 5


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


def test_keys_in_active_entries_are_found_where_the_book_is_recursive():
    entries = (
        entry(content="It passes the lighthouse. {{hidden_key:gull}}"),
        entry(keys=["lighthouse"], content="Old."),
        entry(keys=["gull"], content="Grey."),
        entry(keys=["old"], content="Never out.", extensions={"exclude_recursion": True}),
    )
    assert len(lore(*entries).used) == 1
    assert len(lore(*entries, fields={"recursive_scanning": True}).used) == 3
    assert len(lore(*entries, recursive=True).used) == 3
    assert len(lore(*entries, fields={"recursive_scanning": True}, recursive=False).used) == 1
    closed = entry(content="lighthouse", extensions={"prevent_recursion": True})
    assert len(lore(closed, entries[1], recursive=True).used) == 1
    late = entry(content="Late.", extensions={"delay_until_recursion": True})
    assert texts(lore(late)) == []
    assert "Late." in texts(lore(entries[0], late, recursive=True))
    assert len(lore(*entries, recursive=True, recursion_steps=0).used) == 1


def test_one_of_a_group_is_chosen_and_the_others_are_named():
    def grouped(**extensions):
        return entry(content=str(extensions), extensions={"group": "sea", **extensions})

    recall = lore(grouped(a=1), grouped(group_override=True), grouped(b=1), entry(content="free"))
    assert len(recall.used) == 2
    assert "group_override" in texts(recall)[0]
    assert all("was chosen from its group 'sea'" in item.why for item in recall.skipped)
    chosen = {texts(lore(grouped(a=1), grouped(b=1), seed=str(n)))[0] for n in range(30)}
    assert len(chosen) == 2
    heavy = [grouped(a=1, group_weight=0.001), grouped(b=1, group_weight=10_000)]
    assert {texts(lore(*heavy, seed=str(n)))[0] for n in range(30)} == {
        str({"b": 1, "group_weight": 10_000})
    }


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
    assert first.activated == {"5": 3}

    def later(turns, said="nothing"):
        return lore(item, turns=turns, said=said, activated=first.activated)

    assert later(4).used[0].why.startswith("sticky for 2 messages, 1")
    assert later(5).activated == {"5": 3}
    assert later(6, "the ferry").skipped[0].why == "it cools down for 2 messages"
    assert later(6).skipped == ()
    assert later(8, "the ferry").activated == {"5": 8}
    # the same message answered again, and a chat that went back
    assert later(3, "the ferry").activated == {"5": 3}
    assert later(2, "the ferry").activated == {"5": 2}


def test_a_key_that_cannot_be_searched_is_said():
    recall = lore(entry(keys=["/(/", "ferry"], use_regex=True, extensions={"selectiveLogic": 0}))
    assert len(recall.used) == 1
    assert "is not used: a bracket is not closed" in recall.skipped[0].why


def test_many_hostile_patterns_share_one_clock():
    entries = [entry(keys=[f"/(a|aa)+${n}/"], use_regex=True) for n in range(200)]
    # Alone, each would take 0.05 s: ten seconds in all.
    with work_below(2):
        recall = lore(*entries, said="a" * 3_000, scan=ScanSettings(pattern_seconds=0.2))
    assert recall.used == ()
    assert len(recall.skipped) == 200


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("said", ["", "\x01", "a" * 50_000])
def test_any_message_can_be_searched(said):
    assert len(lore(entry(keys=["zzz"]), said=said).used) == 0


def test_sticky_entries_stay_whatever_their_chances():
    item = entry(
        id=1,
        keys=["ferry"],
        extensions={"sticky": 5, "probability": 0, "exclude_recursion": True, "group": "a"},
    )
    other = entry(id=2, keys=["gull"], extensions={"group": "a", "group_override": True})
    recall = lore(item, other, said="gull", turns=3, activated={"1": 2})
    assert [used.index for used in recall.used] == [0]
    assert "was chosen from its group 'a'" in recall.skipped[0].why
    assert lore(item, other, said="gull", turns=9, activated={"1": 2}).used[0].index == 1


def test_a_group_may_be_one_of_several():
    def grouped(name, group):
        return entry(name=name, content=name, extensions={"group": group})

    entries = grouped("a", "x, y"), grouped("b", "x"), grouped("c", "y"), grouped("d", "z")
    for seed in range(12):
        used = texts(lore(*entries, seed=str(seed)))
        assert used in (["a", "d"], ["b", "c", "d"], ["b", "d"], ["c", "d"])
        if "a" in used:
            assert used == ["a", "d"]


def test_in_a_group_those_win_of_which_most_keys_are_said():
    def grouped(*keys, **more):
        return entry(keys=list(keys), content=keys[-1], extensions={"group": "g", **more})

    entries = grouped("ferry", "gull", use_group_scoring=True), grouped("gull", "boat", "ferry")
    seen = {texts(lore(*entries, said="ferry boat gull", seed=str(n)))[0] for n in range(20)}
    assert seen == {"ferry"}
    loose = grouped("ferry", "gull"), grouped("gull", "boat", "ferry")
    seen = {texts(lore(*loose, said="ferry boat gull", seed=str(n)))[0] for n in range(20)}
    assert seen == {"ferry", "gull"}


def test_levels_of_recursion_are_waited_for():
    first = entry(content="lighthouse")
    late = entry(keys=["lighthouse"], content="gull", extensions={"delay_until_recursion": 1})
    later = entry(keys=["ferry"], content="cod", extensions={"delay_until_recursion": 3})
    assert texts(lore(first, late, later)) == ["lighthouse", "gull", "cod"]
    assert texts(lore(first, later)) == ["lighthouse", "cod"]
    never = {"recursive_scanning": False}
    assert texts(lore(first, late, later, fields=never)) == ["lighthouse"]
    assert texts(lore(late, said="lighthouse")) == []
    assert texts(lore(first, late, later, recursion_steps=1)) == ["lighthouse", "gull"]


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
    assert (len(recall.used), recall.activated) == (1, {"5": 10})


def test_recalls_share_the_time_of_their_patterns():
    clock = PatternTime(read_seconds=-1)
    recall = lore(entry(keys=["/ferry/"], use_regex=True), clock=clock)
    assert recall.used == ()
    assert "too long to read" in recall.skipped[0].why


def test_thousands_of_patterns_are_read_for_a_bounded_time():
    entries = [
        entry(keys=[f"/(?:{n}a|b{n}c|[d-x]{{1,3}}y?)+(?:foo|bar{n})(?=z)\\b/i"], use_regex=True)
        for n in range(6_000)
    ]
    with work_below(4):
        recall = lore(*entries, said="hello")
    assert any("too long to read" in skip.why for skip in recall.skipped)


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


def test_a_filter_of_characters_is_named():
    raw = world_info(characterFilter={"names": ["Bo"], "tags": [], "isExclude": False})
    found = read_lorebook(json.dumps(raw).encode()).book.entries[0]
    assert any("characterFilter" in wish for wish in unheard_wishes(found))
