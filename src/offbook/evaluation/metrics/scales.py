"""The scales on which a judge rates: name, range, direction, whole numbers or not.

Paper: RoleRAG (001), section 4.2; AMADEUS (003), section 5.2 and Figure 4; Emotional RAG (004),
section III, which follows InCharacter. Table 1 of 001 gives KE and KH as 0 to 10: the prompts of
its appendix and section 4.2 say 1 to 10, and so do we.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from offbook import registry

T = TypeVar("T")

Direction = Literal["higher", "lower"]
"""Which end of a scale is the better one."""


@dataclass(frozen=True, slots=True)
class JudgedScale:
    """What one rating of a judge may be.

    ``better`` is None where neither end is: an item of a personality test. ``unit`` is how a mean
    is read: points, or the share of replies that have the property.
    """

    name: str
    title: str
    low: float
    high: float
    better: Direction | None
    paper: str
    is_whole: bool = True
    unit: Literal["points", "share", "percent"] = "points"

    @property
    def span(self) -> float:
        """Distance of the two ends."""
        return self.high - self.low

    @property
    def midpoint(self) -> float:
        """The middle of the scale."""
        return (self.low + self.high) / 2

    @property
    def allowed(self) -> str:
        """What a rating may be, in words."""
        whole = "a whole number " if self.is_whole else ""
        return f"{whole}from {self.low:g} to {self.high:g}"

    def accepts(self, value: float) -> bool:
        """Whether ``value`` is a rating on this scale: within its range, and whole where it must.

        A value that is not accepted is missing; it is never moved to the nearest end.
        """
        if not math.isfinite(value) or not self.low <= value <= self.high:
            return False
        return not self.is_whole or float(value).is_integer()


_ROLERAG: Final = "RoleRAG (001), section 4.2"
_AMADEUS: Final = "AMADEUS (003), section 5.2"
_INCHARACTER: Final = "Emotional RAG (004), section III, after InCharacter"

_OURS: Final = (
    JudgedScale("ke", "Knowledge Exposure", 1, 10, "higher", _ROLERAG),
    JudgedScale("kh", "Knowledge Hallucination", 1, 10, "lower", _ROLERAG),
    JudgedScale("uqr", "Unknown-Question Rejection", 0, 1, "higher", _ROLERAG, unit="share"),
    JudgedScale("acc", "Answer contained", 0, 1, "higher", _AMADEUS, unit="share"),
    JudgedScale("acc_l", "Answer reflected", 1, 10, "higher", _AMADEUS),
    JudgedScale("hs", "Hallucination Score", 1, 10, "lower", _AMADEUS),
    JudgedScale("word_f1", "Words, F1", 0, 1, "higher", "ours", is_whole=False, unit="share"),
    JudgedScale(
        "word_recall", "Words recalled", 0, 1, "higher", "ours", is_whole=False, unit="share"
    ),
    JudgedScale(
        "spacetime",
        "Spatiotemporal consistency",
        0,
        1,
        "higher",
        "TimeChara",
        unit="share",
    ),
    JudgedScale("persona", "Persona kept", 1, 10, "higher", "ours"),
    JudgedScale(
        "consistency", "Consistent with what was said", 0, 1, "higher", "ours", unit="share"
    ),
    *(
        JudgedScale(name, title, 0, 100, "higher", "CoSER", is_whole=False)
        for name, title in (
            ("storyline_consistency", "Storyline consistency"),
            ("anthropomorphism", "Anthropomorphism"),
            ("character_fidelity", "Character fidelity"),
            ("storyline_quality", "Storyline quality"),
        )
    ),
    JudgedScale("mbti_item", "MBTI item, 1 = very much so", 1, 7, None, _AMADEUS),
    JudgedScale("bigfive_item", "Big Five item, 1 = very much so", 1, 5, None, _AMADEUS),
    JudgedScale("bfi_batch", "BFI dimension, a batch", 1, 5, None, _INCHARACTER, is_whole=False),
    JudgedScale(
        "16p_batch",
        "16Personalities dimension, a batch: percentage of the first pole",
        0,
        100,
        None,
        _INCHARACTER,
        is_whole=False,
        unit="percent",
    ),
    JudgedScale("bfi_option", "BFI item, 1 = strongly disagree", 1, 5, None, _INCHARACTER),
    JudgedScale("16p_option", "16Personalities item, 1 = strongly agree", 1, 7, None, _INCHARACTER),
)


class Registered(Mapping[str, T]):
    """What we declare by name, then what third parties register as metrics (``offbook.metric``)."""

    def __init__(self, ours: Mapping[str, T], part: Callable[[Any], T]) -> None:
        self._ours, self._part = ours, part

    def __getitem__(self, name: str) -> T:
        if name in self._ours:
            return self._ours[name]
        if name not in registry.names("metric"):
            raise KeyError(name)
        return self._part(registry.load("metric", name))

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._ours, *registry.names("metric")]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


SCALES: Final = Registered({scale.name: scale for scale in _OURS}, lambda metric: metric.scale)
"""All scales by name."""
