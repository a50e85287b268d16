"""The profile of a character: written by one call, or at a point of its story cut by rule.

At a point nothing that stands later speaks through it, and none may cost a call.
Paper: RoleRAG (001), section 4.1, summarizes the whole page; here each document gives its
beginning, the budget divided among them, since persona documents begin with what matters most.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.graph.mentions import find_mention
from offbook.ingestion.documents import are_stored, stored_documents, voice_of
from offbook.prompts.ask import ask
from offbook.prompts.summaries import PROFILE, ProfileInputs
from offbook.retrieval.point import Point, documents_until, parse_point
from offbook.stores import characters, jobs
from offbook.text.tokens import count_tokens, truncate_to_tokens
from offbook.types import Document

if TYPE_CHECKING:
    from offbook.protocols import ChatModel, Store
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.types import Character, Position


_BLANK: Final = re.compile(r"\n\s*\n")
_HEADING: Final = re.compile(r"(#{1,6}) ")
HEAD_TOKENS: Final = 300
"""About as long as the profile that a model writes."""


def at_point(conn: Connection, character: Character, as_of: str) -> tuple[Character, Point]:
    """The character with what it knows of itself at a point, and the point.

    One of a book is as it is: what it knows then is worked out once (``methods/knowledge.py``).

    Raises:
        UsageError: there is no such point; the hint names the nearest.
    """
    point = Point(as_of, parse_point(conn, character.id, as_of))
    if characters.NAMES in character.settings:
        return character, point
    return described_at(conn, character, point.position), point


def described_at(conn: Connection, character: Character, until: Position) -> Character:
    """The character with profile and voice made of what stands before a point."""
    texts = documents_until(stored_documents(conn, character.id), until)
    read = telling(character, texts, HEAD_TOKENS)
    return replace(
        character,
        profile="\n\n".join(part.text.strip() for part in read),
        voice=_voice(character, texts),
        profile_documents=tuple(text.id for text in texts),
    )


def _voice(character: Character, texts: Sequence[Document]) -> tuple[str, ...]:
    """What the character says in texts; of a book, what of its voice stands in them."""
    if characters.NAMES not in character.settings:
        return tuple(voice_of(texts))
    return tuple(said for said in character.voice if any(said in text.text for text in texts))


def heads(
    conn: Connection, character: str, budget_tokens: int, until: Position | None
) -> list[Beginning]:
    """What of the documents the profile rests on; at a point it consists of it."""
    who, texts = characters.require(conn, character), stored_documents(conn, character)
    if until is None:
        return telling(who, texts, budget_tokens)
    return telling(who, documents_until(texts, until), HEAD_TOKENS)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first ``len(text)`` characters of a document; of a book those from ``start`` on."""

    document: str
    text: str
    start: int = 0


def telling(
    character: Character, documents: Sequence[Document], budget_tokens: int
) -> list[Beginning]:
    """What tells most of a character: how its documents begin.

    Of a book these are paragraphs that name it, one after another from the first to the last: a
    novel seldom begins with what matters to one of its people.
    """
    names = character.settings.get(characters.NAMES)
    named = [part for each in documents for part in _naming(each, names)] if names else []
    if not named:
        return beginnings(documents, budget_tokens)
    step = sum(count_tokens(part.text) for part in named) // max(1, budget_tokens) + 1
    spread = named[::step]
    spent = accumulate(count_tokens(part.text) for part in spread)
    fitting = [part for part, so_far in zip(spread, spent, strict=True) if so_far <= budget_tokens]
    return fitting or beginnings(documents, budget_tokens)


def _naming(document: Document, names: Sequence[str]) -> Iterator[Beginning]:
    """The paragraphs of a document that hold one of some names, or stand under one that does."""
    start = under = 0
    for blank in chain(_BLANK.finditer(document.text), (None,)):
        end = len(document.text) if blank is None else blank.start()
        text = document.text[start:end]
        is_naming = any(find_mention(text, name) for name in names)
        if heading := _HEADING.match(text):
            level = len(heading[1])
            under = level if is_naming else under if level > under else 0
        elif is_naming or under:
            yield Beginning(document.id, text, start)
        start = end if blank is None else blank.end()


def beginnings(documents: Sequence[Document], budget_tokens: int) -> list[Beginning]:
    """The beginning of every document, the budget divided fairly.

    What a short document leaves over goes to the others.

    Args:
        documents: In the order of ingestion.
        budget_tokens: For all of them together.
    """
    shares: dict[str, int] = {}
    left = budget_tokens
    if len(documents) == 1:  # which has it all: how long it is need not be counted
        shares[documents[0].id] = left
    sizes = {d.id: count_tokens(d.text) for d in documents if d.id not in shares}
    for place, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: item[1])):
        shares[name] = min(left // (len(sizes) - place), size)
        left -= shares[name]
    begun = [Beginning(d.id, truncate_to_tokens(d.text, shares[d.id])) for d in documents]
    return [beginning for beginning in begun if beginning.text]


_DESCRIBED_TOKENS: Final = 600
_HEAD_TOKENS: Final = 4_000
"""How much of the documents' beginnings is read where the graph tells of the character too."""


def profile_inputs(
    character: Character, texts: list[Document], budget_tokens: int, described: str = ""
) -> ProfileInputs:
    """What the prompt of the profile is told; ``described`` is what the graph's node says."""
    most = min(budget_tokens, _HEAD_TOKENS) if described else budget_tokens
    passages = tuple(part.text for part in telling(character, texts, most))
    return ProfileInputs(character.name, passages, truncate_to_tokens(described, _DESCRIBED_TOKENS))


async def write_profile(
    store: Store,
    model: ChatModel,
    character_id: str,
    settings: SettingsModel,
    described: Awaitable[str] | None = None,
) -> str | None:
    """Have the profile written and stored.

    Args:
        store: Where the documents are, and the profile goes.
        model: Who writes it.
        character_id: Id of the character.
        settings: How much of the documents is read.
        described: What the graph's node says; it is waited for.

    Returns:
        None, or why the model's answers could not be used: the profile is then in quarantine and
        is tried again at the next ingestion. Without documents there is nothing to write.

    Raises:
        ModelError: the endpoint failed for good.
    """
    character = await store.read(lambda conn: characters.require(conn, character_id))
    texts = await store.read(lambda conn: stored_documents(conn, character.id))
    if not texts:
        return None
    description = "" if described is None else await described
    inputs = profile_inputs(character, texts, settings.profile.budget_tokens, description)
    names = frozenset(f"{character.id}/{document.id}" for document in texts)
    try:
        text = await ask(model, PROFILE, inputs, documents=names, retries=settings.answers.retries)
    except (AnswerError, InputRefused) as error:
        reason = error.message

        def put_aside(conn: Connection) -> None:
            if are_stored(conn, character.id, texts):
                jobs.enqueue(conn, character.id, jobs.PROFILE, [character.id])
                jobs.quarantine(conn, character.id, jobs.PROFILE, [character.id], error=reason)

        await store.write(put_aside)
        return reason

    def keep(conn: Connection) -> None:
        now, ids = characters.require(conn, character.id), [one.id for one in texts]
        if are_stored(conn, character.id, texts):
            characters.set_profile(conn, character.id, text, voice=now.voice, documents=ids)
            jobs.finish(conn, character.id, jobs.PROFILE, [character.id])

    await store.write(keep)
    return None
