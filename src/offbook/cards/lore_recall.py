"""Which entries of a lorebook go into the context: by keys and by meaning, within a budget.

Takes: a book, messages, a budget of tokens, and where there are any scores by meaning.  Gives: the
entries with the reason for each, and what was left out and why. Source: V2 and V3 specifications;
SillyTavern's documentation, "World Info" (recursion, groups, probability, sticky, cooldown).

Where SillyTavern stops at the first entry that does not fit, this goes on with the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from offbook.cards.key_search import PatternTime
from offbook.cards.lore_groups import Candidate, losers
from offbook.cards.lore_places import LorePlace, place_of
from offbook.cards.lorebook import Lorebook, LoreEntry
from offbook.cards.macros import MacroValues, expand
from offbook.cards.matching import (
    LoreMessage,
    Outcome,
    Scan,
    ScanSettings,
    key_score,
    scan_entry,
)
from offbook.language.tokens import count_tokens
from offbook.types import Skipped

KIND: Final = "lore"
_LOOKED_AT: Final = 40_000
"""Entries that recursion looks at again; of a very large book it takes fewer steps."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How entries are chosen.

    Attributes:
        budget_tokens: What all entries together may take; the book's own budget where it is less.
        scan: How messages are searched.
        recursive: Whether keys are looked for in active entries too; None: as the book says, and
            where it does not, whether one of its entries waits for it.
        recursion_steps: How often at most.
        seed: Decides on entries with a probability, and within groups.
    """

    budget_tokens: int = 512
    scan: ScanSettings = field(default_factory=ScanSettings)
    recursive: bool | None = None
    recursion_steps: int = 5
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

    ``used`` are in the order in which they stand in the prompt; ``activated`` is when each entry
    was last activated (by its name, in messages), to be given back at the next turn.
    """

    used: tuple[RecalledEntry, ...]
    skipped: tuple[Skipped, ...]
    activated: Mapping[str, int]


@dataclass(slots=True)
class _Active:
    index: int
    entry: LoreEntry
    outcome: Outcome
    score: float | None = None
    sticky: bool = False
    text: str = ""
    hidden: tuple[str, ...] = ()
    tokens: int = 0


def recall_lore(
    book: Lorebook,
    messages: Sequence[LoreMessage],
    values: MacroValues,
    settings: RecallSettings | None = None,
    *,
    similar: Mapping[int, float] | None = None,
    activated: Mapping[str, int] | None = None,
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
    found = similar or {}, activated or {}, withheld or {}
    recalling = _Recalling(book, scan, values, chosen, *found)
    return recalling.run(tokens_of)


class _Recalling:
    """One recall; the steps are in ``run``, in their order."""

    def __init__(
        self,
        book: Lorebook,
        scan: Scan,
        values: MacroValues,
        settings: RecallSettings,
        similar: Mapping[int, float],
        activated: Mapping[str, int],
        withheld: Mapping[int, str],
    ) -> None:
        self._book = book
        self._entries = book.entries
        self._now = len(scan.messages) + scan.earlier
        self._scan = scan
        self._values = values
        self._settings = settings
        self._similar = similar
        # A chat that went back forgets what was activated beyond its end.
        self._activated = {key: at for key, at in activated.items() if at <= self._now}
        self._withheld = dict(withheld)
        self._skipped: list[Skipped] = []
        self._active: dict[int, _Active] = {}

    def run(self, tokens_of: Callable[[str], int]) -> LoreRecall:
        self._activate(0)
        self._recurse()
        active = self._one_of_each_group(list(self._active.values()))
        for item in active:
            item.tokens = tokens_of(item.text)
        used = self._within_budget(active)
        for item in used:
            if not item.sticky:
                self._activated[_key(item.entry, item.index)] = self._now
        recalled = [
            RecalledEntry(
                item.index,
                item.entry,
                item.text,
                item.tokens,
                item.outcome.why,
                place_of(item.entry, self._now),
                item.outcome.keys,
                item.score,
            )
            for item in used
        ]
        recalled.sort(key=lambda item: (item.place, item.index))
        return LoreRecall(tuple(recalled), tuple(self._skipped), self._activated)

    def _skip(self, entry: LoreEntry, why: str) -> None:
        self._skipped.append(Skipped(KIND, entry.title[:120], why))

    def _activate(self, level: int) -> list[_Active]:
        """Activate what is not active yet; what a step activates is returned.

        ``level`` is 0 where messages are searched, and else how often entries were.
        """
        fresh: list[_Active] = []
        for index, entry in enumerate(self._entries):
            if index in self._active:
                continue
            if index in self._withheld:
                self._withhold(index, entry, level)
                continue
            item = self._outcome(index, entry, level)
            if item is not None:
                self._active[index] = item
                fresh.append(item)
        return fresh

    def _withhold(self, index: int, entry: LoreEntry, level: int) -> None:
        """Say, once, why an entry is left out that is called for."""
        why = self._withheld[index]
        if not why or _waits(entry, level):
            return
        outcome = scan_entry(entry, self._scan)
        if outcome.active or (level == 0 and index in self._similar and not outcome.barred):
            self._skip(entry, why)
            self._withheld[index] = ""

    def _outcome(self, index: int, entry: LoreEntry, level: int) -> _Active | None:
        timer = self._timer(index, entry)
        if timer is not None and timer.active:  # it stays, whatever the rest of it says
            return self._expanded(_Active(index, entry, timer, sticky=True))
        if timer is not None:
            if level == 0 and scan_entry(entry, self._scan).active:
                self._skip(entry, timer.why)
            return None
        return None if _waits(entry, level) else self._called(index, entry, first=level == 0)

    def _called(self, index: int, entry: LoreEntry, *, first: bool) -> _Active | None:
        """The entry where its keys, or its meaning, call for it."""
        outcome, score = scan_entry(entry, self._scan), self._similar.get(index)
        if first:
            for trouble in outcome.trouble:
                self._skip(entry, trouble)
        if not (outcome.active or outcome.barred) and score is not None and first:
            outcome = Outcome(True, f"it is near in meaning ({score:.2f})")
        if not outcome.active:
            return None
        if not self._lucky(index, entry):
            if first:
                self._skip(entry, f"its probability is {entry.extensions['probability']} %")
            return None
        return self._expanded(_Active(index, entry, outcome, score))

    def _expanded(self, item: _Active) -> _Active | None:
        expanded = expand(item.entry.text, self._values)
        item.text, item.hidden = expanded.text.strip(), expanded.hidden_keys
        return item if item.text else None

    def _timer(self, index: int, entry: LoreEntry) -> Outcome | None:
        """What delay, sticky and cooldown say; None where they say nothing."""
        extensions = entry.extensions
        delay = _count(extensions.get("delay"))
        if delay and self._now < delay:
            return Outcome(False, f"it waits for message {delay}")
        at = self._activated.get(_key(entry, index))
        if at is None or at == self._now:
            return None
        since, sticky = self._now - at, _count(extensions.get("sticky"))
        cooldown = _count(extensions.get("cooldown"))
        if since <= sticky and entry.enabled:
            return Outcome(True, f"sticky for {sticky} messages, {since} of them gone")
        if sticky < since <= sticky + cooldown:
            return Outcome(False, f"it cools down for {cooldown} messages")
        return None

    def _lucky(self, index: int, entry: LoreEntry) -> bool:
        extensions = entry.extensions
        chance = extensions.get("probability")
        if isinstance(chance, bool) or not isinstance(chance, int | float):
            return True
        if extensions.get("useProbability") is False:
            return True
        return chance >= 100 or _share(self._settings.seed, self._now, index) * 100 < chance

    def _recurse(self) -> None:
        wanted = self._settings.recursive
        if not (_recurses(self._book) if wanted is None else wanted):
            return
        levels = sorted({_level(entry) for entry in self._entries} - {0})
        level = levels.pop(0) if levels else 1
        fresh = list(self._active.values())
        steps = min(
            self._settings.recursion_steps, max(1, _LOOKED_AT // max(1, len(self._entries)))
        )
        for _ in range(steps):
            told = [
                item for item in fresh if item.entry.extensions.get("prevent_recursion") is not True
            ]
            if not told and not levels:
                return
            if not told:  # nothing more is found: those are looked at that wait for longer
                level = levels.pop(0)
            if told:
                self._scan.add("\n".join(part for i in told for part in (i.text, *i.hidden)))
            fresh = self._activate(level)

    def _one_of_each_group(self, active: list[_Active]) -> list[_Active]:
        candidates = [
            Candidate(item.index, item.entry, item.sticky)
            for item in active
            if item.entry.extensions.get("group")
        ]
        out = losers(
            candidates,
            lambda entry: key_score(entry, self._scan),
            lambda group: _share(self._settings.seed, self._now, group),
        )
        for index, why in out.items():
            self._skip(self._entries[index], why)
        return [item for item in active if item.index not in out]

    def _within_budget(self, active: list[_Active]) -> list[_Active]:
        own = self._book.token_budget
        budget = self._settings.budget_tokens
        budget = budget if own is None or own <= 0 else min(own, budget)
        left, used = budget, list[_Active]()
        for item in sorted(active, key=_rank):
            if item.entry.ignores_budget:
                used.append(item)
            elif item.tokens <= left:
                left -= item.tokens
                used.append(item)
            else:
                self._skip(
                    item.entry,
                    f"it takes {item.tokens} tokens, and {left} of {budget} are left "
                    f"({item.outcome.why})",
                )
        return used


def _rank(item: _Active) -> tuple[Any, ...]:
    """What goes first: constant, by key, by meaning; then priority, order, and likeness."""
    entry, keyed = item.entry, bool(item.outcome.keys)
    kind = 0 if entry.constant or entry.decorated.has("activate") else 1 if keyed else 2
    last = entry.decorated.has("ignore_on_max_context")
    return (last, kind, -entry.priority, -entry.insertion_order, -(item.score or 0), item.index)


def _waits(entry: LoreEntry, level: int) -> bool:
    """Whether recursion keeps an entry out of this step."""
    if level == 0:
        return _level(entry) > 0
    return entry.extensions.get("exclude_recursion") is True or _level(entry) > level


def _level(entry: LoreEntry) -> int:
    """The level of recursion that an entry waits for; 0: none."""
    value = entry.extensions.get("delay_until_recursion")
    return 1 if value is True else _count(value)


def _recurses(book: Lorebook) -> bool:
    if isinstance(book.raw.get("recursive_scanning"), bool):
        return book.recursive_scanning
    return any(map(_level, book.entries))


def _key(entry: LoreEntry, index: int) -> str:
    return f"#{index}" if entry.id is None else str(entry.id)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _share(seed: str, now: int, what: object) -> float:
    """A number from 0 to 1 that follows from its arguments."""
    text = f"{seed}\x1f{now}\x1f{what}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) / 2**64
