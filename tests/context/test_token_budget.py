"""A budget is divided: what fits stays, what does not is listed, and it is never left empty."""

from hypothesis import given
from hypothesis import strategies as st

from offbook.context.assembly import fit_history, fit_items
from offbook.text.tokens import count_tokens
from offbook.types import ContextItem, Message

texts = st.text(alphabet="ab 你\n", max_size=60)
items = st.lists(
    st.builds(ContextItem, st.just("knowledge"), st.text(max_size=4), texts, st.floats(0, 1)),
    max_size=8,
)


def item(text, title="t"):
    return ContextItem("knowledge", title, text, 1.0)


def test_a_large_piece_does_not_block_the_smaller_ones_after_it():
    kept, skipped = fit_items([item("a b"), item("word " * 50, "big"), item("c d")], 10)
    assert [k.text for k in kept] == ["a b", "c d"]
    assert [(s.title, s.kind) for s in skipped] == [("big", "knowledge")]
    assert "context.budget_tokens" in skipped[0].why


def test_one_piece_larger_than_the_budget_is_shortened_not_dropped():
    kept, skipped = fit_items([item("word " * 50)], 10)
    assert count_tokens(kept[0].text) == 10
    assert skipped == ()


@given(items, st.integers(1, 40))
def test_nothing_is_lost_and_the_budget_holds(pieces, budget):
    kept, skipped = fit_items(pieces, budget)
    assert len(kept) + len(skipped) == len(pieces)
    assert sum(count_tokens(k.text) for k in kept) <= budget
    assert bool(kept) == bool(pieces)


def messages(*pairs):
    return [Message(role, text) for role, text in pairs]


def test_history_keeps_the_latest_and_begins_with_the_person():
    history = messages(("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"))
    assert [m.content for m in fit_history(history, 3)] == ["c", "d"]
    assert fit_history(history, 4) == tuple(history)
    assert fit_history(history, 0) == ()


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts)), st.integers(0, 40))
def test_history_is_a_suffix_within_the_budget(pairs, budget):
    history = messages(*pairs)
    kept = fit_history(history, budget)
    assert list(kept) == history[len(history) - len(kept) :]
    assert sum(count_tokens(m.content) for m in kept) <= budget
    # Only a conversation that is shown whole may begin with a greeting.
    assert not kept or kept == tuple(history) or kept[0].role == "user"
