"""The SDK of OpenAI: responses, their stream helper, what follows one, parsed answers, tools."""

import sys

import openai
from pydantic import BaseModel

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"


class Bell(BaseModel):
    """How often it rang."""

    times: int


sdk = openai.OpenAI(base_url=OFFLINE, api_key="none", max_retries=0)
first = sdk.responses.create(model=MODEL, input=QUESTION)
assert TOLD in first.output_text, first
behind = sdk.responses.create(model=MODEL, input="And then?", previous_response_id=first.id)
assert behind.previous_response_id == first.id
with sdk.responses.stream(model=MODEL, input=QUESTION) as stream:
    pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
    assert "".join(pieces) == stream.get_final_response().output_text
assert sdk.responses.retrieve(first.id).output_text == first.output_text
sdk.responses.delete(first.id)
assert TOLD in sdk.completions.create(model=MODEL, prompt=QUESTION).choices[0].text

calling = openai.OpenAI(base_url=CALLING, api_key="none", max_retries=0)
parsed = calling.responses.parse(model=MODEL, input="How often?", text_format=Bell)
assert isinstance(parsed.output_parsed, Bell), parsed
tool = openai.pydantic_function_tool(Bell)
said = [{"role": "user", "content": "Ring the bell."}]
completion = calling.chat.completions.parse(model=MODEL, messages=said, tools=[tool])
assert isinstance(completion.choices[0].message.tool_calls[0].function.parsed_arguments, Bell)
try:
    sdk.responses.parse(model=MODEL, input="How often?", text_format=Bell)
except openai.BadRequestError as error:
    refusal = str(error)
else:
    refusal = "none: it wrote prose"
assert "the offline model writes none" in refusal, refusal
