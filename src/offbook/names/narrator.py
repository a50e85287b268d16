"""Who tells a text as "I", where one of its people does.

Takes: a text and its cast.  Gives: the member of the cast, or nobody. Source: ours: who tells a
text is named in what others say and hardly ever in the narration, which says "I" instead.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from offbook.names.cast import Cast

_I: Final = re.compile(r"\bI(?!\w|\.)")
_EVERY: Final = 600
"""Characters of narration for one "I", at most: where others tell, there is none in thousands."""
_SPOKEN: Final = 0.75
"""The least share of the mentions of a narrator that stand in quotations."""
_FEWEST: Final = 2
_SAYS_SELF: Final = (
    r"(?:\bmy (?:own )?(?:full |christian |real )?name (?:is|was)|\b[Cc]all me|\bI am called|\bI,)"
    r" ?(?:{names})\b"
)


def narrator_of(text: str, number: int, cast: Cast) -> int | None:
    """Return who tells a text as "I": a member of the cast; None where nobody does, or it is open.

    Args:
        text: The text.
        number: Its number among the texts of the cast.
        cast: The cast.
    """
    spoken = sorted((each.start, each.end) for each in cast.quotations if each.text == number)
    starts = [start for start, _ in spoken]

    def is_spoken(place: int) -> bool:
        before = bisect_right(starts, place) - 1
        return before >= 0 and place < spoken[before][1]

    narration = len(text) - sum(end - start for start, end in spoken)
    times = sum(not is_spoken(match.start()) for match in _I.finditer(text))
    if not times or narration / times > _EVERY:
        return None
    mentions = [each for each in cast.mentions if each.text == number]
    everywhere = Counter(each.member for each in mentions)
    in_speech = Counter(each.member for each in mentions if is_spoken(each.start))
    for member, _ in everywhere.most_common():
        names = "|".join(map(re.escape, cast.members[member].aliases))
        match = re.search(_SAYS_SELF.format(names=names), text)
        if match is not None and not is_spoken(match.start()):
            return member
    called = {
        member: count
        for member, count in in_speech.items()
        if count >= _FEWEST and count >= _SPOKEN * everywhere[member]
    }
    return max(called, key=lambda member: called[member], default=None)
