"""Users correct who is who: corrections are recorded, undone, listed, and followed by the graph.

Takes: two names, or the id of a decision.  Gives: the correction, recorded before anything else is
done, and the entities that have the names now. No text is read again; models are asked only about
what the correction touches. A correction that contradicts an earlier one is refused: the
graph could follow only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from offbook.app.documents import (
    AliasReport,
    Known,
    done_already,
    rebuild,
    require_graph,
    told_on_stderr,
)
from offbook.errors import UnknownName, UsageError
from offbook.graph.assembly import load_graph, load_story
from offbook.graph.entity_normalization import Links
from offbook.graph.mentions import find_mention
from offbook.graph.verdicts import decision_id
from offbook.ingestion.cast import kept_cast
from offbook.ingestion.lease import ingestion_lease
from offbook.names.identity import name_key
from offbook.prompts.entities import VERIFY_GROUP
from offbook.stores import characters, graph
from offbook.stores.statements import storable, timestamp
from offbook.types import Decision

if TYPE_CHECKING:
    from offbook.app.documents import AliasStatus
    from offbook.app.home import Home
    from offbook.graph.point_in_time import Story
    from offbook.ingestion.reports import ProgressListener
    from offbook.names.cast import Cast
    from offbook.stores.connection import Connection
    from offbook.stores.graph import GraphAnswer
    from offbook.types import Character, RawEntity


REASON = "corrected by a user"


MOST_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Names:
    """The names of mentions, and those that a person gave.

    Args:
        mentions: Raw entity -> its name, in reading order.
        chunks: Name key -> the chunks that mention it, in reading order.
        spellings: Name key -> how the name is spelled first.
        words: What persons have said on names.
    """

    character: Character
    mentions: Mapping[str, str]
    chunks: Mapping[str, Sequence[str]]
    spellings: Mapping[str, str]
    words: Sequence[Decision]
    story: Story

    @classmethod
    def read(cls, conn: Connection, character: Character, cast: Cast | None = None) -> Names:
        """What is stored now; of a book with the names of its ``cast``."""
        mentions: dict[str, str] = {}
        chunks: dict[str, dict[str, None]] = {}
        spellings: dict[str, str] = {}
        for mention in graph.list_raw_entities(conn, character.id):
            mentions[mention.id] = mention.name
            if key := name_key(mention.name):
                spellings.setdefault(key, mention.name)
                chunks.setdefault(key, {})[mention.chunk] = None
        words = [
            decision
            for decision in graph.list_decisions(conn, character.id)
            if decision.by == graph.PERSON and decision.a not in mentions
        ]
        for member in () if cast is None else cast.members:
            for name in member.aliases:
                spellings.setdefault(name_key(name), name)
        for word in words:
            for name in (word.a, word.b):
                spellings.setdefault(name_key(name), name)
        places = {key: list(chunk_ids) for key, chunk_ids in chunks.items()}
        story = load_story(conn, character.id)
        return cls(character, mentions, places, spellings, words, story)

    def spelled(self, typed: str) -> str:
        """The name as it is known, or as it was typed.

        Raises:
            UsageError: it is no name, or too long for one.
        """
        name = " ".join(typed.split())
        key = name_key(name)
        if not key:
            raise UsageError(f"{typed!r} is no name", "give one with a letter or a digit")
        storable(name)
        if len(name) > MOST_CHARS:
            raise UsageError(
                f"{name[:40] + '...'!r} is too long for a name",
                f"a name has at most {MOST_CHARS} characters",
            )
        return self.spellings.get(key, name)

    def known(self, name: str) -> bool:
        """Whether a text or a person has this name."""
        return name_key(name) in self.spellings

    def unknown(self, names: Sequence[str]) -> UnknownName:
        """The error that nobody bears these names."""
        whose = f"the graph of {self.character.name!r}"
        called = " or ".join(map(repr, names))
        otherwise = f"list who there is with: offbook show {self.character.id} entities"
        known = list(self.spellings.values())
        hints = [characters.nearest(name, known, otherwise) for name in names]
        close = [hint for hint in hints if hint != otherwise]
        return UnknownName(f"in {whose} nobody is called {called}", (close or hints)[0])

    def evidence(self, a: str, b: str) -> tuple[str, ...]:
        """The chunks that speak of both; else the first that speaks of each."""
        return _speaking_of(self._places(a), self._places(b))

    def _places(self, name: str) -> Sequence[str]:
        """The chunks that mention a name; one that was never extracted is looked for."""
        known = self.chunks.get(name_key(name))
        if known is not None:
            return known
        chunks = self.story.chunks.values()
        return [chunk.id for chunk in chunks if find_mention(chunk.text, name) is not None]


def _speaking_of(of_a: Sequence[str], of_b: Sequence[str]) -> tuple[str, ...]:
    """The chunks that speak of both; else the first that speaks of each."""
    both = [chunk for chunk in of_a if chunk in set(of_b)]
    return tuple(both or dict.fromkeys([*of_a[:1], *of_b[:1]]))


@dataclass(frozen=True, slots=True)
class AliasOverride:
    """A user's correction of who is who, or the one that was taken back; with names for ids."""

    decision: Decision
    status: AliasStatus
    undone: str | None = None
    messages: tuple[str, ...] = ()

    def in_words(self) -> str:
        """What was done, for a message."""
        if self.status == "withdrawn":
            return f"the correction that {stated(self.decision)} is taken back"
        return f"the correction that {stated(self.decision)} is recorded"


def stated(decision: Decision) -> str:
    """``'A' is 'B'``, or that it is not."""
    return f"{decision.a!r} {'is' if decision.same else 'is not'} {decision.b!r}"


def record(conn: Connection, names: Names, a: str, b: str, *, same: bool) -> AliasOverride:
    """Record that two names are one and the same, or are not; the contrary is replaced.

    Raises:
        UsageError: the names are one name, or the word contradicts another of the person's.
        UnknownName: nobody has such a name.
    """
    a, b = names.spelled(a), names.spelled(b)
    if name_key(a) == name_key(b):
        raise UsageError(
            f"{a!r} and {b!r} are one name",
            "give two names that differ; who of one name is apart is joined by its decision: "
            f"offbook show {names.character.id} decisions",
        )
    unknown = [name for name in (a, b) if not names.known(name)]
    if len(unknown) == 2 or (unknown and not same):
        raise names.unknown(unknown)
    made = Decision(
        decision_id(a, b), a, b, same, graph.PERSON, REASON, names.evidence(a, b), timestamp()
    )
    pair = {name_key(a), name_key(b)}
    older = [word for word in names.words if {name_key(word.a), name_key(word.b)} == pair]
    others = [word for word in names.words if word not in older]
    _refuse_contradiction([*others, made], made, names)
    contrary = next((word.id for word in older if word.same != same), None)
    status: AliasStatus = "unchanged" if older and contrary is None else "recorded"
    character = names.character.id
    graph.remove_decisions(conn, character, [word.id for word in older])
    graph.put_decisions(conn, character, [made])
    new_names = ", ".join(map(repr, unknown))
    messages = (
        (f"no text has the name {new_names}; it is kept as a further one",) if unknown else ()
    )
    return AliasOverride(made, status, contrary, messages)


def undo_by_id(conn: Connection, names: Names, identity: str) -> AliasOverride:
    """Take a person's word back, or overrule another decision by the opposite.

    Raises:
        UnknownName: there is no such decision.
        UsageError: the opposite contradicts another correction of the person's.
    """
    character = names.character.id
    decided = {decision.id: decision for decision in graph.list_decisions(conn, character)}
    known = decided.get(identity)
    if known is not None:
        named = shown(known, names.mentions)
        if known.by == graph.PERSON:
            graph.remove_decisions(conn, character, [identity])
            return AliasOverride(named, "withdrawn", identity)
        return _overrule(conn, names, known, named)
    parted = {parted.decision.id: parted for parted in parted_groups(conn, character)}
    if identity in parted:
        return _join(conn, names, parted[identity])
    listing = f"list them with: offbook show {character} decisions"
    hint = characters.nearest(identity, [*decided, *parted], listing)
    raise UnknownName(
        f"there is no decision {identity!r} on who is who in the graph of {names.character.name!r}",
        hint if hint == listing else f"{hint} {listing}",
    )


def _overrule(conn: Connection, names: Names, decision: Decision, named: Decision) -> AliasOverride:
    """The opposite on the names; where both bear one name, on the two mentions themselves."""
    if name_key(named.a) != name_key(named.b):
        word = record(conn, names, named.a, named.b, same=not decision.same)
        return replace(word, status="overruled", undone=decision.id)
    made = replace(
        decision, same=not decision.same, by=graph.PERSON, reason=REASON, created=timestamp()
    )
    graph.put_decisions(conn, names.character.id, [made])
    opposite = shown(made, names.mentions)
    return AliasOverride(opposite, "overruled", decision.id)


def _join(conn: Connection, names: Names, parted: Parted) -> AliasOverride:
    """Two parts of a group are one after all."""
    of_a, of_b = parted.names
    pairs = [(a, b) for a in of_a for b in of_b if name_key(a) != name_key(b)]
    if not pairs:
        raise UsageError(
            f"both parts are called {of_a[0]!r}: no name tells them apart",
            f"undo what set them apart one by one: offbook show {names.character.id} decisions",
        )
    word = record(conn, names, *pairs[0], same=True)
    return replace(word, status="overruled", undone=parted.decision.id)


def _refuse_contradiction(words: Sequence[Decision], made: Decision, names: Names) -> None:
    """What persons called one may not hold two names that a person told apart.

    Raises:
        UsageError: names the words that stand against the new one.
    """
    rows = {key: row for row, key in enumerate({name_key(n) for w in words for n in (w.a, w.b)})}
    ends = {word.id: (rows[name_key(word.a)], rows[name_key(word.b)]) for word in words}
    links = Links([""] * len(rows))
    for word in words:
        if word.same:
            links.join(*ends[word.id])
    roots = {word.id: {links.root(row) for row in ends[word.id]} for word in words}
    mine = roots[made.id]
    broken = [w for w in words if not w.same and len(roots[w.id]) == 1 and roots[w.id] <= mine]
    if not broken:
        return
    against = [word for word in broken if word is not made]
    if made in broken:
        against = [word for word in words if word.same and roots[word.id] == mine]
    contradicted = "; ".join(f"{stated(word)} (id {word.id})" for word in against)
    raise UsageError(
        f"that {stated(made)} contradicts what was said before: {contradicted}",
        f"take that back first: offbook alias {names.character.id} undo {against[0].id}",
    )


MOST_PARTS: Final = 8
"""Parts of a group up to which each two of them are a decision to be shown."""


@dataclass(frozen=True, slots=True)
class Parted:
    """Two parts of a group that was found to hold several, as a decision on their names.

    ``names`` are all names of each part; ``decision`` shows the first of each.
    """

    decision: Decision
    names: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A decision, names in the place of ids, and whether the graph is as it says.

    It may not be: a look at the whole group, or a person, said otherwise later, or the two are no
    candidates any more since others came nearer.
    """

    decision: Decision
    holds: bool


def listed_decisions(conn: Connection, character: str) -> list[Listed]:
    """All decisions: persons' words first."""
    mentions = graph.list_raw_entities(conn, character)
    names = {mention.id: mention.name for mention in mentions}
    homes = _Homes(mentions, graph.group_of(conn, character))
    decided = [
        Listed(shown(decision, names), homes.bear_out(decision))
        for decision in graph.list_decisions(conn, character)
    ]
    decided += [
        Listed(parted.decision, homes.bear_out_parts(parted))
        for parted in parted_groups(conn, character)
    ]

    def order(listed: Listed) -> tuple[bool, str, str, str]:
        made = listed.decision
        return (made.by != graph.PERSON, made.a.casefold(), made.b.casefold(), made.id)

    return sorted(decided, key=order)


class _Homes:
    """In which groups the mentions are now, by their ids and by their names."""

    def __init__(self, mentions: Sequence[RawEntity], group_of: Mapping[str, str]) -> None:
        self._ids = {mention.id for mention in mentions}
        self._of: dict[str, set[str]] = {}
        for mention in mentions:
            if (home := group_of.get(mention.id)) is not None:
                self._of.setdefault(mention.id, set()).add(home)
                self._of.setdefault(f" {name_key(mention.name)}", set()).add(home)

    def bear_out(self, decision: Decision) -> bool:
        """Whether two are in one group, or not, as it was decided."""
        a, b = self._groups(decision.a), self._groups(decision.b)
        if decision.a not in self._ids and (
            not (a and b) or name_key(decision.a) == name_key(decision.b)
        ):
            return True  # a further name stands where it was said; one name tells no two apart
        return decision.same != a.isdisjoint(b)

    def bear_out_parts(self, parted: Parted) -> bool:
        """Whether the parts of a group are apart, as far as their names can tell.

        Others may bear a name as well: a part is where all of its names are.
        """
        a, b = map(self._together, parted.names)
        return a.isdisjoint(b) or len(a | b) > 1

    def _together(self, names: Sequence[str]) -> set[str]:
        groups_by_name = [groups for groups in map(self._groups, names) if groups]
        return (
            (set.intersection(*groups_by_name) or set.union(*groups_by_name))
            if groups_by_name
            else set()
        )

    def _groups(self, mention_or_name: str) -> set[str]:
        key = mention_or_name if mention_or_name in self._ids else f" {name_key(mention_or_name)}"
        return self._of.get(key, set())


def shown(decision: Decision, names: Mapping[str, str]) -> Decision:
    """The decision with names; a person's word is on names already."""
    a, b = (names.get(end, end) for end in (decision.a, decision.b))
    return replace(decision, a=a, b=b)


def parted_groups(conn: Connection, character: str) -> list[Parted]:
    """A row for each two parts of every group that was split.

    Of a group with more than ``MOST_PARTS`` only those that a decision had linked, and each other
    part with the first: a surname may link a hundred people, and nobody reads thousands of rows.
    """
    answers = graph.list_answers(conn, character)
    splits = [answer for answer in answers if answer.kind == graph.SPLIT]
    if not splits:
        return []
    mentions = graph.list_raw_entities(conn, character)
    keys = {mention.id: name_key(mention.name) for mention in mentions}
    linked = {
        frozenset((keys[d.a], keys[d.b]))
        for d in graph.list_decisions(conn, character)
        if d.same and d.a in keys and d.b in keys
    }
    chunks: dict[str, dict[str, None]] = {}
    for mention in mentions:
        chunks.setdefault(keys[mention.id], {})[mention.chunk] = None
    return [parted for answer in splits for parted in _parts(answer, linked, chunks)]


def _parts(
    answer: GraphAnswer, linked: Set[frozenset[str]], chunks: Mapping[str, Mapping[str, None]]
) -> Iterator[Parted]:
    split = answer.answer
    parts = [tuple(split["names"][number] for number in part) for part in split["parts"]]
    reason = split["reason"] if len(parts) <= 2 else f"of all {len(parts)}: {split['reason']}"
    within = set(answer.chunks)
    for i, j in _pairs(parts, linked):
        a, b = parts[i], parts[j]
        identity = decision_id(f"{answer.key} {i}", f"{answer.key} {j}")
        of_a, of_b = (
            list(dict.fromkeys(c for n in part for c in chunks.get(name_key(n), ()) if c in within))
            for part in (a, b)
        )
        evidence = _speaking_of(of_a, of_b)
        made = Decision(identity, a[0], b[0], False, VERIFY_GROUP.name, reason, evidence)
        yield Parted(made, (a, b))


def _pairs(
    parts: Sequence[Sequence[str]], linked: Set[frozenset[str]]
) -> Iterator[tuple[int, int]]:
    """Which parts are told of together."""
    pairs = combinations(range(len(parts)), 2)
    if len(parts) <= MOST_PARTS:
        yield from pairs
        return
    keys = [[name_key(name) for name in part] for part in parts]
    joined = [
        (i, j)
        for i, j in pairs
        if any(frozenset((one, other)) in linked for one in keys[i] for other in keys[j])
    ]
    met = {number for pair in joined for number in pair}
    yield from sorted({*joined, *((0, j) for j in range(1, len(parts)) if j not in met)})


async def correct(
    home: Home,
    character: Character,
    record_it: Callable[[Connection, Names], AliasOverride],
    progress: ProgressListener,
) -> AliasReport:
    """Record a correction, then bring cast and graph up to date with all that are recorded.

    A character of a book has a cast before it has a graph.
    """
    store = home.store
    is_cast = characters.NAMES in character.settings
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        cast = await kept_cast(home.store, character.id) if is_cast else None
        has_graph = cast is None or bool(await store.read(graph.list_groups, character.id))
        if has_graph:
            await require_graph(home, character)
        word = await store.write(lambda conn: record_it(conn, Names.read(conn, character, cast)))
        aside: list[str] = []
        if has_graph:
            now = await store.read(characters.require, character.id)
            async with done_already(home, character, word.in_words()):
                aside = await rebuild(home, character, progress, summary=now.profile is not None)
        if is_cast:
            cast = await kept_cast(home.store, character.id)
        bearers = await store.read(_bearers, character.id, word.decision, cast, has_graph)
        aside += await store.read(_holding_for, character.id)
    made = word.decision
    return AliasReport(
        character=character.name,
        status=word.status,
        id=made.id,
        a=made.a,
        b=made.b,
        same=made.same,
        evidence=made.evidence,
        undone=word.undone,
        entities=bearers,
        messages=(*word.messages, *aside),
        usage=home.meter.usage(),
    )


def _bearers(
    conn: Connection, character: str, decision: Decision, cast: Cast | None, has_graph: bool
) -> tuple[Known, ...]:
    """The entities, or of a book without a graph its people, that bear a name of a decision."""
    keys = {name_key(decision.a), name_key(decision.b)}
    if cast is None or has_graph:
        known = [Known(each.name, each.aliases) for each in load_graph(conn, character).entities]
    else:
        known = [
            Known(each.name, tuple(alias for alias in each.aliases if alias != each.name))
            for each in cast.members
        ]
    return tuple(
        each for each in known if not keys.isdisjoint(map(name_key, (each.name, *each.aliases)))
    )


def _holding_for(conn: Connection, character: str) -> list[str]:
    """What is said of a word on names where several characters share a source."""
    others = [each for each in characters.sharing(conn, character) if each != character]
    return [f"it holds for {', '.join(others)} as well, who share the texts"] if others else []
