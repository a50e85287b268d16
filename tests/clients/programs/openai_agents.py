"""OpenAI's agents, with the API that they call by default: a run, a stream, a tool, a session."""

import asyncio
import sys

import agents
import openai

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"
rung: list[int] = []


@agents.function_tool
def ring_bell(times: int) -> str:
    """Ring the bell of the lighthouse."""
    rung.append(times)
    return f"It rang {times} times."


def with_server(url: str) -> None:
    """Have agents ask this server."""
    agents.set_default_openai_client(openai.AsyncOpenAI(base_url=url, api_key="none"))


async def main() -> None:
    """Run agents as their documentation does."""
    agents.set_tracing_disabled(True)
    with_server(OFFLINE)
    ada = agents.Agent(name="Ada", instructions="Be brief.", model=MODEL)
    result = await agents.Runner.run(ada, QUESTION)
    assert TOLD in result.final_output, result
    behind = await agents.Runner.run(ada, "And then?", previous_response_id=result.last_response_id)
    assert behind.final_output
    streamed = agents.Runner.run_streamed(ada, QUESTION)
    kinds = [event.type async for event in streamed.stream_events()]
    assert TOLD in streamed.final_output
    assert kinds.count("raw_response_event") > 3
    session = agents.SQLiteSession("porch")
    for said in (QUESTION, "And then?"):
        assert (await agents.Runner.run(ada, said, session=session)).final_output
    with_server(CALLING)
    ringing = agents.Agent(name="Ada", model=MODEL, tools=[ring_bell])
    result = await agents.Runner.run(ringing, "Ring the bell.")
    assert len(rung) == 1, rung
    assert result.final_output


asyncio.run(main())
