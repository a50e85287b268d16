import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.cards import LoreMessage, MacroValues, RecallSettings, ScanSettings, recall_lore
from offbook.cards.lorebook import Lorebook
from tests.cards.generator import book, entry
from tests.waiting import work_below

VALUES = MacroValues("Mira", "Sam")


def lore(*entries, said="the ferry", turns=1, budget=500, **more):
    made = Lorebook(book(*entries, **more.pop("fields", {})))
    messages = [LoreMessage(said)] * turns
    options = {
        name: more.pop(name) for name in ("similar", "activated", "tokens_of") if name in more
    }
    return recall_lore(made, messages, VALUES, RecallSettings(budget, **more), **options)


def texts(recall):
    return [item.text for item in recall.used]


def test_entries_are_expanded_and_stand_in_their_order():
    recall = lore(
        entry(content="@@depth 4\n{{char}} waits.", insertion_order=5),
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
