"""The budget is divided: never over it, never empty, nothing lost, nothing cut to nothing."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from offbook.context.assembly import LEAST, divided, fit_items, fit_shares, shortened
from offbook.text.tokens import count_tokens
from offbook.types import ContextItem, Source

TEXTS = st.text(alphabet="ab 你\n", min_size=1, max_size=400).filter(str.strip)
ITEMS = st.lists(
    st.builds(ContextItem, st.just("entity"), st.text(max_size=3), TEXTS, st.floats(0, 1)),
    max_size=6,
)
KINDS = st.dictionaries(st.sampled_from(["one", "two", "three", "four"]), ITEMS, max_size=4)
SHARES = {"one": 1.0, "two": 2.0, "three": 4.0, "four": 0.5}


def item(words: int, title: str = "t") -> ContextItem:
    return ContextItem("entity", title, "word " * words, 1.0)


@given(KINDS, st.integers(0, 300))
def test_never_over_the_budget_and_nothing_is_lost(kinds, budget):
    kept, skipped = fit_shares(kinds, budget, SHARES)
    assert sum(count_tokens(k.text) for k in kept) <= budget
    assert len(kept) + len(skipped) == sum(map(len, kinds.values()))
    assert all("context.budget_tokens" in each.why for each in skipped)


@given(KINDS, st.integers(100, 300))
def test_every_kind_has_a_say_and_no_item_is_cut_to_nothing(kinds, budget):
    kept, _ = fit_shares(kinds, budget, SHARES)
    assert all(k.text.strip() for k in kept)
    for items in kinds.values():
        if items:
            assert any(items[0].text.startswith(k.text) for k in kept)


@given(KINDS)
def test_what_fits_is_left_alone(kinds):
    everything = [item for items in kinds.values() for item in items]
    kept, skipped = fit_shares(kinds, 100_000, SHARES)
    assert list(kept) == everything
    assert skipped == ()


def test_one_enormous_item_takes_nothing_from_the_other_kinds():
    kinds = {"one": [item(10_000, "big")], "two": [item(20, "small")]}
    kept, skipped = fit_shares(kinds, 200, SHARES)
    assert [(k.title, count_tokens(k.text)) for k in kept] == [("big", 180), ("small", 20)]
    assert skipped == ()


def test_an_oversized_item_is_shortened_beside_the_small_ones_of_its_kind():
    kinds = {"one": [item(10, "a"), item(10_000, "big"), item(10, "b")]}
    kept, skipped = fit_shares(kinds, 100, SHARES)
    assert [(k.title, count_tokens(k.text)) for k in kept] == [("a", 10), ("big", 80), ("b", 10)]
    assert skipped == ()


def test_where_many_want_a_share_the_best_have_it_and_the_others_are_named():
    kinds = {"one": [item(100, str(n)) for n in range(10)]}
    kept, skipped = fit_shares(kinds, 5 * LEAST, SHARES)
    assert [k.title for k in kept] == ["0", "1", "2", "3", "4"]
    assert [s.title for s in skipped] == ["5", "6", "7", "8", "9"]
    assert "for one" in skipped[0].why


def test_the_source_of_a_shortened_passage_ends_where_it_ends():
    text = "One sentence of the text. " * 40
    document = f"# Title\n\n{text}"
    place = Source("a-md", "c1", 9, 9 + len(text))
    passage = ContextItem("knowledge", "t", text, 1.0, (place,))
    told = ContextItem("entity", "t", "word " * 200, 1.0, (Source("a-md", "c1", 9, 12),))
    together = replace(passage, sources=(place, replace(place, chunk="c2")))
    for kept in (
        fit_items([passage], 50)[0],
        fit_shares({"one": [passage], "two": [told, together]}, 120, SHARES)[0],
    ):
        (source,) = kept[0].sources
        assert 0 < len(kept[0].text) < len(text)
        assert document[source.start : source.end] == kept[0].text
        assert [each.sources for each in kept[1:]] in ([], [told.sources, together.sources])


def test_a_text_that_no_budget_can_hold_is_skipped_and_not_empty():
    def expensive(text: str) -> int:
        return 5 * len(text)

    kept, skipped = fit_shares({"one": [item(1, "x")]}, 4, SHARES, expensive)
    assert kept == ()
    assert [s.title for s in skipped] == ["x"]


AMOUNTS = st.lists(st.tuples(st.integers(0, 500), st.floats(0.1, 10)), max_size=8)


@given(AMOUNTS, st.integers(0, 1000))
def test_division_gives_all_that_is_wanted_and_there(wants, total):
    wanted, shares = [w for w, _ in wants], [s for _, s in wants]
    given_ = divided(wanted, total, shares)
    assert all(0 <= g <= w for g, w in zip(given_, wanted, strict=True))
    assert sum(given_) == min(total, sum(wanted))
    if total >= len(wanted):
        assert all(g or not w for g, w in zip(given_, wanted, strict=True))


@given(st.integers(8, 60))
def test_nothing_is_cut_in_mid_sentence_where_a_sentence_fits(budget):
    text = "Tom keeps the old lamp. Ada trims it at night, Mr. Dunn looks on. Nobody came. " * 4
    short = shortened(text, budget)
    assert text.startswith(short)
    assert short.endswith(("lamp.", "on.", "came."))
    assert count_tokens(short) <= budget


def test_a_sentence_that_is_too_long_is_cut_between_its_words():
    assert shortened("word " * 50, 10).split() == ["word"] * 10
