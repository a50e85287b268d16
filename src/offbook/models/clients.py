"""The way out of this machine: a client of the openai SDK for each endpoint and key of an owner.

Takes: base URL and key.  Gives: an ``AsyncOpenAI`` that talks to that address and to no other, and
the responses that come from there.

Proxies, .netrc, OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and the like are left out, and redirects are
not followed: what is sent goes where the settings say, with the key of the settings, or nowhere.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from offbook.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx
    from openai import AsyncOpenAI

    from offbook.models.failures import Place

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
    }
)
_CONNECT_SECONDS: Final = 10.0


class Clients:
    """The clients of one owner; closing them leaves those of every other owner alone."""

    def __init__(self) -> None:
        # A client belongs to the event loop in which it opened its connections.
        self._clients: WeakKeyDictionary[
            asyncio.AbstractEventLoop, dict[tuple[str, str | None], AsyncOpenAI]
        ] = WeakKeyDictionary()

    def of(self, base_url: str, api_key: str | None) -> AsyncOpenAI:
        """Return the client for an endpoint, made at the first use in the running event loop.

        Args:
            base_url: Address of the endpoint.
            api_key: Its key; None where it asks for none, and then no key is sent.
        """
        clients = self._clients.setdefault(asyncio.get_running_loop(), {})
        key = (base_url, api_key)
        if key not in clients:
            clients[key] = _make(base_url, api_key)
        return clients[key]

    async def post(
        self, place: Place, path: str, body: Mapping[str, Any], *, stream: bool = False
    ) -> httpx.Response:
        """Send a request and return its response, unread where it is a stream.

        Each read of a stream waits for as long as a whole answer may take.

        Raises:
            TimeoutError: it took longer than ``place`` allows.
            Exception: what the SDK raises; see ``failures.from_exception``.
        """
        import httpx

        seconds = place.timeout_seconds
        patience = httpx.Timeout(None, connect=_CONNECT_SECONDS, read=seconds)
        # The SDK takes httpx's types at run time, whichever of its two kinds of them it names.
        post: Any = self.of(place.base_url, place.api_key).post
        async with asyncio.timeout(seconds):
            response: httpx.Response = await post(
                path,
                cast_to=httpx.Response,
                body=dict(body),
                options={"timeout": patience},
                stream=stream,
            )
        return response

    async def close(self) -> None:
        """Close the connections that were opened in the running event loop."""
        for client in self._clients.pop(asyncio.get_running_loop(), {}).values():
            await client.close()


WITHOUT_OWNER: Final = Clients()
"""Those of models that were made without an ``Offbook``."""


def _make(base_url: str, api_key: str | None) -> AsyncOpenAI:
    import openai

    # Where there is no TLS no certificates are read, and none would be trusted.
    plain = base_url.startswith("http://")
    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        max_retries=0,  # limits.Limiter tries again: it has to know of every request
        http_client=openai.DefaultAsyncHttpxClient(
            trust_env=False,  # no proxies, no .netrc
            follow_redirects=False,
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
            event_hooks={"request": [_only_to(base_url, api_key)]},
        ),
    )
    client.organization = client.project = None
    return client


def _only_to(base_url: str, api_key: str | None) -> Any:
    """A hook that lets pass only requests to ``base_url``, with headers that we mean to send."""

    async def check(request: httpx.Request) -> None:
        if not str(request.url).startswith(base_url.rstrip("/") + "/"):
            raise ConfigurationError(f"a request to {request.url!s} does not go to {base_url!r}")
        headers = {k: v for k, v in request.headers.items() if k.lower() in _HEADERS}
        if api_key is not None:
            headers["authorization"] = f"Bearer {api_key}"
        request.headers = type(request.headers)(headers)

    return check
