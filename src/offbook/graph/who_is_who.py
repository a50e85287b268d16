"""One look at all names of a text: which are one, and which name several bear.

What a single passage cannot settle is seen where all that is said stands together. The answer is
kept by what was shown; joins and splits are derived from it, and recorded as decisions.
Source: ours.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from offbook.graph.candidates import Blocks
from offbook.graph.verdicts import decision_id
from offbook.models.batching import PutAside, ask_in_batches, tokens_of
from offbook.names.evidence import says_who
from offbook.names.identity import share_a_word
from offbook.names.person import is_person, parse_name
from offbook.prompts.who_is_who import WHO_IS_WHO, KnownName, WhoIsWho, WhoIsWhoInputs
from offbook.types import Decision

if TYPE_CHECKING:
    from offbook.graph.candidates import Pair
    from offbook.models.batching import Asking
    from offbook.types import RawEntity

_WINDOW_TOKENS: Final = 8_000
_LEADING: Final = 8
"""The most mentioned stand in each window: a name that resembles nobody's may be theirs."""
_MORE_ROUNDS: Final = 2
"""How often names that may be one, and stood in different windows, are put together anew."""
_LONG_NUMBER: Final = 10_000
"""Sentences are numbered as they are put together; sizes are those with numbers as long as this."""
_TOLD: Final = 8
"""Sentences of a person's name that two may well bear: a given name, a surname, a title."""
_OF_FULL: Final = 3
_OF_THINGS: Final = 1

Block = tuple[int, ...]
"""Rows of mentions that are linked by their equal names, ascending."""


@dataclass(frozen=True, slots=True)
class Window:
    """Names that are shown together.

    Args:
        blocks: The mentions of each name.
        names: What is shown of each.
        rows: The mention that each sentence is from, by its number less one.
        chunks: Where all mentions are from.
    """

    blocks: tuple[Block, ...]
    names: tuple[KnownName, ...]
    rows: tuple[int, ...]
    chunks: tuple[str, ...]

    @property
    def key(self) -> str:
        """Identifies the question."""
        shown = json.dumps([[name.line(), name.first] for name in self.names])
        return hashlib.blake2b(shown.encode(), digest_size=16).hexdigest()


def windows_of(
    entities: Sequence[RawEntity], blocks: Blocks, pairs: Sequence[Pair]
) -> list[Window]:
    """Show all persons, and whatever else has candidates; those that may be one stand together.

    Args:
        entities: In reading order.
        blocks: The mentions that are linked by their equal names.
        pairs: Mentions that may be one, as rows.
    """
    members: dict[int, list[int]] = {}
    for row, block in enumerate(blocks.of):
        members.setdefault(block, []).append(row)
    compared = {blocks.of[row] for row in chain.from_iterable(pairs)}
    shown = {
        block: tuple(rows)
        for block, rows in members.items()
        if block in compared or any(is_person(entities[row].type) for row in rows)
    }
    if len(shown) < 2:
        return []
    costs = {block: _cost(entities, rows) for block, rows in shown.items()}
    if sum(costs.values()) <= _WINDOW_TOKENS:
        return [_window(entities, list(shown.values()))]
    leading = sorted(shown, key=lambda block: (-len(shown[block]), block))[:_LEADING]
    room = _WINDOW_TOKENS - sum(costs[block] for block in leading)
    order = _in_order(shown.keys() - set(leading), blocks, pairs)
    sets = [{*leading, *part} for part in _filled(order, costs, room)]
    for _ in range(_MORE_ROUNDS):
        left = [pair for pair in pairs if not any({blocks.of[r] for r in pair} <= s for s in sets)]
        order = _in_order({blocks.of[row] for row in chain.from_iterable(left)}, blocks, left)
        sets += [set(part) for part in _filled(order, costs, _WINDOW_TOKENS) if len(part) > 1]
    return [_window(entities, [shown[block] for block in sorted(part)]) for part in sets]


def _filled(order: Sequence[int], costs: Mapping[int, int], room: int) -> list[list[int]]:
    """Blocks in their order, in parts of at most ``room`` tokens, or of one."""
    parts: list[list[int]] = []
    left = 0
    for block in order:
        if not parts or costs[block] > left:
            parts.append([])
            left = room
        parts[-1].append(block)
        left -= costs[block]
    return parts


def _in_order(shown: Set[int], blocks: Blocks, pairs: Sequence[Pair]) -> list[int]:
    """Blocks by their first mentions, each followed by those that may be one with it."""
    near: dict[int, list[int]] = {}
    for a, b in pairs:
        one, other = blocks.of[a], blocks.of[b]
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    ordered: dict[int, None] = {}
    for block in sorted(shown):
        waiting = [block]
        while waiting:
            following = waiting.pop(0)
            if following in shown and following not in ordered:
                ordered[following] = None
                waiting += near.get(following, ())
    return list(ordered)


def _told(entities: Sequence[RawEntity], rows: Block) -> list[int]:
    """The mentions whose descriptions are shown, in reading order."""
    first = {entities[row].description: row for row in reversed(rows) if entities[row].description}
    most = _OF_FULL if parse_name(entities[rows[0]].name).is_full else _TOLD
    if not any(is_person(entities[row].type) for row in rows):
        most = _OF_THINGS
    return sorted(sorted(first.values(), key=lambda row: (not _tells(entities[row]), row))[:most])


def _tells(entity: RawEntity) -> bool:
    """Whether it says who the bearer of the name is."""
    return bool(entity.aliases) or says_who(entity.description, entity.name)


def _known(entities: Sequence[RawEntity], rows: Block, first: int) -> KnownName:
    name, _ = Counter(entities[row].name for row in rows).most_common(1)[0]
    kind, _ = Counter(entities[row].type for row in rows).most_common(1)[0]
    described = (entities[row] for row in _told(entities, rows))
    return KnownName(name, kind, len(rows), tuple(map(_sentence, described)), first)


def _sentence(entity: RawEntity) -> str:
    """A description with the other names that its passage states."""
    called = f"; also called {', '.join(entity.aliases)}" if entity.aliases else ""
    return f"{entity.description}{called}"


def _cost(entities: Sequence[RawEntity], rows: Block) -> int:
    return tokens_of(_known(entities, rows, _LONG_NUMBER).line())


def _window(entities: Sequence[RawEntity], blocks: Sequence[Block]) -> Window:
    rows: list[int] = []
    names: list[KnownName] = []
    for block in blocks:
        names.append(_known(entities, block, len(rows) + 1))
        rows += _told(entities, block)
    chunks = dict.fromkeys(entities[row].chunk for block in blocks for row in block)
    return Window(tuple(blocks), tuple(names), tuple(rows), tuple(chunks))


KeepSettled = Callable[[Sequence[tuple[Window, WhoIsWho]]], Awaitable[None]]


async def ask_who_is_who(
    windows: Sequence[Window], known: Mapping[str, WhoIsWho], asking: Asking, keep: KeepSettled
) -> list[PutAside[Window]]:
    """Have the windows looked at that are not in ``known``; answers are kept as they arrive.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask(batch: Sequence[Window]) -> list[WhoIsWho]:
        (window,) = batch
        inputs = WhoIsWhoInputs(asking.character, window.names)
        return [await asking.ask(WHO_IS_WHO, inputs, window.chunks)]

    return await ask_in_batches([[w] for w in windows if w.key not in known], ask, keep)


@dataclass(frozen=True, slots=True)
class Settled:
    """What the answers come to.

    Args:
        blocks: With those parted whose name several bear.
        joins: Mentions, one of each of two blocks, that are one and the same.
        decisions: Joins and splits, with the reason and the chunks that show it.
        together: The blocks of each window that was answered.
    """

    blocks: Blocks
    joins: list[Pair]
    decisions: list[Decision]
    together: list[frozenset[int]]

    def holds(self, *blocks: int) -> bool:
        """Whether all of these blocks were seen together."""
        return any(window.issuperset(blocks) for window in self.together)


def settle(
    entities: Sequence[RawEntity],
    blocks: Blocks,
    windows: Sequence[Window],
    known: Mapping[str, WhoIsWho],
) -> Settled:
    """Derive joins and splits from the answers to these windows."""
    of = list(blocks.of)
    answered = [(window, known[window.key]) for window in windows if window.key in known]
    made: dict[str, Decision] = {}
    for window, answer in answered:
        for several in answer.several:
            parts = _parts(window, several.number, several.bearers)
            for part in parts[1:]:
                # What another window has parted stays so.
                bearers = dict.fromkeys(of[row] for row in part)
                fresh = dict(zip(bearers, count(max(of) + 1), strict=False))
                for row in part:
                    of[row] = fresh[of[row]]
                decision = _decision(entities, parts[0][0], part[0], several.reason, same=False)
                made[decision.id] = decision
    joins: list[Pair] = []
    for window, answer in answered:
        for group in answer.same:
            cited = {window.rows[number - 1] for number in group.sentences}
            firsts = sorted(_bearers(window, of, sorted(set(group.names)), cited))
            evidence = [entities[row].chunk for row in sorted(cited)]
            for pair in _pairs(entities, firsts):
                joins.append(pair)
                decision = _decision(entities, *pair, group.reason, same=True)
                both = tuple(dict.fromkeys([*decision.evidence, *evidence]))
                made[decision.id] = replace(decision, evidence=both)
    together = [frozenset(of[row] for block in w.blocks for row in block) for w, _ in answered]
    parted = Blocks(of, blocks.contested)
    return Settled(parted, joins, list(made.values()), together)


def _parts(window: Window, number: int, bearers: Sequence[Sequence[int]]) -> list[list[int]]:
    """The mentions of each bearer of a name; one without a number goes with the one before it."""
    home = {window.rows[n - 1]: place for place, bearer in enumerate(bearers) for n in bearer}
    if len(set(home.values())) < 2:
        return []
    parts: dict[int, list[int]] = {}
    current = home[min(home)]
    for row in window.blocks[number - 1]:
        current = home.get(row, current)
        parts.setdefault(current, []).append(row)
    return list(parts.values())


def _bearers(
    window: Window, of: Sequence[int], numbers: Sequence[int], cited: Iterable[int]
) -> list[int]:
    """The first mention of whom each name means; of several bearers the one that is cited."""
    firsts = []
    for number in numbers:
        rows = window.blocks[number - 1]
        meant = {of[row] for row in rows}
        if len(meant) > 1:
            meant = {of[row] for row in cited if row in rows}
        if len(meant) == 1:
            firsts.append(next(row for row in rows if of[row] in meant))
    return firsts


def _pairs(entities: Sequence[RawEntity], firsts: Sequence[int]) -> list[Pair]:
    """Each with the first, and with the latest before it that shares a word of the name.

    A name that is known later may stand between the two: what is told up to a point has to hold
    them together without it.
    """
    pairs: list[Pair] = []
    for place, row in enumerate(firsts[1:], 1):
        near = next(
            (
                other
                for other in reversed(firsts[1:place])
                if share_a_word(entities[other].name, entities[row].name)
            ),
            None,
        )
        pairs += [(row, firsts[0])] if near is None else [(row, firsts[0]), (row, near)]
    return pairs


def _decision(
    entities: Sequence[RawEntity], a: int, b: int, reason: str, *, same: bool
) -> Decision:
    one, other = sorted((a, b))
    return Decision(
        id=decision_id(entities[one].id, entities[other].id),
        a=entities[other].id,
        b=entities[one].id,
        same=same,
        by=WHO_IS_WHO.name,
        reason=" ".join(reason.split()),
        evidence=tuple(dict.fromkeys([entities[one].chunk, entities[other].chunk])),
    )
