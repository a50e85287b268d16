"""Splitters by name.

Takes: a name and settings.  Gives: a splitter.  Source: methods.md sections 1.1, 2 and 4.
Chunk ids are derived from content: see ``documents.chunk_ids``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from offbook.documents.acts import ACTSSplitter, ATSSplitter
from offbook.documents.graph_chunks import GraphSplitter
from offbook.documents.semantic import EmbedSentences, SemanticSplitter
from offbook.documents.splitters import FixedSplitter, MarkdownHeaderSplitter, RecursiveSplitter
from offbook.errors import ConfigurationError, UnknownName
from offbook.protocols import Splitter

FAITHFUL_WINDOW: Final[Mapping[str, Any]] = {"size": 600, "overlap": 100, "unit": "tokens"}
"""What paper 001 extracts from, and the `faithful` preset with it."""

_SPLITTERS: Final[dict[str, Callable[..., Splitter]]] = {
    "acts": ACTSSplitter,
    "ats": ATSSplitter,
    "fixed": FixedSplitter,
    "graph": GraphSplitter,
    "markdown": MarkdownHeaderSplitter,
    "recursive": RecursiveSplitter,
    "semantic": SemanticSplitter,
}
CHUNKINGS: Final = tuple(_SPLITTERS)
"""The names that ``make_splitter`` knows."""


def make_splitter(
    name: str, settings: Mapping[str, Any] | None = None, embed: EmbedSentences | None = None
) -> Splitter:
    """The splitter of that name.

    Args:
        name: One of ``CHUNKINGS``; it becomes the name of the chunking.
        settings: Arguments of the splitter's class, without ``name``; and ``preset``, which is
            ``default`` or ``faithful`` and makes a difference for ``graph`` only.
        embed: What ``semantic`` embeds sentences with.

    Raises:
        UnknownName: no splitter of that name.
        ConfigurationError: an argument that the splitter does not take, or a value out of range.
    """
    if name not in _SPLITTERS:
        near = get_close_matches(name, CHUNKINGS, n=1)
        raise UnknownName(
            f"no chunking is called {name!r}",
            (f"did you mean {near[0]!r}? " if near else "") + f"known: {', '.join(CHUNKINGS)}",
        )
    arguments = dict(settings or {})
    preset = arguments.pop("preset", "default")
    make = _SPLITTERS[name]
    if name == "graph" and preset == "faithful":
        make, arguments = FixedSplitter, {**FAITHFUL_WINDOW, **arguments}
    elif name == "semantic":
        if embed is None:
            raise ConfigurationError(
                "the semantic splitter has nothing to embed sentences with", "pass it `embed`"
            )
        arguments["embed"] = embed
    taken = [key for key in inspect.signature(make).parameters if key != "name"]
    unknown = sorted(set(arguments) - set(taken))
    if unknown:
        raise ConfigurationError(
            f"the chunking {name!r} has no setting {unknown[0]!r}",
            f"its settings: {', '.join(key for key in taken if key != 'embed')}",
        )
    return make(name=name, **arguments)
