"""Counting as a model does: an encoding from this disk, and never one from the network."""

import sys

import pytest
import tiktoken

from offbook.context.assembly import fit_items, shortened
from offbook.errors import ConfigurationError
from offbook.text import encodings
from offbook.text.encodings import token_counter
from offbook.text.tokens import count_tokens
from offbook.types import ContextItem


@pytest.fixture(autouse=True)
def fresh():
    encodings._encoder.cache_clear()
    yield
    encodings._encoder.cache_clear()


@pytest.fixture
def bytewise(monkeypatch):
    """An encoding with one token a byte."""
    encoding = tiktoken.Encoding(
        "bytewise",
        pat_str=r"[\s\S]",
        mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={},
    )
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: encoding)
    return token_counter("bytewise")


def test_without_an_encoding_the_estimate_counts():
    assert token_counter(None) is count_tokens


def test_an_encoding_counts_its_own_tokens(bytewise):
    assert bytewise("häuser") == 7
    assert bytewise("") == 0


def test_budgets_hold_in_the_encodings_tokens(bytewise):
    text = "twelve chars and many more words here"
    assert bytewise(shortened(text, 10, bytewise)) <= 10
    items = [ContextItem("knowledge", "", "0123456789", 1.0)] * 3
    kept, skipped = fit_items(items, 25, bytewise)
    assert (len(kept), len(skipped)) == (2, 1)


def test_an_encoding_that_is_not_on_disk_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    with pytest.raises(ConfigurationError, match="not on this disk"):
        token_counter("o200k_base")


def test_an_unknown_encoding_lists_the_known():
    with pytest.raises(ConfigurationError) as caught:
        token_counter("no_such_encoding")
    assert "o200k_base" in caught.value.hint


def test_without_tiktoken_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(ConfigurationError, match="tiktoken is not installed"):
        token_counter("o200k_base")
