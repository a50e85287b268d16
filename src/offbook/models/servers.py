"""Which servers of models answer on this machine, and which models an endpoint serves.

Takes: ports of this machine, or the address of an endpoint and its key.  Gives: models by name.
Ollama, LM Studio, llama.cpp and vLLM list them in dialects of their own. Only ``offbook setup``
looks and asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from offbook.errors import ModelError, UsageError
from offbook.models.failures import Place, from_status

if TYPE_CHECKING:
    import httpx

USUAL_PORTS: Final = (11434, 1234, 8080, 8000)
"""Of Ollama, LM Studio, llama.cpp and vLLM, as their manuals have them."""
_LOOK_SECONDS: Final = 2.0
"""A server of this machine lists its models at once; a port that says nothing is no server."""
_ASK_SECONDS: Final = 20.0
"""For a list from elsewhere: the longest of them has some hundred models."""
_HOSTED: Final = "an OpenAI-compatible endpoint"


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server that answers: the program, its address, and the chat models that it serves."""

    program: str
    base_url: str
    models: tuple[str, ...]


async def local_servers(ports: tuple[int, ...] = USUAL_PORTS) -> list[ModelServer]:
    """Find what answers on ports of this machine, in their order; all are asked at once."""
    looks = [_on_port(port) for port in ports]
    return [server for server in await asyncio.gather(*looks) if server is not None]


async def _on_port(port: int) -> ModelServer | None:
    root = f"http://127.0.0.1:{port}"
    async with _client(_LOOK_SECONDS) as client:
        return await _by_dialect(client, root)


async def models_at(base_url: str, api_key: str | None) -> ModelServer:
    """Ask an endpoint for its models; one that lists none has none.

    Raises:
        ModelError: nobody answers, or the key is refused.
        UsageError: the address is none of an endpoint.
    """
    import httpx

    root = base_url.removesuffix("/v1")
    async with _client(_ASK_SECONDS, _headers(base_url, api_key)) as client:
        if base_url.startswith("http://"):
            with suppress(httpx.InvalidURL):
                server = await _by_dialect(client, root)
                if server is not None:
                    return server
        try:
            response = await client.get(f"{base_url}/models")
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise UsageError(
                f"{base_url!r} is no address: {error}", "such as http://..."
            ) from error
        except httpx.HTTPError as error:
            raise ModelError(
                f"nobody answers at {base_url}: {type(error).__name__}",
                "start the server, or check the address",
            ) from error
    if response.status_code in (404, 405):  # it need not list any
        return ModelServer(_HOSTED, base_url, ())
    body = _json(response)
    if not response.is_success:
        place = Place(base_url, "(the list of models)", "chat", api_key)
        raise from_status(place, response.status_code, body, response.headers)
    return ModelServer(_HOSTED, base_url, _read(_openai, body) or ())


def _headers(base_url: str, api_key: str | None) -> dict[str, str]:
    """How the key is shown; Anthropic's list of models wants it otherwise than its chat."""
    if api_key is None:
        return {}
    if urlsplit(base_url).hostname == "api.anthropic.com":
        return {"x-api-key": api_key, "anthropic-version": "2023-06-01"}
    return {"Authorization": f"Bearer {api_key}"}


def _client(seconds: float, headers: Mapping[str, str] | None = None) -> httpx.AsyncClient:
    """A client that goes where it is sent, by no proxy, and follows nobody."""
    import httpx

    return httpx.AsyncClient(timeout=seconds, trust_env=False, headers=headers)


async def _by_dialect(client: httpx.AsyncClient, root: str) -> ModelServer | None:
    """Ask in every dialect at once, and take the first that is understood."""
    import httpx

    async def page(path: str) -> Any:
        try:
            response = await client.get(f"{root}{path}")
        except httpx.HTTPError:
            return None
        return _json(response) if response.is_success else None

    pages = dict(zip(_PATHS, await asyncio.gather(*map(page, _PATHS)), strict=True))
    plain = _read(_openai, pages["/v1/models"])
    for program, (path, read) in _DIALECTS.items():
        models = _read(read, pages[path])
        if models is not None:
            return ModelServer(program, f"{root}/v1", models or plain or ())
    return None


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _read(read: Callable[[Any], tuple[str, ...]], body: Any) -> tuple[str, ...] | None:
    """What a page lists; None: it is not one of this dialect."""
    try:
        return read(body)
    except (TypeError, LookupError, AttributeError):
        return None


def _ollama(body: Any) -> tuple[str, ...]:
    """Read ``/api/tags``; models of the family of BERT make vectors only."""
    rows = body["models"]
    return tuple(
        row["name"] for row in rows if "bert" not in (row.get("details") or {}).get("family", "")
    )


def _lm_studio(body: Any) -> tuple[str, ...]:
    """Read ``/api/v0/models``, which tells what each is for."""
    return tuple(row["id"] for row in body["data"] if row["type"] != "embeddings")


def _llama_cpp(body: Any) -> tuple[str, ...]:
    """Read ``/props``, which tells no name; ``/v1/models`` has that of its one model."""
    _ = body["default_generation_settings"]["n_ctx"]
    return ()


def _vllm(body: Any) -> tuple[str, ...]:
    """Read ``/v1/models``, where it alone tells the window."""
    return tuple(row["id"] for row in body["data"] if row["max_model_len"])


def _openai(body: Any) -> tuple[str, ...]:
    """Read ``/v1/models``; Google writes "models/" before each."""
    return tuple(row["id"].removeprefix("models/") for row in body["data"])


_DIALECTS: Final[Mapping[str, tuple[str, Callable[[Any], tuple[str, ...]]]]] = {
    "llama.cpp": ("/props", _llama_cpp),  # it answers to /api/tags as well
    "Ollama": ("/api/tags", _ollama),
    "LM Studio": ("/api/v0/models", _lm_studio),
    "vLLM": ("/v1/models", _vllm),
    "an OpenAI-compatible server": ("/v1/models", _openai),
}
_PATHS: Final = tuple({path: None for path, _ in _DIALECTS.values()})
