"""Which way of asking for a structured answer works at an endpoint.

Takes: base URL and model.  Gives: the rung (json_schema, json_object, text) that worked last.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from offbook.stores.schema import endpoints
from offbook.stores.statements import upsert


def get_rung(conn: Connection, base_url: str, model: str) -> str | None:
    """The rung that worked, or None where none is known yet."""
    columns = endpoints.c
    statement = select(columns.rung).where(columns.base_url == base_url, columns.model == model)
    return conn.execute(statement).scalar_one_or_none()


def put_rung(conn: Connection, base_url: str, model: str, rung: str) -> None:
    """Remember the rung that worked."""
    conn.execute(upsert(conn, endpoints), {"base_url": base_url, "model": model, "rung": rung})
