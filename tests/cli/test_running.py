"""What commands print for people: costs, tables, what a reply rests on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.cli.running import cost, grounds, shortened, table, visible
from offbook.types import Boundary, BoundaryReason, ContextItem, Recall, Skipped, Source, Usage


def recall(*items: ContextItem, **more: object) -> Recall:
    return Recall("Ada", "ada", "naive", "default", "Who?", items, **more)  # type: ignore[arg-type]


def test_a_cost_names_only_what_there_was():
    assert cost(Usage(seconds=0.126)) == "no calls, 0.13 s"
    usage = Usage(
        calls=1,
        cached_calls=2,
        prompt_tokens=30,
        completion_tokens=4,
        embed_calls=1,
        cost_usd=0.00251,
        seconds=1,
    )
    assert cost(usage) == (
        "1 call, 2 from the cache, 1 embedding call, 30 + 4 tokens, 0.0025 USD, 1.00 s"
    )


def test_what_a_reply_rests_on_has_its_place_and_its_beginning():
    item = ContextItem("knowledge", "A, B", "x " * 200, 0.5, (Source("doc", "c", 3, 9),))
    first, second = grounds(recall(item))
    assert first == "  knowledge (0.50) A, B doc[3:9]"
    assert second.strip().endswith("...")
    assert len(second) == 166


def test_a_boundary_and_what_was_skipped_are_shown():
    boundary = Boundary("out", (BoundaryReason("radio", "not invented yet"),))
    lines = grounds(recall(boundary=boundary, skipped=(Skipped("knowledge", "A", "too long"),)))
    assert lines == [
        "  boundary: out",
        "      radio: not invented yet",
        "  skipped: knowledge A: too long",
    ]


def test_what_has_no_title_leaves_no_gap():
    item = ContextItem("knowledge", "", "x", 0.5, (Source("doc", "c", 3, 9),))
    lines = grounds(recall(item, skipped=(Skipped("knowledge", "", "too long"),)))
    assert lines[0] == "  knowledge (0.50) doc[3:9]"
    assert lines[-1] == "  skipped: knowledge: too long"


def test_nothing_is_said_to_be_nothing():
    assert grounds(recall()) == ["  nothing"]


def test_columns_stand_below_one_another_in_any_script():
    assert table([("a", "x", "1"), ("王明", "y", "2"), ("e\u0301", "z", "")]) == (
        "a     x  1\n王明  y  2\ne\u0301     z\n"
    )
    assert table([]) == ""


def test_no_text_gives_orders_to_the_terminal():
    assert visible("a\x1b[31mb\r\x07\x7f\x9b\n\tc é 王") == "a␛[31mb␍␇\ufffd\ufffd\n\tc é 王"
    assert table([("two\nlines", "x")]) == "two lines  x\n"


@given(st.text(), st.integers(10, 50))
def test_a_shortened_text_is_one_line_of_its_length(text: str, chars: int):
    short = shortened(text, chars)
    assert len(short) <= chars
    assert len(short.splitlines()) <= 1
    whole = " ".join(text.split())
    assert short == whole or (short.endswith("...") and whole.startswith(short[:-3]))
