"""The data of server-sent events, however their bytes arrive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.models.event_streams import EventData


def taken(stream: bytes, cuts: list[int] | None = None) -> list[str]:
    """The data of a stream that arrives in pieces."""
    events, found, start = EventData(), [], 0
    for cut in [*sorted(set(cuts or [])), len(stream)]:
        found += events.feed(stream[start:cut])
        start = max(start, cut)
    return found + events.finish()


def test_the_data_of_each_event_is_given():
    assert taken(b"data: one\n\ndata: two\n\n") == ["one", "two"]


def test_comments_names_and_ids_are_passed_over():
    stream = b": ping\n\nevent: x\nid: 7\nretry: 5\ndata: one\n\n:\n\ndata:two\n\n"
    assert taken(stream) == ["one", "two"]


def test_lines_of_one_event_are_joined():
    assert taken(b"data: a\ndata: b\n\n") == ["a\nb"]


def test_the_last_event_may_lack_its_end():
    assert taken(b"data: one\n\ndata: two") == ["one", "two"]
    assert taken(b"data: one\n\ndata: two\r") == ["one", "two"]
    assert taken(b"") == []


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"),
                     min_size=1), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(0, 200), max_size=8),
)  # fmt: skip
def test_where_the_bytes_are_cut_changes_nothing(texts, end, cuts):
    stream = "".join(f"data: {text}{end}{end}" for text in texts).encode()
    assert taken(stream, [cut for cut in cuts if cut < len(stream)]) == texts
