"""Which entries of a lorebook go into the context: by keys and by meaning, within a budget.

Takes: a book, messages, a budget of tokens, and where there are any scores by meaning.  Gives: the
entries with the reason for each, and what was left out and why. Source: V2 and V3 specifications;
SillyTavern's documentation, "World Info", and where that leaves it open, what its code does.

A book is scanned in steps: the messages, then what they called for, and so on.  Groups, chances and
the budget are settled in each step, so that what is not told calls for nothing.  Where SillyTavern
stops at the first entry that does not fit, this goes on with the next one.  Entries that are only
near in meaning take what is left in the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from offbook.cards.keys import PatternTime
from offbook.cards.lore_places import LorePlace, place_of
from offbook.cards.lore_timers import Timers
from offbook.cards.lorebook import USUAL_TOKENS, Lorebook, LoreEntry
from offbook.cards.macros import MacroValues, expand
from offbook.cards.matching import (
    LoreMessage,
    Outcome,
    Scan,
    ScanSettings,
    key_score,
    scan_entry,
)
from offbook.cards.raw_json import count_of
from offbook.text.tokens import count_tokens
from offbook.types import Skipped

_USUAL_WEIGHT: Final = 100.0
_GREATEST_WEIGHT: Final = 1e9
KIND: Final = "lore"
_LOOKED_AT: Final = 40_000
"""Entries that recursion looks at again, some 2 s; of a very large book it takes fewer steps."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How entries are chosen.

    Attributes:
        budget_tokens: What all entries together stay below, where the book says nothing.
        most_tokens: What the book's own budget may be; None: whatever it says.
        beyond_tokens: What entries with a key that is said may take beyond the budget, as far as
            constant ones have taken it from them.
        scan: How messages are searched.
        recursive: Whether keys are looked for in active entries too; None: unless the book says no.
        recursion_steps: How often at most; SillyTavern knows no end.
        seed: Decides on entries with a probability, and within groups.
    """

    budget_tokens: int = USUAL_TOKENS
    most_tokens: int | None = None
    beyond_tokens: int = 0
    scan: ScanSettings = field(default_factory=ScanSettings)
    recursive: bool | None = None
    recursion_steps: int = 100
    seed: str = ""


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """An entry that is used: its text without macros and decorators, and why it is there.

    ``index`` is its place in the book, ``place`` the one among all entries that are told, ``score``
    its likeness in meaning where that is known.
    """

    index: int
    entry: LoreEntry
    text: str
    tokens: int
    why: str
    place: LorePlace
    keys: tuple[str, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LoreRecall:
    """What a lorebook says to a conversation.

    ``used`` are in the order in which they stand in the prompt; ``activated`` is what runs for each
    entry, by its name, to be given back at the next turn.
    """

    used: tuple[RecalledEntry, ...]
    skipped: tuple[Skipped, ...]
    activated: Mapping[str, Timers]


def recall_lore(
    book: Lorebook,
    messages: Sequence[LoreMessage],
    values: MacroValues,
    settings: RecallSettings | None = None,
    *,
    similar: Mapping[int, float] | None = None,
    activated: Mapping[str, Timers] | None = None,
    withheld: Mapping[int, str] | None = None,
    tokens_of: Callable[[str], int] = count_tokens,
    earlier: int = 0,
    clock: PatternTime | None = None,
) -> LoreRecall:
    """The entries of ``book`` that belong to ``messages``.

    Args:
        book: The lorebook.
        messages: The conversation, oldest first.
        values: What macros in the entries stand for.
        settings: How entries are chosen.
        similar: Entries that a search by meaning found, by index, with their scores.
        activated: ``LoreRecall.activated`` of the turn before.
        withheld: Entries that are not known here, by index, and why: they take nothing of the
            budget, win no group, and no keys are looked for in them.
        tokens_of: Counts tokens.
        earlier: How many messages of the conversation stand before those that are given.
        clock: The time that patterns may take, where several recalls share it.
    """
    chosen = settings or RecallSettings()
    scan = Scan(messages, chosen.scan, book.scan_depth, values, clock, earlier)
    return _Recalling(
        book=book,
        entries=book.entries,
        scan=scan,
        values=values,
        settings=chosen,
        similar=similar or {},
        timers=dict(activated or {}),
        withheld=withheld or {},
        now=len(messages) + earlier,
        tokens_of=tokens_of,
    ).run()


@dataclass(slots=True)
class _Active:
    """An entry that is called for; ``text`` is known when groups and chances are settled."""

    index: int
    entry: LoreEntry
    outcome: Outcome
    score: float | None = None
    sticky: bool = False
    text: str = ""
    hidden: tuple[str, ...] = ()
    tokens: int = 0

    @property
    def is_constant(self) -> bool:
        """Whether nothing that is said calls for it."""
        return not self.sticky and not self.outcome.keys and self.score is None

    @property
    def rank(self) -> tuple[Any, ...]:
        """What goes first, as in SillyTavern: what stays, then what has the higher order."""
        entry = self.entry
        last = entry.decorated.has("ignore_on_max_context")
        priority = 0 if entry.is_of_sillytavern else -entry.priority
        return (
            not self.sticky,
            last,
            priority,
            -entry.insertion_order,
            -(self.score or 0),
            self.index,
        )


@dataclass(slots=True)
class _Recalling:
    """One recall; what it does is in ``run``.

    ``active`` are the entries of which it is settled that they are told, ``out`` those that are
    not; ``why`` says so of each, and of those on which a later step may decide otherwise.
    """

    book: Lorebook
    entries: tuple[LoreEntry, ...]
    scan: Scan
    values: MacroValues
    settings: RecallSettings
    similar: Mapping[int, float]
    timers: dict[str, Timers]
    withheld: Mapping[int, str]
    now: int
    tokens_of: Callable[[str], int]
    active: dict[int, _Active] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    starved: list[_Active] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    trouble: list[Skipped] = field(default_factory=list)
    why: dict[int, str] = field(default_factory=dict)
    spent: int = 0

    def run(self) -> LoreRecall:
        self.timers = {
            _key(entry, index): timers.at(entry, self.now)
            for index, entry in enumerate(self.entries)
            if (timers := self.timers.get(_key(entry, index)))
        }
        self._scan()
        self._settle(list(self._near()))
        self._feed_the_starved()
        for item in self.active.values():
            key = _key(item.entry, item.index)
            self.timers[key] = self.timers.get(key, Timers()).after(item.entry, self.now)
        used = [
            RecalledEntry(
                item.index,
                item.entry,
                item.text,
                item.tokens,
                item.outcome.why,
                place_of(item.entry, self.now),
                item.outcome.keys,
                item.score,
            )
            for item in self.active.values()
            if item.text
        ]
        used.sort(key=lambda item: (item.place, item.index))
        skipped = [
            Skipped(KIND, self.entries[index].title[:120], why)
            for index, why in self.why.items()
            if index not in self.active
        ]
        running = {key: timers for key, timers in self.timers.items() if timers != Timers()}
        return LoreRecall(tuple(used), (*self.trouble, *skipped), running)

    def _scan(self) -> None:
        """Scan the messages, and then what was told; a level of delay begins where no more is."""
        recursive = self.settings.recursive
        if recursive is None:
            recursive = self.book.recursive_scanning
        levels = sorted({_level(entry) for entry in self.entries} - {0})
        level = levels.pop(0) if levels else 0
        waits: Callable[[LoreEntry], bool] = _is_delayed
        most = min(self.settings.recursion_steps, max(1, _LOOKED_AT // max(1, len(self.entries))))
        for step in range(most + 1):
            told_now = self._settle(list(self._called_for(waits, first=step == 0)))
            spoken = [
                x for x in told_now if x.entry.extensions.get("prevent_recursion") is not True
            ]
            if not (recursive and spoken):
                if not levels:
                    return
                level = levels.pop(0)
            if spoken:
                self.scan.add("\n".join(part for i in spoken for part in (i.text, *i.hidden)))
            waits = _waiting(level, recursive=recursive)
        if recursive and most:
            why = f"keys are looked for in entries {most} times at most"
            self.trouble.append(Skipped(KIND, self.book.name[:120], why))

    def _called_for(self, waits: Callable[[LoreEntry], bool], *, first: bool) -> Iterator[_Active]:
        """The entries that a step calls for, of those on which nothing is settled yet."""
        for index, entry in enumerate(self.entries):
            if index in self.active or index in self.out or not entry.enabled:
                continue
            timers = self.timers.get(_key(entry, index), Timers())
            sticky = timers.sticky is not None
            if waits(entry) and not sticky:
                continue
            outcome = self._outcome(entry, timers)
            if first:
                self.trouble += [Skipped(KIND, entry.title[:120], why) for why in outcome.trouble]
            if not outcome.active:
                continue
            refused = self.withheld.get(index) or self._suppressed(entry, timers)
            if refused is not None:
                self._leave_out(index, refused)
                continue
            yield _Active(index, entry, outcome, sticky=sticky)

    def _outcome(self, entry: LoreEntry, timers: Timers) -> Outcome:
        if timers.sticky is None:
            return scan_entry(entry, self.scan)
        gone, stay = self.now - timers.sticky.start, timers.sticky.end - timers.sticky.start
        return Outcome(True, f"sticky for {stay} messages, {gone} of them gone")

    def _suppressed(self, entry: LoreEntry, timers: Timers) -> str | None:
        """Why an entry may not be told yet, whatever calls for it."""
        delay = count_of(entry.extensions.get("delay"))
        if self.now < delay:
            return f"it waits for message {delay}"
        if timers.cooldown is not None and timers.sticky is None:
            rest = timers.cooldown.end - timers.cooldown.start
            return f"it cools down for {rest} messages"
        return None

    def _leave_out(self, index: int, why: str) -> None:
        self.out.add(index)
        self.why[index] = why

    def _near(self) -> Iterator[_Active]:
        """The entries that are near in meaning, where they do not say themselves that they wait."""
        for index, score in self.similar.items():
            if index in self.active or index in self.out or not 0 <= index < len(self.entries):
                continue
            entry = self.entries[index]
            if _is_delayed(entry):
                continue
            timers = self.timers.get(_key(entry, index), Timers())
            if scan_entry(entry, self.scan).barred:
                continue
            refused = self.withheld.get(index) or self._suppressed(entry, timers)
            if refused is not None:
                self._leave_out(index, refused)
                continue
            outcome = Outcome(True, f"it is near in meaning ({score:.2f})")
            yield _Active(index, entry, outcome, score)

    def _settle(self, called: list[_Active]) -> list[_Active]:
        """Decide on what a step calls for: groups, then chances, then the budget."""
        called.sort(key=lambda item: item.rank)
        told_now, unlucky = list[_Active](), set[int]()
        lost = self._lost(called)
        for item in called:
            if item.index in lost:
                continue
            if not item.sticky and not self._lucky(item):
                unlucky.add(item.index)
                chance = item.entry.extensions["probability"]
                self._leave_out(item.index, f"its probability is {chance} %")
                continue
            self.groups.update(item.entry.groups)
            if self._fits(item):
                self.active[item.index] = item
                told_now.append(item)
        for index, (group, winner) in lost.items():
            self.why[index] = f"its group {group!r} is spoken for"
            if winner is not None:
                self.why[index] = f"{winner.entry.title[:60]!r} was chosen from its group {group!r}"
            # Where the chosen one has no luck, a further step may choose again.
            if winner is None or winner.index not in unlucky:
                self.out.add(index)
        return told_now

    def _lost(self, called: Sequence[_Active]) -> dict[int, tuple[str, _Active | None]]:
        """What gives way in a group, and to whom (None: to what an earlier step has told)."""
        groups: dict[str, list[_Active]] = {}
        for item in called:
            for group in item.entry.groups:
                groups.setdefault(group, []).append(item)
        lost: dict[int, tuple[str, _Active | None]] = {}
        for group, all_members in groups.items():
            members = [member for member in all_members if member.index not in lost]
            sticky = [member for member in members if member.sticky]
            if not members:
                continue
            winner = None
            if sticky:
                winner = sticky[0]
            elif group not in self.groups:
                winner = _winner(members, self.scan, _share(self.settings.seed, self.now, group))
            for member in members:
                if member is not winner and not member.sticky:
                    lost[member.index] = (group, winner)
        return lost

    def _lucky(self, item: _Active) -> bool:
        extensions = item.entry.extensions
        chance = extensions.get("probability")
        if isinstance(chance, bool) or not isinstance(chance, int | float):
            return True
        if extensions.get("useProbability") is False or chance >= 100:
            return True
        return _share(self.settings.seed, self.now, item.index) * 100 <= chance

    def _fits(self, item: _Active) -> bool:
        """Whether an entry stays below the budget; one without words takes nothing of it."""
        expanded = expand(item.entry.text, self.values)
        item.text, item.hidden = expanded.text.strip(), expanded.hidden_keys
        item.tokens = self.tokens_of(item.text) if item.text else 0
        if item.entry.ignores_budget or not item.text:
            return True
        if self.spent + item.tokens < self._budget:
            self.spent += item.tokens
            return True
        self.starved.append(item)
        left = max(0, self._budget - self.spent)
        self._leave_out(
            item.index,
            f"it takes {item.tokens} tokens, and {left} of {self._budget} are left "
            f"({item.outcome.why})",
        )
        return False

    @property
    def _budget(self) -> int:
        own, most = self.book.token_budget, self.settings.most_tokens
        if own is None or own <= 0:
            return self.settings.budget_tokens
        return own if most is None else min(own, most)

    def _feed_the_starved(self) -> None:
        """Tell entries with a key that is said in the place of what constant ones have taken."""
        constant = sum(item.tokens for item in self.active.values() if item.is_constant)
        room = min(self.settings.beyond_tokens, constant)
        for item in sorted(self.starved, key=lambda item: item.rank):
            if item.outcome.keys and item.tokens <= room:
                room -= item.tokens
                self.active[item.index] = item


def _winner(members: Sequence[_Active], scan: Scan, share: float) -> _Active:
    """The one of a group that stays: a firm one, or one by its weight."""
    counting = [m for m in members if m.entry.extensions.get("use_group_scoring") is True]
    if counting and len(members) > 1:
        # Of those that want keys to be counted, the ones of which fewer are said go.
        scores = {member.index: key_score(member.entry, scan) for member in members}
        beaten = {m.index for m in counting if scores[m.index] < max(scores.values())}
        members = [member for member in members if member.index not in beaten]
    firm = [m for m in members if m.entry.extensions.get("group_override") is True]
    if firm:
        return max(firm, key=lambda member: member.entry.insertion_order)
    weights = [_weight(member.entry.extensions.get("group_weight")) for member in members]
    mark = share * sum(weights)
    for member, weight in zip(members, weights, strict=True):
        mark -= weight
        if mark <= 0:
            return member
    return members[-1]


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return _USUAL_WEIGHT
    return float(min(value, _GREATEST_WEIGHT))


def _is_delayed(entry: LoreEntry) -> bool:
    return _level(entry) > 0


def _waiting(level: int, *, recursive: bool) -> Callable[[LoreEntry], bool]:
    """What keeps an entry out of a step in which entries are scanned."""

    def waits(entry: LoreEntry) -> bool:
        excluded = recursive and entry.extensions.get("exclude_recursion") is True
        return excluded or _level(entry) > level

    return waits


def _level(entry: LoreEntry) -> int:
    """The level of recursion that an entry waits for; 0: none."""
    value = entry.extensions.get("delay_until_recursion")
    return 1 if value is True else count_of(value)


def _key(entry: LoreEntry, index: int) -> str:
    return f"#{index}" if entry.id is None else str(entry.id)


def _share(seed: str, now: int, what: object) -> float:
    """A number from 0 to 1 that follows from its arguments."""
    text = f"{seed}\x1f{now}\x1f{what}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) / 2**64
