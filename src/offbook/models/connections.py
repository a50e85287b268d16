"""Connections to an endpoint, a few in each pool, so that many calls at once stay cheap.

Takes: requests of the SDK's HTTP client.  Gives: responses.  The client's own pool looks at every
one of its connections for every request, with a system call each: at 64 connections that takes
longer than all else that a call costs here.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self

IN_A_POOL: Final = 4
"""Requests that share a pool."""
KEPT_SECONDS: Final = 4.0
"""Idle connections are kept for less than the 5 s after which most servers close theirs."""


@dataclass(slots=True)
class _Pool:
    transport: Any
    busy: int = 0


class SpreadConnections:
    """A transport for the SDK's HTTP client that spreads requests over small pools.

    Args:
        make: Makes a transport with a pool of its own.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._pools: list[_Pool] = []

    async def handle_async_request(self, request: Any) -> Any:
        """The response; its body may still be on its way, and takes a place until it is closed."""
        pool = self._with_room()
        pool.busy += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.busy -= 1
            raise
        close = response.stream.aclose

        async def leave() -> None:
            response.stream.aclose = close
            pool.busy -= 1
            await close()

        response.stream.aclose = leave
        return response

    def _with_room(self) -> _Pool:
        """The first pool with room: few requests at once keep to few connections."""
        for pool in self._pools:
            if pool.busy < IN_A_POOL:
                return pool
        made = _Pool(self._make())
        self._pools.append(made)
        return made

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools:
            await pool.transport.aclose()
        self._pools.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def connections_for(client: type[Any], *, encrypted: bool = True) -> Any:
    """Connections for an HTTP client class, with responses of the library that the class is from.

    They are aiohttp's where that is installed, and else the library's own.

    Args:
        client: The class.
        encrypted: Whether the endpoint is asked by https; else no certificates are read, and none
            would be trusted.
    """
    library = next(base.__module__.partition(".")[0] for base in client.__mro__ if _is_http(base))
    httpx = sys.modules[library]
    # One context for all: making one reads every certificate of the machine.
    context: ssl.SSLContext = (
        httpx.create_ssl_context(trust_env=False)
        if encrypted
        else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    with suppress(ImportError):  # not installed, or too old
        from offbook.models.aiohttp_connections import AiohttpConnections

        return AiohttpConnections(httpx, context, KEPT_SECONDS)
    limits = httpx.Limits(
        max_connections=1000, max_keepalive_connections=100, keepalive_expiry=KEPT_SECONDS
    )
    return SpreadConnections(
        lambda: httpx.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits)
    )


def _is_http(base: type[Any]) -> bool:
    return base.__name__ == "AsyncClient"
