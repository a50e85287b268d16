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
from typing import Any, Final, TypeGuard

from offbook.cards.decorators import Decorated
from offbook.cards.keys import PatternTime
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
from offbook.cards.raw_json import extension_of, object_of, text_of
from offbook.text.tokens import count_tokens
from offbook.types import Skipped

_BEFORE, _AFTER, _EXAMPLES, _TALK = 0, 1, 2, 3
_NOTE_DEPTH: Final = 4  # where SillyTavern puts the author's note, unless somebody moves it

# SillyTavern's numbers: part of the prompt, and what stands there already.
_NUMBERED: Final = {
    0: (_BEFORE, 0),
    1: (_AFTER, 0),
    2: (_TALK, -1),  # above the author's note
    3: (_TALK, 1),  # below it
    4: (_TALK, 0),  # at a depth of its own
    5: (_EXAMPLES, -1),  # above the example dialogue
    6: (_EXAMPLES, 1),  # below it
}
_DEPTH: Final = 4
_OUTLET: Final = 7
_DESCRIBED: Final = {"before_desc": _BEFORE}
_UNHEARD: Final = {
    "instruct_depth": "the talk is made of messages",
    "reverse_instruct_depth": "the talk is made of messages",
    "instruct_scan_depth": "the talk is made of messages",
    "is_user_icon": "people have no icons",
    "disable_ui_prompt": "offbook's own rules always stand",
}
_SOURCES: Final = (
    "match_persona_description",
    "match_character_description",
    "match_character_personality",
    "match_character_depth_prompt",
    "match_scenario",
    "match_creator_notes",
)
_USUAL_WEIGHT: Final = 100.0
_GREATEST_WEIGHT: Final = 1e9
KIND: Final = "lore"
_LOOKED_AT: Final = 40_000
"""Entries that recursion looks at again; of a very large book it takes fewer steps."""


@dataclass(frozen=True, slots=True, order=True)
class LorePlace:
    """A place in the order of entries: part of the prompt, depth, side, and ``insertion_order``.

    All entries stand together behind the conversation, since what changes with every question must
    not stand in front of what does not (providers' caches). What belongs before the character
    comes first, what belongs nearest to the last message last.

    ``nearness`` is the depth counted so that what is nearer to the end of the talk is greater.
    """

    part: int
    nearness: int
    side: int
    order: float


def place_of(entry: LoreEntry, messages: int) -> LorePlace:
    """The place of an entry in a conversation of so many messages."""
    part, side, depth = _wanted(entry, entry.decorated, messages)
    return LorePlace(part, -depth if part == _TALK else 0, side, entry.insertion_order)


def _wanted(entry: LoreEntry, decorated: Decorated, messages: int) -> tuple[int, int, int]:
    """Part, side and depth; a decorator wins over a field, and a position over a depth."""
    if decorated.has("position"):
        return _DESCRIBED.get(decorated.known["position"], _AFTER), 0, 0
    depth = decorated.whole("depth")
    if depth is None and (counted := decorated.whole("reverse_depth")) is not None:
        depth = max(0, messages - counted)
    if depth is not None:
        return _TALK, 0, depth
    number = entry.extensions.get("position")
    if _is_whole(number) and number in _NUMBERED:
        part, side = _NUMBERED[number]
        entry_depth = entry.extensions.get("depth")
        return (
            part,
            side,
            max(0, entry_depth) if number == _DEPTH and _is_whole(entry_depth) else _NOTE_DEPTH,
        )
    return (_BEFORE if entry.position == "before_char" else _AFTER), 0, 0


def unheard_wishes(entry: LoreEntry) -> tuple[str, ...]:
    """What of an entry's wishes is read and not followed, in words for a person."""
    extensions, decorated = entry.extensions, entry.decorated
    unheard = [f"@@{name}: {why}" for name, why in _UNHEARD.items() if decorated.has(name)]
    if decorated.has("depth") or decorated.has("reverse_depth") or extensions.get("position") == 4:
        unheard.append("depth: it is one in the order of entries, and no place among messages")
    role = extensions.get("role")
    if decorated.has("role") or (_is_whole(role) and role > 0):
        unheard.append("role: entries are told as what the character knows")
    if extensions.get("position") == _OUTLET:
        unheard.append("outlet: the entry is told with the others")
    sources = [name for name in _SOURCES if extensions.get(name) is True]
    if sources:
        unheard.append(f"{', '.join(sources)}: keys are looked for in messages alone")
    only = extension_of(entry.raw, "offbook/sillytavern").get("only")
    if object_of(only).get("characterFilter"):
        unheard.append("characterFilter: whoever has the book may recall the entry")
    return tuple(unheard)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How entries are chosen.

    Attributes:
        budget_tokens: What all entries together may take, where the book says nothing.
        most_tokens: What the book's own budget may be; None: whatever it says.
        scan: How messages are searched.
        recursive: Whether keys are looked for in active entries too; None: unless the book says no.
        recursion_steps: How often at most.
        seed: Decides on entries with a probability, and within groups.
    """

    budget_tokens: int = 2_048
    most_tokens: int | None = None
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


def _winner(members: list[_Active], scan: Scan, share: float) -> _Active:
    """The one of a group that stays: a sticky one, a firm one, or one by its weight."""
    sticky = next((member for member in members if member.sticky), None)
    if sticky is not None:
        return sticky
    counting = [m for m in members if m.entry.extensions.get("use_group_scoring") is True]
    if counting:  # of those that want keys to be counted, the ones of which fewer are said go
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
        if mark < 0:
            return member
    return members[-1]


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return _USUAL_WEIGHT
    return float(min(value, _GREATEST_WEIGHT))


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
    now = len(messages) + earlier
    recalling = _Recalling(
        book=book,
        scan=scan,
        values=values,
        settings=chosen,
        similar=similar or {},
        # A chat that went back forgets what was activated beyond its end.
        activated={key: message for key, message in (activated or {}).items() if message <= now},
        withheld=dict(withheld or {}),
        now=now,
    )
    return recalling.run(tokens_of)


@dataclass(slots=True)
class _Recalling:
    """One recall; the steps are in ``run``, in their order."""

    book: Lorebook
    scan: Scan
    values: MacroValues
    settings: RecallSettings
    similar: Mapping[int, float]
    activated: dict[str, int]
    withheld: dict[int, str]
    now: int
    skipped: list[Skipped] = field(default_factory=list)
    active: dict[int, _Active] = field(default_factory=dict)

    def run(self, tokens_of: Callable[[str], int]) -> LoreRecall:
        self._activate(0)
        self._recurse()
        active = self._one_of_each_group(list(self.active.values()))
        for item in active:
            item.tokens = tokens_of(item.text)
        used = self._within_budget(active)
        for item in used:
            if not item.sticky:
                self.activated[_key(item.entry, item.index)] = self.now
        recalled = [
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
            for item in used
        ]
        recalled.sort(key=lambda item: (item.place, item.index))
        return LoreRecall(tuple(recalled), tuple(self.skipped), self.activated)

    def _skip(self, entry: LoreEntry, why: str) -> None:
        self.skipped.append(Skipped(KIND, entry.title[:120], why))

    def _activate(self, level: int) -> list[_Active]:
        """Activate what is not active yet; what a step activates is returned.

        ``level`` is 0 where messages are searched, and else how often entries were.
        """
        fresh: list[_Active] = []
        for index, entry in enumerate(self.book.entries):
            if index in self.active:
                continue
            if index in self.withheld:
                self._withhold(index, entry, level)
                continue
            item = self._outcome(index, entry, level)
            if item is not None:
                self.active[index] = item
                fresh.append(item)
        return fresh

    def _withhold(self, index: int, entry: LoreEntry, level: int) -> None:
        """Say, once, why an entry is left out that is called for."""
        why = self.withheld[index]
        if not why or _waits(entry, level):
            return
        outcome = scan_entry(entry, self.scan)
        if outcome.active or (level == 0 and index in self.similar and not outcome.barred):
            self._skip(entry, why)
            self.withheld[index] = ""

    def _outcome(self, index: int, entry: LoreEntry, level: int) -> _Active | None:
        timer = self._timer(index, entry)
        if timer is not None and timer.active:  # it stays, whatever the rest of it says
            return self._expanded(_Active(index, entry, timer, sticky=True))
        if timer is not None:
            if level == 0 and scan_entry(entry, self.scan).active:
                self._skip(entry, timer.why)
            return None
        return None if _waits(entry, level) else self._called(index, entry, first=level == 0)

    def _called(self, index: int, entry: LoreEntry, *, first: bool) -> _Active | None:
        """The entry where its keys, or its meaning, call for it."""
        outcome, score = scan_entry(entry, self.scan), self.similar.get(index)
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
        expanded = expand(item.entry.text, self.values)
        item.text, item.hidden = expanded.text.strip(), expanded.hidden_keys
        return item if item.text else None

    def _timer(self, index: int, entry: LoreEntry) -> Outcome | None:
        """What delay, sticky and cooldown say; None where they say nothing."""
        extensions = entry.extensions
        delay = _count(extensions.get("delay"))
        if delay and self.now < delay:
            return Outcome(False, f"it waits for message {delay}")
        activated = self.activated.get(_key(entry, index))
        if activated is None or activated == self.now:
            return None
        since, sticky = self.now - activated, _count(extensions.get("sticky"))
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
        return chance >= 100 or _share(self.settings.seed, self.now, index) * 100 < chance

    def _recurse(self) -> None:
        recursive = self.settings.recursive
        if recursive is None:
            recursive = self.book.recursive_scanning
        if not recursive:
            return
        levels = sorted({_level(entry) for entry in self.book.entries} - {0})
        level = levels.pop(0) if levels else 1
        fresh = list(self.active.values())
        steps = min(
            self.settings.recursion_steps, max(1, _LOOKED_AT // max(1, len(self.book.entries)))
        )
        for _ in range(steps):
            open_items = [
                item for item in fresh if item.entry.extensions.get("prevent_recursion") is not True
            ]
            if not open_items and not levels:
                return
            if not open_items:  # nothing more is found: those are looked at that wait for longer
                level = levels.pop(0)
            if open_items:
                self.scan.add("\n".join(part for i in open_items for part in (i.text, *i.hidden)))
            fresh = self._activate(level)

    def _one_of_each_group(self, active: list[_Active]) -> list[_Active]:
        """Leave out what gives way in a group; an entry may name several, with commas between."""
        groups: dict[str, list[_Active]] = {}
        for item in active:
            names = text_of(item.entry.extensions.get("group")).split(",")
            for group in dict.fromkeys(name.strip() for name in names if name.strip()):
                groups.setdefault(group, []).append(item)
        out = set[int]()
        for group, members in groups.items():
            left = [member for member in members if member.index not in out]
            if len(left) < 2:
                continue
            winner = _winner(left, self.scan, _share(self.settings.seed, self.now, group))
            for member in left:
                if member is not winner:
                    out.add(member.index)
                    title = winner.entry.title[:60]
                    self._skip(member.entry, f"{title!r} was chosen from its group {group!r}")
        return [item for item in active if item.index not in out]

    def _within_budget(self, active: list[_Active]) -> list[_Active]:
        budget = self.settings.budget_tokens
        book_budget, most = self.book.token_budget, self.settings.most_tokens
        if book_budget is not None and book_budget > 0:
            budget = book_budget if most is None else min(book_budget, most)
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


def _key(entry: LoreEntry, index: int) -> str:
    return f"#{index}" if entry.id is None else str(entry.id)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _share(seed: str, now: int, what: object) -> float:
    """A number from 0 to 1 that follows from its arguments."""
    text = f"{seed}\x1f{now}\x1f{what}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) / 2**64
