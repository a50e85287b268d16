"""What models answered: calls that were paid for once, and in which form each model is asked.

Each answer knows the documents whose text its prompt held, so that forgetting one forgets the
answers too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from offbook.stores.schema import call_cache, call_cache_documents, endpoints
from offbook.stores.statements import (
    add_missing,
    among,
    mark_unpurged,
    storable,
    timestamp,
    upsert,
)
from offbook.stores.text_versions import versions


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A stored answer, what it cost when it was made, and whose text its prompt held."""

    prompt: str
    text: str
    prompt_tokens: int
    completion_tokens: int
    created: str
    documents: frozenset[str]


def get(conn: Connection, key: str) -> CachedCall | None:
    """Return the answer stored under ``key``, if any."""
    names = "prompt", "text", "prompt_tokens", "completion_tokens", "created"
    links = call_cache_documents.c["character_id", "document_id"]
    joined = select(*call_cache.c[names], *links).join_from(
        call_cache, call_cache_documents, isouter=True
    )
    rows = conn.execute(joined.where(call_cache.c.key == key)).all()
    if not rows:
        return None
    prompt, text, prompt_tokens, completion_tokens, created, *_ = rows[0]
    documents = frozenset(f"{owner}/{name}" for *_, owner, name in rows if owner is not None)
    return CachedCall(prompt, text, prompt_tokens, completion_tokens, created, documents)


def put(
    conn: Connection,
    key: str,
    *,
    prompt: str,
    text: str,
    prompt_tokens: int,
    completion_tokens: int,
    documents: frozenset[str],
) -> None:
    """Store a validated answer; an older one under the same key is replaced.

    ``key`` is a digest of everything that decides the answer, ``prompt`` the name and version of
    the prompt, ``documents`` the names ``character/document`` of those whose text it held.
    """
    storable(text)
    row = {
        "key": key,
        "prompt": prompt,
        "text": text,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "created": timestamp(),
    }
    conn.execute(upsert(conn, call_cache), row)
    _link(conn, [key], documents)


def link(conn: Connection, keys: Sequence[str], documents: frozenset[str]) -> None:
    """Note further documents whose text the prompt held; a call that is forgotten stays so.

    Where one of them is not stored any more, its answer is forgotten.
    """
    chosen = among(call_cache.c.key, keys)
    if len(versions(conn, documents)) < len(documents):
        if conn.execute(delete(call_cache).where(chosen)).rowcount:
            mark_unpurged(conn)
        return
    _link(conn, conn.scalars(select(call_cache.c.key).where(chosen)).all(), documents)


def _link(conn: Connection, keys: Sequence[str], documents: frozenset[str]) -> None:
    parts = [name.partition("/") for name in sorted(documents)]
    rows = [
        {"key": key, "character_id": character, "document_id": document}
        for key in keys
        for character, _, document in parts
    ]
    add_missing(conn, call_cache_documents, rows)


def forget_documents(conn: Connection, character: str, document: str | None = None) -> int:
    """Delete the answers whose prompt held text of a document (None: of any of the character).

    Returns:
        How many answers were deleted.
    """
    c = call_cache_documents.c
    held = select(c.key).where(c.character_id == character)
    if document is not None:
        held = held.where(c.document_id == document)
    return conn.execute(delete(call_cache).where(call_cache.c.key.in_(held))).rowcount


def forget_prompts(conn: Connection, prompts: Sequence[str]) -> int:
    """Delete the answers to some prompts, by their names with version; how many there were."""
    gone = conn.execute(delete(call_cache).where(among(call_cache.c.prompt, prompts))).rowcount
    if gone:
        mark_unpurged(conn)
    return gone


def get_form(conn: Connection, base_url: str, model: str) -> tuple[str | None, bool]:
    """Return the rung (json_schema, json_object, text) that worked, and if the model thinks aloud.

    The rung is None where none is known yet.
    """
    c = endpoints.c
    chosen = select(c.rung, c.thinks).where(c.base_url == base_url, c.model == model)
    row = conn.execute(chosen).one_or_none()
    return (None, False) if row is None else (row.rung, row.thinks)


def put_rung(conn: Connection, base_url: str, model: str, rung: str) -> None:
    """Remember the rung that worked."""
    _put_form(conn, base_url, model, rung=rung)


def put_thinking(conn: Connection, base_url: str, model: str) -> None:
    """Remember that the model thinks aloud."""
    _put_form(conn, base_url, model, thinks=True)


def put_limits(
    conn: Connection, base_url: str, model: str, window: int | None, slots: int | None
) -> None:
    """Remember the model's window, in tokens, and how many calls the endpoint takes at once."""
    _put_form(conn, base_url, model, window=window, slots=slots)


def get_limits(conn: Connection, base_url: str, model: str) -> tuple[int | None, int | None]:
    """Return window and slots, each None where it is not known."""
    c = endpoints.c
    chosen = select(c.window, c.slots).where(c.base_url == base_url, c.model == model)
    row = conn.execute(chosen).one_or_none()
    return (None, None) if row is None else (row.window, row.slots)


def _put_form(conn: Connection, base_url: str, model: str, **values: str | int | None) -> None:
    key = {"base_url": base_url, "model": model}
    add_missing(conn, endpoints, [{**key, "rung": None, "thinks": False}])
    conditions = [endpoints.c[name] == value for name, value in key.items()]
    conn.execute(update(endpoints).where(*conditions).values(**values))
