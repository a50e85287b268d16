"""Settings of ``offbook serve``: where it listens, who may ask, and how much at most.

Takes: values from the layers of ``loading``.  Gives: the section ``server``; ``model`` holds it
with all others.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from offbook.settings.section import Section

LOOPBACK: Final = "127.0.0.1"


def _listed(told: Any) -> Any:
    """Names of a list, also as the environment and ``--set`` give them: with commas between."""
    if not isinstance(told, str):
        return told
    return tuple(name for part in told.split(",") if (name := part.strip()))


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]

Policies = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[^=]+=(user_context|merge|ignore)$")], ...],
    BeforeValidator(_listed),
]


class ServerSettings(Section):
    """The HTTP server."""

    host: str = Field(
        LOOPBACK, min_length=1, description="address to listen on; any but a loopback needs keys"
    )
    port: int = Field(8321, ge=0, le=65_535, description="port to listen on; 0: any free one")
    hosts: Names = Field(
        (),
        description="names beside the loopback ones that `Host` may have; naming any needs keys",
    )
    origins: Names = Field(
        (), description="web origins whose pages may call, such as `https://app.example.org`"
    )
    keys: bool = Field(
        False, description="ask for a key on a loopback address, too; else once there is one"
    )
    rpm: int | None = Field(
        None, ge=1, description="requests a minute of a key that names no limit of its own"
    )
    max_body_bytes: int = Field(
        32_000_000, ge=1_000, description="the largest body of a request, uploads included"
    )
    body_seconds: float = Field(
        60.0, gt=0, le=3_600, description="the longest that the body of a request may take"
    )
    head_seconds: float = Field(
        10.0, gt=0, le=600, description="the longest that the head of a request may take"
    )
    connections: int = Field(
        2_000, ge=1, le=100_000, description="connections at once; above that 503 is answered"
    )
    client_system: Literal["user_context", "merge", "ignore"] = Field(
        "user_context",
        description="system messages of chat clients: told as context, as directions, or left out",
    )
    client_system_of: Policies = Field(
        (), description="the same for single characters, by their ids, such as `ada-byrne=merge`"
    )
    replies: int = Field(8, ge=1, le=128, description="the most replies to one question (`n`)")
    ping_seconds: float = Field(
        10.0, gt=0, le=60, description="pause between signs of life while a reply is prepared"
    )
