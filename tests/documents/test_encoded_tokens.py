"""Chunks measured in the tokens of a model's encoding, where ``tokens.encoding`` names one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.chunking import make_splitter
from offbook.documents.windows import ruler
from offbook.ingestion.documents import splitter_arguments
from offbook.settings import load_settings
from offbook.text import encodings
from tests.documents.texts import assert_covers, assert_exact, document

NAME = "pairs"
texts = st.text(st.sampled_from("abab  \né中😀"), max_size=60)


@pytest.fixture(scope="module", autouse=True)
def pairs() -> Iterator[tiktoken.Encoding]:
    """An encoding of single bytes and of ``ab``: a character has up to four tokens."""
    encoding = tiktoken.Encoding(
        NAME,
        pat_str=r"ab|[\s\S]",
        mergeable_ranks={**{bytes([i]): i for i in range(256)}, b"ab": 256},
        special_tokens={},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiktoken, "get_encoding", lambda _: encoding)
        encodings._encoder.cache_clear()
        yield encoding
    encodings._encoder.cache_clear()


def owners(text: str, encoding: tiktoken.Encoding) -> list[tuple[int, int]]:
    """Of each token the first character and the one behind its last, found byte by byte."""
    of_byte = [at for at, letter in enumerate(text) for _ in letter.encode()]
    found, byte = [], 0
    for token in encoding.encode_ordinary(text):
        size = len(encoding.decode_single_token_bytes(token))
        found.append((of_byte[byte], of_byte[byte + size - 1] + 1))
        byte += size
    return found


def tokens(text: str, start: int, end: int) -> int:
    """Tokens that have a part of the stretch, counted one by one."""
    return sum(a < end and b > start for a, b in owners(text, encodings._encoder(NAME)))


@given(texts, st.integers(0, 60), st.integers(0, 60), st.integers(1, 30))
def test_a_stretch_counts_the_tokens_that_it_has_a_part_of(
    text: str, start: int, end: int, budget: int
):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    rule = ruler(text, "tokens", NAME)
    assert rule.length(start, end) == (tokens(text, start, end) if start < end else 0)
    reach = rule.forward(start, budget)
    assert start <= reach <= len(text)
    assert tokens(text, start, reach) <= budget or reach == start + 1
    if reach < len(text):
        assert reach > start
        assert tokens(text, start, reach + 1) > budget
    back = rule.backward(end, budget)
    assert 0 <= back <= end
    assert back == end or tokens(text, back, end) <= budget
    if back > 0:
        assert tokens(text, back - 1, end) > budget


@pytest.mark.parametrize("name", ["fixed", "recursive", "markdown", "acts", "ats", "graph"])
def test_chunks_are_measured_by_the_encoding_and_say_so(name: str):
    text = "# One\n\n" + "\n\n".join("abab 中 😀 caba. Another ab!" * 9 for _ in range(40))
    size, overlap = {"size": 120, "unit": "tokens"}, {"overlap": 20}
    limit = {"limit": 120, "unit": "tokens"}
    sizes: dict[str, dict[str, Any]] = {
        "fixed": size | overlap,
        "recursive": size | overlap,
        "markdown": size,
        "acts": limit,
        "ats": limit,
        "graph": {"least": 30, "most": 200},
    }
    made = make_splitter(name, {**sizes[name], "encoding": NAME})
    found = made.split(document(text))
    assert_exact(found, text)
    assert_covers(found, text, sections_only=name not in ("fixed", "recursive"))
    longest = 2 * 200 if name == "graph" else 120
    rule = ruler(text, "tokens", NAME)
    assert max(rule.length(chunk.start, chunk.end) for chunk in found) <= longest
    assert made.parameters(document(text))["encoding"] == NAME
    by_estimate = make_splitter(name, sizes[name])
    assert len(by_estimate.split(document(text))) < len(found)
    assert "encoding" not in by_estimate.parameters(document(text))


@given(texts, st.integers(1, 12), st.integers(0, 11), st.sampled_from(["fixed", "recursive"]))
def test_windows_go_on_however_many_tokens_a_character_has(
    text: str, size: int, overlap: int, name: str
):
    window = {"size": size, "overlap": min(overlap, size - 1), "unit": "tokens"}
    found = make_splitter(name, {**window, "encoding": NAME}).split(document(text))
    assert_exact(found, text)
    assert_covers(found, text, sections_only=False)
    ends = [chunk.end for chunk in found]
    assert ends == sorted(set(ends))
    rule = ruler(text, "tokens", NAME)
    assert all(rule.length(chunk.start, chunk.end) <= max(size, 4) for chunk in found)


@pytest.mark.parametrize("name", ["fixed", "recursive", "acts", "ats", "graph"])
@pytest.mark.parametrize("boundaries", ["content", "window"])
def test_the_setting_reaches_the_splitters_that_count_tokens(
    name: str, boundaries: str, tmp_path: Any
):
    given = {"home": str(tmp_path), "graph.boundaries": boundaries, "tokens.encoding": NAME}
    made = make_splitter(name, splitter_arguments(name, load_settings(given).values))
    shown = made.parameters(document("Some text."))
    assert shown.get("encoding") == (NAME if shown["unit"] == "tokens" else None)


def test_half_of_a_pair_of_surrogates_moves_no_offset():
    text = "ab\ud83d\ude00ab\udc00c"
    assert encodings.token_starts(NAME, text)[-1] == len(text) - 1
