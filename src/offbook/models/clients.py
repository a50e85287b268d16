"""The way out of this machine: one shared client of the openai SDK for each endpoint and key.

Takes: base URL and key.  Gives: an ``AsyncOpenAI`` that talks to that address and to no other.

Proxies, .netrc, OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and the like are left out, and redirects are
not followed: what is sent goes where the settings say, with the key of the settings, or nowhere.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from offbook.errors import ConfigurationError
from offbook.models.connections import connections_for

if TYPE_CHECKING:
    from openai import AsyncOpenAI, Timeout

_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-stainless-raw-response",  # the SDK reads it off the request again
    }
)
_CONNECT_SECONDS: Final = 10.0

# A client belongs to the event loop in which it opened its connections.
_clients: WeakKeyDictionary[
    asyncio.AbstractEventLoop, dict[tuple[str, str | None], AsyncOpenAI]
] = WeakKeyDictionary()
_forbidden: list[str] = []


def client_for(base_url: str, api_key: str | None) -> AsyncOpenAI:
    """The client for an endpoint, made at the first use in the running event loop.

    Args:
        base_url: Address of the endpoint.
        api_key: Its key; None where it asks for none, and then no key is sent.

    Raises:
        ConfigurationError: requests are forbidden (:func:`forbid_requests`).
    """
    if _forbidden:
        raise ConfigurationError(
            f"a request to {base_url!r} was about to be made, and requests are forbidden: "
            f"{_forbidden[-1]}"
        )
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (base_url, api_key)
    if key not in clients:
        clients[key] = _make(base_url, api_key)
    return clients[key]


def _make(base_url: str, api_key: str | None) -> AsyncOpenAI:
    import openai

    # The SDK's own client class: it comes with the transport library that this SDK version uses.
    kind = openai.DefaultAsyncHttpxClient
    http = kind(
        trust_env=False,  # no proxies, no .netrc
        follow_redirects=False,
        transport=connections_for(kind, encrypted=not base_url.startswith("http://")),
        event_hooks={"request": [_only_to(base_url, api_key)], "response": [_acknowledge]},
    )
    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        max_retries=0,  # limits.Limiter tries again: it has to know of every request
        timeout=client_timeout(),  # the caller times the whole
        http_client=http,
    )
    client.organization = client.project = None
    return client


def client_timeout(read: float | None = None) -> Timeout:
    """How long the connection waits: to be made, and for each ``read`` of a stream, in seconds."""
    import openai

    return openai.Timeout(None, connect=_CONNECT_SECONDS, read=read)


def is_timeout(error: BaseException) -> bool:
    """Whether the connection waited for too long, in the words of whatever library it is of."""
    return any(base.__name__ == "TimeoutException" for base in type(error).__mro__)


def _only_to(base_url: str, api_key: str | None) -> Any:
    """A hook that lets pass only requests to ``base_url``, with headers that we mean to send."""

    async def check(request: Any) -> None:
        if not str(request.url).startswith(base_url.rstrip("/") + "/"):
            raise ConfigurationError(f"a request to {request.url!s} does not go to {base_url!r}")
        kept = {k: v for k, v in request.headers.items() if k.lower() in _HEADERS}
        if api_key is not None:
            kept["authorization"] = f"Bearer {api_key}"
        request.headers = type(request.headers)(kept)

    return check


async def _acknowledge(response: Any) -> None:
    """Tell the other side at once that the head of its response has arrived.

    Many servers send head and body apart and hold the body back until the head is acknowledged
    (Nagle), which the system here puts off by 40 ms: as long as a tenth of a whole call.
    """
    option = getattr(socket, "TCP_QUICKACK", None)  # Linux
    stream = response.extensions.get("network_stream")
    raw = stream.get_extra_info("socket") if stream is not None else None
    if option is not None and raw is not None:
        with suppress(OSError):
            raw.setsockopt(socket.IPPROTO_TCP, option, 1)


async def close_clients() -> None:
    """Close the connections that were opened in the running event loop."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.close()


@contextmanager
def forbid_requests(reason: str = "this is a test") -> Iterator[None]:
    """While it lasts, every request to an endpoint raises, in the whole process."""
    _forbidden.append(reason)
    try:
        yield
    finally:
        _forbidden.pop()
