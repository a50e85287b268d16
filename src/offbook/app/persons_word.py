"""A person's word is recorded, taken back, or set against what was decided.

Takes: names, or the id of a decision; a connection.  Gives: the word as it stands now. A word that
contradicts another of the person's is refused: of two such words the graph could follow only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook.app.deciding import Parted, mention_names, parted_groups, shown
from offbook.errors import UnknownName, UsageError
from offbook.graph.equal_names import name_key
from offbook.graph.judging import decision_id
from offbook.graph.linking import Links
from offbook.stores import characters, graph
from offbook.stores.statements import timestamp
from offbook.types import Decision

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.known_names import Names
    from offbook.app.reports import AliasStatus

REASON = "a person's word"


@dataclass(frozen=True, slots=True)
class Word:
    """A person's word, or the one that was taken back; names in the place of ids."""

    decision: Decision
    status: AliasStatus
    undone: str | None = None
    messages: tuple[str, ...] = ()

    def in_words(self) -> str:
        """What was done, for a message."""
        if self.status == "withdrawn":
            return f"the word that {stated(self.decision)} is taken back"
        return f"the word that {stated(self.decision)} is kept"


def stated(decision: Decision) -> str:
    """``'A' is 'B'``, or that it is not."""
    return f"{decision.a!r} {'is' if decision.same else 'is not'} {decision.b!r}"


def record(conn: Connection, names: Names, a: str, b: str, *, same: bool) -> Word:
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
    found = ", ".join(map(repr, unknown))
    messages = (f"no text has the name {found}; it is kept as a further one",) if unknown else ()
    return Word(made, status, contrary, messages)


def undo_by_id(conn: Connection, names: Names, identity: str) -> Word:
    """Take a person's word back, or overrule another decision by the opposite.

    Raises:
        UnknownName: there is no such decision.
        UsageError: the opposite contradicts another word of the person's.
    """
    character = names.character.id
    decided = {decision.id: decision for decision in graph.list_decisions(conn, character)}
    found = decided.get(identity)
    if found is not None:
        named = shown(found, names.mentions)
        if found.by == graph.PERSON:
            graph.remove_decisions(conn, character, [identity])
            return Word(named, "withdrawn", identity)
        return _overrule(conn, names, found, named)
    parted = {parted.decision.id: parted for parted in parted_groups(conn, character)}
    if identity in parted:
        return _join(conn, names, parted[identity])
    listing = f"list them with: offbook show {character} decisions"
    hint = characters.nearest(identity, [*decided, *parted], listing)
    raise UnknownName(
        f"there is no decision {identity!r} on who is who in the graph of {names.character.name!r}",
        hint if hint == listing else f"{hint} {listing}",
    )


def _overrule(conn: Connection, names: Names, found: Decision, named: Decision) -> Word:
    """The opposite on the names; where both bear one name, on the two mentions themselves."""
    if name_key(named.a) != name_key(named.b):
        word = record(conn, names, named.a, named.b, same=not found.same)
        return replace(word, status="overruled", undone=found.id)
    made = replace(found, same=not found.same, by=graph.PERSON, reason=REASON, created=timestamp())
    graph.put_decisions(conn, names.character.id, [made])
    said = shown(made, mention_names(conn, names.character.id))
    return Word(said, "overruled", found.id)


def _join(conn: Connection, names: Names, parted: Parted) -> Word:
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
    told = "; ".join(f"{stated(word)} (id {word.id})" for word in against)
    raise UsageError(
        f"that {stated(made)} contradicts what was said before: {told}",
        f"take that back first: offbook alias {names.character.id} undo {against[0].id}",
    )
