"""Connections to an endpoint by aiohttp, whose parser is compiled: a token costs half of the time.

Takes: requests of the SDK's HTTP client.  Gives: responses, as the client's own transport would,
failures included.  Used where aiohttp is installed (the extra ``server`` brings it).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import aiohttp
from aiohttp import ConnectionTimeoutError, NonHttpUrlClientError  # of 3.10
from yarl import URL

if TYPE_CHECKING:
    import ssl
    from types import ModuleType

_LONGEST_HEADER: Final = 64 * 1024
_ADDED: Final = ("accept", "accept-encoding", "content-type", "user-agent")
"""What aiohttp would add by itself; the client says what is to be sent."""


class AiohttpConnections:
    """A transport for the SDK's HTTP client.

    Args:
        httpx: The library that the client is from; responses and failures are its own.
        context: How servers prove who they are.
        kept_seconds: How long idle connections are kept.
    """

    def __init__(self, httpx: ModuleType, context: ssl.SSLContext, kept_seconds: float) -> None:
        self._httpx: Any = httpx
        self._context = context
        self._kept_seconds = kept_seconds
        self._body = _body_class(httpx)
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: Any) -> Any:
        """The response; its body may still be on its way."""
        session = self._open_session()
        wait = request.extensions.get("timeout", {})
        with _told_by(self._httpx, request):
            response = await session.request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=list(request.headers.multi_items()),
                data=await request.aread() or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=wait.get("connect"), sock_read=wait.get("read")
                ),
            )
        connection = response.connection  # None where the body has come already
        return self._httpx.Response(
            response.status,
            headers=response.raw_headers,
            stream=self._body(response, request),
            request=request,
            extensions={
                "http_version": b"HTTP/1.1",
                "network_stream": None if connection is None else connection.transport,
            },
        )

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0,  # the limiter decides how much is in flight
                    ssl=self._context,
                    keepalive_timeout=self._kept_seconds,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=_ADDED,
                auto_decompress=False,  # the client does it
                trust_env=False,  # no proxies, no .netrc
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session

    async def aclose(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _body_class(httpx: Any) -> Any:
    """Bodies as the library's responses want them."""

    class Body(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: aiohttp.ClientResponse, request: Any) -> None:
            self._response, self._request = response, request

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with _told_by(httpx, self._request):
                async for chunk in self._response.content.iter_any():
                    yield chunk

        async def aclose(self) -> None:
            # What has come whole has given its connection back already; any other is cut off.
            self._response.close()

    return Body


@contextmanager
def _told_by(httpx: Any, request: Any) -> Iterator[None]:
    """Failures of aiohttp as failures of the library that the SDK knows."""
    try:
        yield
    except ConnectionTimeoutError as error:
        raise httpx.ConnectTimeout(str(error), request=request) from error
    except aiohttp.ServerTimeoutError as error:
        raise httpx.ReadTimeout(str(error), request=request) from error
    except aiohttp.ClientConnectorError as error:
        # In full it says "ssl:default" of plain http as well.
        raise httpx.ConnectError(error.strerror or str(error), request=request) from error
    except (aiohttp.InvalidURL, NonHttpUrlClientError) as error:
        raise httpx.UnsupportedProtocol(str(error), request=request) from error
    except aiohttp.ClientOSError as error:
        raise httpx.ReadError(str(error), request=request) from error
    except aiohttp.ClientError as error:
        said = str(error) or type(error).__name__
        raise httpx.RemoteProtocolError(said, request=request) from error
