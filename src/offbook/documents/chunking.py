"""Splitters by name: docs/documents.md, "Chunkings"."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from offbook import registry
from offbook.documents.splitters import EmbedSentences, FixedSplitter
from offbook.errors import ConfigurationError
from offbook.protocols import Splitter

FAITHFUL_WINDOW: Final[Mapping[str, Any]] = {"size": 600, "overlap": 100, "unit": "tokens"}
"""What paper 001 extracts from, and the `faithful` preset with it."""


def make_splitter(
    name: str, settings: Mapping[str, Any] | None = None, embed: EmbedSentences | None = None
) -> Splitter:
    """The splitter of that name.

    Args:
        name: A registered one; it becomes the name of the chunking.
        settings: Arguments of the splitter's class, without ``name``; and ``preset``, which is
            ``default`` or ``faithful`` and makes a difference for ``graph`` only.
        embed: Embeds sentences, for splitters that take it.

    Raises:
        UnknownName: no splitter of that name.
        ConfigurationError: an argument that the splitter does not take, or a value out of range.
    """
    make = registry.load("splitter", name)
    arguments = dict(settings or {})
    preset = arguments.pop("preset", "default")
    if name == "graph" and preset == "faithful":
        make, arguments = FixedSplitter, {**FAITHFUL_WINDOW, **arguments}
    if "embed" in inspect.signature(make).parameters:
        if embed is None:
            raise ConfigurationError(
                f"the {name} splitter has nothing to embed sentences with", "pass it `embed`"
            )
        arguments["embed"] = embed
    taken = [key for key in inspect.signature(make).parameters if key != "name"]
    unknown = sorted(set(arguments) - set(taken))
    if unknown:
        raise ConfigurationError(
            f"the chunking {name!r} has no setting {unknown[0]!r}",
            f"its settings: {', '.join(key for key in taken if key != 'embed')}",
        )
    splitter: Splitter = make(name=name, **arguments)
    return splitter
