"""Lists of words that stand as data beside the code that uses them.

Takes: a package.  Gives: the lists of its ``words.tsv``, a line each: name, tab, words; ``#``
begins a comment. Source: ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def word_lists(package: str, file: str = "words.tsv") -> Mapping[str, frozenset[str]]:
    """Read the lists of a package by their names, in the order of the file."""
    lines = files(package).joinpath(file).read_text("utf-8").splitlines()
    rows = (line.partition("\t") for line in lines if not line.startswith("#"))
    return {name: frozenset(words.split()) for name, _, words in rows}
