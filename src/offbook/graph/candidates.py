"""Which raw entities are compared with which.

Takes: raw entities in reading order, their vectors, and what links equal names.  Gives: blocks of
mentions that are linked without a call, and the pairs that have to be judged.
Paper: RoleRAG (001), Algorithm 1, lines 4 to 6; ours: candidates by name, and one judgement a pair
of names where a later mention tells nothing new (methods.md 1, index step 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.graph.equal_names import name_key, speaks_against
from offbook.graph.neighbours import nearest_earlier
from offbook.language.name_evidence import speakers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.types import RawEntity

_BLOCKS: Final = 48
"""How many blocks of one name a mention is compared with."""

Pair = tuple[int, int]
"""A row and an earlier one."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How candidates are found; the presets differ here.

    Args:
        k: Nearest earlier entities that are compared.
        threshold: The least cosine similarity of a candidate.
        same_type: Only entities of one type are compared.
        by_name: Names that resemble one another are compared as well, however far apart in meaning.
        homonyms: Equal names are linked only where nothing speaks against it.
        once: A pair of names is judged once, and once more where a text names both.
    """

    k: int = 3
    threshold: float = 0.7
    same_type: bool = True
    by_name: bool = True
    homonyms: bool = True
    once: bool = True


@dataclass(frozen=True, slots=True)
class Blocks:
    """Mentions of equal names that are linked without a call.

    ``of`` is the block of each row; ``contested`` are pairs of equal names of which something
    speaks against linking them: they are judged like any candidate.
    """

    of: list[int]
    contested: list[Pair]


def link_equal_names(entities: Sequence[RawEntity], rules: Rules) -> Blocks:
    """Link equal names up to case and accents."""
    of: list[int] = []
    contested: list[Pair] = []
    latest: dict[str, list[int]] = {}
    spoken: dict[tuple[str, str], int] = {}
    for row, entity in enumerate(entities):
        # The last mention of each block of this name, the most recent block first. Very many
        # people say "my father": who said it before is found at once, others among the latest.
        key = _key(entity, row)
        before = latest.setdefault(key, [])
        said = speakers(entity.description) if rules.homonyms else ()
        own = dict.fromkeys(spoken[key, name] for name in said if (key, name) in spoken)
        near = [b for b in before if b not in own]
        fitting = next((b for b in (*own, *near) if _may_link(entities[b], entity, rules)), None)
        if fitting is None:
            contested += [(row, b) for b in before[: rules.k]]
            of.append(row)
        else:
            before[:] = [b for b in before if b != fitting]
            of.append(of[fitting])
        before.insert(0, row)
        del before[_BLOCKS:]
        spoken.update({(key, name): row for name in said})
    return Blocks(of, contested)


def _key(entity: RawEntity, row: int) -> str:
    # A name of signs only has no key: it equals nothing.
    return name_key(entity.name) or f"\0{row}"


def _may_link(a: RawEntity, b: RawEntity, rules: Rules) -> bool:
    return not rules.homonyms or speaks_against(a, b) is None


def candidate_pairs(
    entities: Sequence[RawEntity],
    vectors: NDArray[np.float32] | None,
    blocks: Blocks,
    rules: Rules,
    by_name: Callable[[Sequence[RawEntity], int], Sequence[Sequence[int]]],
) -> list[Pair]:
    """The pairs to judge, in reading order of their later mention.

    What is known as the end of a relation alone has no description that a meaning could be
    compared by: it is compared by its name.
    """
    found: list[list[int]] = [[] for _ in entities]
    for row, earlier in blocks.contested:
        found[row].append(earlier)
    if vectors is not None:
        types = [entity.type for entity in entities] if rules.same_type else None
        near = nearest_earlier(
            vectors, k=rules.k, threshold=rules.threshold, blocks=blocks.of, types=types
        )
        for row, picked in enumerate(near):
            if entities[row].type or not rules.by_name:
                found[row] += [earlier for earlier, _ in picked]
    if rules.by_name:
        for row, alike in enumerate(by_name(entities, rules.k)):
            found[row] += [
                earlier
                for earlier in alike
                if blocks.of[earlier] != blocks.of[row]
                and _of_one_type(entities, row, earlier, rules)
            ]
    pairs = [
        (row, earlier) for row, of_row in enumerate(found) for earlier in dict.fromkeys(of_row)
    ]
    return _once(entities, pairs, blocks) if rules.once else pairs


def _of_one_type(entities: Sequence[RawEntity], row: int, earlier: int, rules: Rules) -> bool:
    """Whether types allow it; what is known as the end of a relation alone has none."""
    one, other = entities[row].type, entities[earlier].type
    return not rules.same_type or one == other or not one or not other


def _once(entities: Sequence[RawEntity], pairs: Sequence[Pair], blocks: Blocks) -> list[Pair]:
    """The first pair of any two blocks, and the first whose description names the other."""
    first: set[tuple[int, int]] = set()
    telling: set[tuple[int, int]] = set()
    kept: list[Pair] = []
    for row, earlier in pairs:
        both = (blocks.of[earlier], blocks.of[row])
        tells = _names_other(entities[row], entities[earlier])
        if both not in first or (tells and both not in telling):
            kept.append((row, earlier))
        first.add(both)
        if tells:
            telling.add(both)
    return kept


def _names_other(a: RawEntity, b: RawEntity) -> bool:
    """Whether what is said of one names the other: there a text may say who is who."""
    one, other = a.name.casefold(), b.name.casefold()
    if one in other or other in one:
        return False
    return other in a.description.casefold() or one in b.description.casefold()
