"""An OpenAI-compatible server on 127.0.0.1: latency, faults on demand, and a record of requests.

Takes: a script of faults, a function that answers.  Gives: chat completions, streams, embeddings.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import uvicorn
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from offbook.text.tokens import count_tokens
from tests.loopback.answers import Answer, default_answer, vector_of
from tests.loopback.faults import BODIES, FAULTS, STATUSES, STREAMS, TEXTS
from tests.loopback.gate import Gate

Answerer = Callable[[Mapping[str, Any]], "str | Answer"]
_CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "loopback"}


@dataclass(slots=True)
class Recorded:
    """A request that arrived; times in seconds of the monotonic clock."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    started: float
    finished: float = 0.0
    fault: str = "ok"


@dataclass(slots=True)
class LoopbackServer:
    """The server, in a thread of its own: ``with LoopbackServer() as server: server.base_url``.

    Args:
        latency_seconds: Time before every answer.
        answer: Makes the text of chat answers from the body of a request.
        dimension: Length of its vectors.
        refuses: Forms of structured answers that it does not know.
        usage: Whether it tells token counts.
        port: 0 takes a free one.
        retry_after: What its refusals ask for.
        piece_seconds: Time between the pieces of a stream.
        pages: What it answers to GET, path -> JSON.
        key: What it asks for; any other meets 401, also at GET.
        token_seconds: Time for each token of an answer that is no stream.
        poison: A request that holds this text is refused for good.
        unknown: Parameters that it refuses by name.
        complaint: What it says of every request with a limit of the answer, refusing it.
        thoughts: What it tells of thoughts apart from each answer (``reasoning_content``).
        most_at_once: Requests that may be there at once; further ones meet 429. 0: any number.
    """

    latency_seconds: float = 0.0
    answer: Answerer = default_answer
    dimension: int = 8
    refuses: frozenset[str] = frozenset()
    usage: bool = True
    port: int = 0
    retry_after: str | None = None
    piece_seconds: float = 0.0
    token_seconds: float = 0.0
    poison: str = ""
    unknown: frozenset[str] = frozenset()
    complaint: str = ""
    thoughts: str = ""
    pages: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    most_at_once: int = 0
    requests: list[Recorded] = field(default_factory=list)
    in_flight: int = 0
    peak_in_flight: int = 0
    _script: deque[str] = field(default_factory=deque)
    _always: str | None = None
    _gate: Gate | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: uvicorn.Server | None = None
    _thread: threading.Thread | None = None
    _listener: socket.socket = field(init=False)

    # What a test tells it and asks it -----------------------------------------------------------

    @property
    def base_url(self) -> str:
        """The address for settings."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *faults: str) -> None:
        """The next requests meet these faults, one each (``ok`` is none); then all is well."""
        self._check(*faults)
        with self._lock:
            self._script.extend(faults)

    def always(self, fault: str | None) -> None:
        """Every request that no script covers meets this fault; None ends it."""
        self._check(*([fault] if fault else []))
        self._always = fault

    def forget_script(self) -> None:
        """No faults from now on."""
        with self._lock:
            self._script.clear()
            self._always = None

    def hold_reply(self) -> None:
        """Hold a long reply behind its first sentence, which nobody is shown before it ends."""
        self.answer = lambda _: "".join(f"I hear wave {n} of the sea. " for n in range(40))
        self.hold(pieces=20)

    def hold(self, after: int = 0, *, pieces: int | None = None, path: str = "") -> None:
        """Hold back answers, or the rest of streams, until ``release``; see ``Gate``."""
        self.release()
        self._gate = Gate(path, after, pieces)

    def gather(self, *numbers: int, path: str = "") -> None:
        """Answer the next requests when so many are there at once, one number after the other."""
        self.release()
        for number in reversed(numbers):
            self._gate = Gate(path, together=number, following=self._gate)

    def release(self) -> None:
        """Hold nothing back any more."""
        if self._gate is not None:
            self._gate.release()
        self._gate = None

    def count(self, path: str = "") -> int:
        """Requests whose path ends so."""
        return sum(request.path.endswith(path) for request in self.requests)

    @property
    def answered(self) -> int:
        """Requests that are answered, or were left alone."""
        return sum(request.finished > 0 for request in list(self.requests))

    @property
    def chat_bodies(self) -> list[dict[str, Any]]:
        """Bodies of the chat requests, in the order in which they arrived."""
        return [each.body for each in self.requests if each.path.endswith("/chat/completions")]

    def clear(self) -> None:
        """Forget the requests."""
        with self._lock:
            self.requests.clear()
            self.peak_in_flight = self.in_flight

    def _check(self, *faults: str) -> None:
        if unknown := set(faults) - set(FAULTS):
            raise ValueError(f"unknown faults {sorted(unknown)!r}; known: {FAULTS!r}")

    # Its life -----------------------------------------------------------------------------------

    def __enter__(self) -> LoopbackServer:
        listener = self._listener = socket.create_server(("127.0.0.1", self.port), backlog=1024)
        # Without it, heads and bodies of responses wait 40 ms for one another (Nagle).
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._application(),
            log_config=None,
            log_level="critical",
            lifespan="off",
            ws="none",
            timeout_keep_alive=60,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, daemon=True
        )
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        assert self._thread is not None
        self.release()
        self._server.should_exit = True
        self._thread.join(60)
        self._listener.close()

    def _application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embeddings, methods=["POST"]),
                Route("/v1/rerank", self._rerank, methods=["POST"]),
                Route("/{path:path}", self._page, methods=["GET"]),
            ]
        )

    # What it does with a request ----------------------------------------------------------------

    async def _arrive(self, request: Request) -> tuple[Recorded, str]:
        started = time.monotonic()
        body = json.loads(await request.body())
        recorded = Recorded(request.url.path, body, dict(request.headers), started)
        with self._lock:
            self.requests.append(recorded)
            self.in_flight += 1
            self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
            fault = self._script.popleft() if self._script else self._always or "ok"
            if self.most_at_once and self.in_flight > self.most_at_once:
                fault = "429"
            elif self.key and request.headers.get("authorization") != f"Bearer {self.key}":
                fault = "401"
            elif self.poison and self.poison in json.dumps(body.get("messages")):
                fault = "filtered"
            recorded.fault = fault
        return recorded, fault

    def _leave(self, recorded: Recorded) -> None:
        with self._lock:
            self.in_flight -= 1
        recorded.finished = time.monotonic()

    async def _chat(self, request: Request) -> Response:
        recorded, fault = await self._arrive(request)
        streamed = False
        try:
            if fault != "429":  # who has no time says so at once
                await self._wait(fault, request, recorded.started)
            if response := self._refusal(fault, recorded.body):
                return response
            answer = self.answer(recorded.body)
            answer = Answer(answer) if isinstance(answer, str) else answer
            answer = TEXTS[fault](answer) if fault in TEXTS else answer
            if recorded.body.get("stream"):
                streamed = True
                pieces = self._events(answer, fault, recorded)
                return StreamingResponse(pieces, media_type="text/event-stream")
            await asyncio.sleep(self.token_seconds * count_tokens(answer.text))
            return JSONResponse(self._completion(recorded.body, answer))
        finally:
            if not streamed:
                self._leave(recorded)

    async def _wait(self, fault: str, request: Request, started: float) -> None:
        """Latency, or a wait for as long as the client has patience."""
        if fault == "hang":
            while not await request.is_disconnected():
                await asyncio.sleep(0.02)
        if self._gate is not None and (gate := self._gate.before(request.url.path)) is not None:
            await gate.wait(request.is_disconnected)
        # An event loop whose clock counts whole milliseconds comes back a moment too early.
        while (left := started + self.latency_seconds - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _refusal(self, fault: str, body: Mapping[str, Any]) -> Response | None:
        form = (body.get("response_format") or {}).get("type")
        if form in self.refuses:
            return _error(400, "invalid_request_error", f"response_format {form} is not supported")
        if refused := sorted(self.unknown & body.keys()):
            return _error(400, "unsupported_parameter", f"Unsupported parameter: {refused[0]!r}")
        if self.complaint and "max_tokens" in body:
            return _error(400, "invalid_request_error", self.complaint)
        if fault == "no_temperature" and "temperature" not in body:
            return None
        if fault == "no_max_tokens" and "max_tokens" not in body:
            return None
        if fault == "no_format" and form is None:
            return None
        if fault in STATUSES:
            status, code, message = STATUSES[fault]
            headers = {"retry-after": self.retry_after} if self.retry_after else None
            return _error(status, code, message, headers)
        return BODIES[fault]() if fault in BODIES else None

    def _completion(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.calls:
            message["tool_calls"] = answer.tool_calls
        if self.thoughts:
            message["reasoning_content"] = self.thoughts
        shape: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
        }
        if self.usage:
            shape["usage"] = self._counts(body, answer)
        return shape

    def _counts(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        prompt = sum(count_tokens(m["content"]) for m in body["messages"])
        completion = count_tokens(answer.text)
        shape: dict[str, Any] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        if answer.apart is not None:
            cached, thoughts = answer.apart
            shape["prompt_tokens_details"] = {"cached_tokens": cached}
            shape["completion_tokens_details"] = {"reasoning_tokens": thoughts}
        return shape

    async def _events(self, answer: Answer, fault: str, recorded: Recorded) -> AsyncIterator[str]:
        try:
            pieces = [answer.text[i : i + 7] for i in range(0, len(answer.text), 7)]
            if fault in STREAMS:
                pieces = pieces[: max(1, len(pieces) // 2)]
            yield _event({"role": "assistant", "content": ""})
            if self.thoughts:
                yield _event({"reasoning_content": self.thoughts})
            gate = self._gate
            for number, piece in enumerate((*pieces, *answer.pieces_of_calls)):
                if gate is not None and gate.pieces == number:
                    await gate.wait()
                text = isinstance(piece, str)
                yield _event({"content": piece} if text else {"tool_calls": [piece]})
                await asyncio.sleep(self.piece_seconds)
            if fault == "malformed_stream":
                yield "data: {not json\n\n"
            if fault == "error_in_stream":
                yield f"data: {json.dumps({'error': {'message': 'the model crashed'}})}\n\n"
            if fault == "dropped_stream":
                raise ConnectionAbortedError
            if fault in STREAMS:
                return
            yield _event({}, answer.finish_reason)
            if self.usage and (recorded.body.get("stream_options") or {}).get("include_usage"):
                counts = self._counts(recorded.body, answer)
                yield f"data: {json.dumps({**_CHUNK, 'choices': [], 'usage': counts})}\n\n"
            yield "data: [DONE]\n\n"
        finally:
            self._leave(recorded)

    async def _embeddings(self, request: Request) -> Response:
        recorded, fault = await self._arrive(request)
        try:
            response = self._refusal(fault, recorded.body) or self._vectors(fault, recorded.body)
            # Its own work is a part of the latency, as with a server that has better things to do.
            await self._wait(fault, request, recorded.started)
            return response
        finally:
            self._leave(recorded)

    async def _page(self, request: Request) -> Response:
        path = request.url.path
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return _error(*STATUSES["401"])
        return JSONResponse(self.pages[path]) if path in self.pages else Response(status_code=404)

    async def _rerank(self, request: Request) -> Response:
        """Score texts by the question's words in them; as TEI where it refuses "documents"."""
        recorded, fault = await self._arrive(request)
        try:
            refusal = self._refusal(fault, recorded.body)
            if refusal is not None:
                return refusal
            name = "texts" if "documents" in self.refuses else "documents"
            if name not in recorded.body:
                return _error(422, "invalid_request", f"missing field `{name}`")
            words = set(recorded.body["query"].lower().split())
            scores = [len(words & set(text.lower().split())) for text in recorded.body[name]]
            key = "score" if name == "texts" else "relevance_score"
            rows = [{"index": place, key: score} for place, score in enumerate(scores)][::-1]
            if fault == "missing_embedding":
                rows.pop()
            return JSONResponse(rows if name == "texts" else {"results": rows})
        finally:
            self._leave(recorded)

    def _vectors(self, fault: str, body: Mapping[str, Any]) -> Response:
        dimension = self.dimension + (fault == "wrong_dimension")
        rows = [vector_of(text, dimension) for text in body["input"]]
        if fault == "nan":
            rows = [np.full(dimension, np.nan, np.float32) for _ in rows]
        data: list[dict[str, Any]] = [
            {"object": "embedding", "index": index, "embedding": _to_list(row)}
            for index, row in enumerate(rows)
        ]
        if fault == "missing_embedding":
            data.pop()
        if fault == "shuffled":
            data.reverse()
        shape = {"object": "list", "data": data, "model": body["model"]}
        if self.usage:
            shape["usage"] = {"prompt_tokens": sum(len(text.split()) for text in body["input"])}
        return Response(json.dumps(shape), media_type="application/json")


def _error(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    body = {"error": {"message": message, "type": code, "code": code, "param": None}}
    return JSONResponse(body, status, headers)


def _event(delta: Mapping[str, Any], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return f"data: {json.dumps({**_CHUNK, 'choices': [choice]})}\n\n"


def _to_list(row: NDArray[np.float32]) -> list[float]:
    numbers: list[float] = row.tolist()
    return numbers
