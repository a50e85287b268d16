"""LangChain with ``use_responses_api``: whole, in pieces, behind a response, tools, structures."""

import sys

from langchain_openai import ChatOpenAI
from pydantic import BaseModel

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"


class Bell(BaseModel):
    """Ring the bell so often."""

    times: int


def at(url: str) -> ChatOpenAI:
    """The model at a server."""
    return ChatOpenAI(model=MODEL, base_url=url, api_key="none", use_responses_api=True)


chat = at(OFFLINE)
first = chat.invoke([("system", "Be brief."), ("human", QUESTION)])
assert TOLD in first.text, first
assert first.usage_metadata["total_tokens"] > 0
assert TOLD in "".join(piece.text for piece in chat.stream(QUESTION))
behind = chat.invoke("And then?", previous_response_id=first.response_metadata["id"])
assert behind.text
calling = at(CALLING)
called = calling.bind_tools([Bell]).invoke("Ring the bell.")
assert called.tool_calls[0]["name"] == "Bell", called
for method in ("json_schema", "function_calling"):
    typed = calling.with_structured_output(Bell, method=method).invoke("How often?")
    assert isinstance(typed, Bell), (method, typed)
