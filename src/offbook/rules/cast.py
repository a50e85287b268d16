"""Who is in a text, by its names: without a model. Source: ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from offbook.types import Cast, CastMember, CastMention

_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def read_cast(
    texts: Sequence[str],
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
) -> Cast:
    """Read the cast of texts: see ``protocols.CastReader``."""
    found = [
        (number, match.start(), match.end(), match[0])
        for number, text in enumerate(texts)
        for match in _NAME.finditer(text)
    ]
    names = [name for name, count in Counter(name for *_, name in found).most_common() if count > 2]
    places = {name: place for place, name in enumerate(names)}
    mentions = [
        CastMention(number, start, end, places[name])
        for number, start, end, name in found
        if name in places
    ]
    return Cast(tuple(CastMember(name, (name,)) for name in names), tuple(mentions))
