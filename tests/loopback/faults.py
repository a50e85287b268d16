"""The faults that the loopback server knows by name.

Takes: a name.  Gives: a status, a spoilt text, a broken body or a broken stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from tests.loopback.answers import Answer

STATUSES = {
    "400": (400, "bad_request", "the request is bad"),
    "401": (401, "invalid_api_key", "Incorrect API key provided"),
    "403": (403, "forbidden", "not allowed"),
    "404": (404, "model_not_found", "The model does not exist"),
    "408": (408, "timeout", "took too long"),
    "413": (413, "too_large", "the request is too large"),
    "429": (429, "rate_limit_exceeded", "Rate limit reached"),
    "500": (500, "server_error", "internal error"),
    "503": (503, "overloaded", "the server is overloaded"),
    "context_length": (400, "context_length_exceeded", "maximum context length is 4096 tokens"),
    "no_temperature": (400, "unsupported_value", "Unsupported value: 'temperature' is not known"),
    "no_max_tokens": (400, "unsupported_parameter", "Unsupported parameter: 'max_tokens'"),
    "no_format": (404, "not_found", "No endpoint was found that takes response_format"),
    "filtered": (400, "content_filter", "refused by the content management policy"),
}
TEXTS: dict[str, Callable[[Answer], Answer]] = {
    "empty": lambda _: Answer(""),
    "think_only": lambda _: Answer("<think>\nLet me see.\n</think>"),
    "unclosed_think": lambda _: Answer("<think>\nLet me see, and see"),
    "think": lambda answer: Answer(f"<think>\nHm {{.\n</think>\n\n{answer.text}"),
    "half_json": lambda answer: Answer(answer.text[: len(answer.text) // 2]),
    "length": lambda answer: Answer(answer.text, "length"),
    "content_filter": lambda _: Answer("", "content_filter"),
    "prose": lambda answer: Answer(f"Of course! Here it is:\n```json\n{answer.text}\n```\nDone."),
    "rubbish": lambda _: Answer("I would rather not."),
}


async def _broken_body() -> AsyncIterator[str]:
    """A body whose connection is closed in the middle."""
    yield '{"choices": '
    raise ConnectionAbortedError


BODIES: dict[str, Callable[[], Response]] = {
    "invalid_json": lambda: Response('{"choices": [{"mess', media_type="application/json"),
    "no_choices": lambda: JSONResponse({"object": "chat.completion", "choices": []}),
    "html": lambda: Response("<html>Welcome</html>", media_type="text/html"),
    "list": lambda: JSONResponse([1, 2]),
    "odd_content": lambda: JSONResponse({"choices": [{"message": {"content": 7}}]}),
    "no_content": lambda: JSONResponse({"choices": [{"message": {"content": None}}]}),
    "odd_data": lambda: JSONResponse({"data": "none"}),
    "error_in_body": lambda: JSONResponse({"error": {"message": "the upstream model is gone"}}),
    "close": lambda: StreamingResponse(_broken_body(), media_type="application/json"),
    "redirect": lambda: RedirectResponse("http://127.0.0.1:9/v1/elsewhere", 307),
}
STREAMS = ("half_stream", "dropped_stream", "malformed_stream", "error_in_stream")
EMBEDDINGS = ("wrong_dimension", "missing_embedding", "nan", "shuffled")
FAULTS = (*STATUSES, *TEXTS, *BODIES, *STREAMS, *EMBEDDINGS, "hang", "ok")
