"""pydantic-ai, by the name of a model as its documentation has it, and with an output type."""

import asyncio
import os
import sys

from pydantic import BaseModel

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"
os.environ |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": OFFLINE}

from pydantic_ai import Agent, ModelHTTPError, NativeOutput  # noqa: E402
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel  # noqa: E402
from pydantic_ai.providers.openai import OpenAIProvider  # noqa: E402


class Bell(BaseModel):
    """How often it rang."""

    times: int


rung: list[int] = []


def ring_bell(times: int) -> str:
    """Ring the bell of the lighthouse."""
    rung.append(times)
    return f"It rang {times} times."


async def main() -> None:
    """Ask as the documentation does."""
    agent = Agent(f"openai:{MODEL}")
    first = await agent.run(QUESTION)
    assert TOLD in first.output, first
    assert (await agent.run("And then?", message_history=first.all_messages())).output
    async with agent.run_stream(QUESTION) as stream:
        assert TOLD in await stream.get_output()
    provider = OpenAIProvider(base_url=CALLING, api_key="none")
    for kind in (OpenAIChatModel, OpenAIResponsesModel):
        model = kind(MODEL, provider=provider)
        typed = await Agent(model, output_type=Bell).run("How often did it ring?")
        assert isinstance(typed.output, Bell), typed
        native = await Agent(model, output_type=NativeOutput(Bell)).run("How often?")
        assert isinstance(native.output, Bell), native
        rung.clear()
        assert (await Agent(model, tools=[ring_bell]).run("Ring the bell.")).output
        assert len(rung) == 1, rung
    try:
        await Agent(f"openai:{MODEL}", output_type=Bell).run("How often?")
    except ModelHTTPError as error:
        refusal = str(error)
    else:
        refusal = "none: it answered with prose"
    assert "calls none" in refusal, refusal


asyncio.run(main())
