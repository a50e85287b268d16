"""Which file name asks for which format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from offbook.errors import UsageError
from offbook.graph.assembly import Graph
from offbook.graph.drawing.as_json import write_json
from offbook.graph.drawing.graphml import write_graphml
from offbook.graph.drawing.page import write_html
from offbook.graph.drawing.quotes import Quotes

Writer = Callable[[Graph, str, Quotes], str]
"""Turns a graph, the character's name and quotations into the text of a file."""

WRITERS: Final[dict[str, Writer]] = {
    ".html": write_html,
    ".graphml": write_graphml,
    ".json": write_json,
}


def writer_for(file: Path) -> Writer:
    """What writes a file of this name; case does not matter.

    Raises:
        UsageError: the suffix is none of the three.
    """
    try:
        return WRITERS[file.suffix.lower()]
    except KeyError:
        known = f"{', '.join(list(WRITERS)[:-1])} or {list(WRITERS)[-1]}"
        raise UsageError(
            f"cannot tell the format of {str(file)!r} from its name", f"let it end in {known}"
        ) from None
