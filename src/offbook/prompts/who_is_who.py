"""Who is who among the names of a whole text: which are one, and which name several bear.

Takes: names with how often they are mentioned and what single passages say of them.  Gives: groups
of names that are one person, place or thing, and names that stand for several, each with the
numbers of the sentences that tell it. Source: ours.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.entities import one_line, shortened
from offbook.prompts.prompt import Json, Prompt

_TOLD_CHARS: Final = 240


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name, its type, how often it is mentioned, and sentences, numbered from ``first``."""

    name: str
    type: str
    mentions: int
    told: tuple[str, ...]
    first: int

    def line(self) -> str:
        """The item of the wording."""
        count = f"{self.mentions} mention{'s' if self.mentions > 1 else ''}"
        head = f'"{one_line(self.name)}" ({", ".join(part for part in (self.type, count) if part)})'
        lines = (
            f"({number}) {shortened(one_line(sentence), _TOLD_CHARS)}"
            for number, sentence in enumerate(self.told, self.first)
        )
        return " ".join([head, *lines])

    @property
    def sentences(self) -> range:
        """The numbers of its sentences."""
        return range(self.first, self.first + len(self.told))


@dataclass(frozen=True, slots=True)
class WhoIsWhoInputs:
    """The names of one call, in the order of their first mention."""

    character: str
    names: tuple[KnownName, ...]


class OneAndTheSame(BaseModel):
    """Names, by number, that are one and the same; ``sentences`` tell it."""

    reason: str
    names: list[int]
    sentences: list[int]


class SeveralBearers(BaseModel):
    """A name that several bear: the sentences that speak of each of them."""

    reason: str
    number: int
    bearers: list[list[int]]


class WhoIsWho(BaseModel):
    """What is not listed is one name of one bearer."""

    same: list[OneAndTheSame]
    several: list[SeveralBearers]


def check_who_is_who(inputs: WhoIsWhoInputs, answer: WhoIsWho) -> None:
    """Only names and sentences that exist; a name in one group, or several if several bear it."""
    count = len(inputs.names)
    every = {n for name in inputs.names for n in name.sentences}
    named = [number for group in answer.same for number in dict.fromkeys(group.names)]
    parted = [several.number for several in answer.several]
    if unknown := sorted({n for n in (*named, *parted) if not 1 <= n <= count}):
        raise InvalidAnswer(f"there are {count} names; there is no number {unknown[:20]}")
    cited = {n for group in answer.same for n in group.sentences}
    if unknown := sorted(cited - every):
        raise InvalidAnswer(f"there are {len(every)} sentences, none of them {unknown[:20]}")
    for several in answer.several:
        valid = inputs.names[several.number - 1].sentences
        times_named = Counter(n for bearer in several.bearers for n in bearer)
        if wrong := sorted(n for n, times in times_named.items() if n not in valid or times > 1):
            raise InvalidAnswer(
                f"the bearers of name {several.number} part its sentences {list(valid)}, each with "
                f"one of them; {wrong[:20]} are none of these or stand twice"
            )
    if twice := sorted(n for n, times in Counter(parted).items() if times > 1):
        raise InvalidAnswer(
            f"names {twice[:20]} stand twice in several; list all bearers of a name in one item"
        )
    repeated = {n for n, times in Counter(named).items() if times > 1} - set(parted)
    if repeated:
        raise InvalidAnswer(
            f"names {sorted(repeated)[:20]} stand in several groups; put all names of one into one "
            "group, and a name that several bear into several as well"
        )


WHO_IS_WHO: Final = Prompt(
    name="who_is_who",
    stage="graph",
    inputs=WhoIsWhoInputs,
    answer=Json(WhoIsWho),
    source="ours",
    check=check_who_is_who,
)
"""Which names of a text are one, and which name do several bear?"""
