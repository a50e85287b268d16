"""LiteLLM: responses, text completions and chat completions, whole and in pieces."""

import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"
litellm.telemetry = False
where = {"api_base": OFFLINE, "api_key": "none"}

first = litellm.responses(model=f"openai/{MODEL}", input=QUESTION, **where)
assert TOLD in first.output[0].content[0].text, first
events = list(litellm.responses(model=f"openai/{MODEL}", input=QUESTION, stream=True, **where))
assert events[-1].type == "response.completed", events[-1]
text = litellm.text_completion(model=f"text-completion-openai/{MODEL}", prompt=QUESTION, **where)
assert TOLD in text.choices[0].text, text
said = [{"role": "user", "content": QUESTION}]
pieces = litellm.completion(model=f"openai/{MODEL}", messages=said, stream=True, **where)
assert TOLD in "".join(piece.choices[0].delta.content or "" for piece in pieces)
parameters = {"type": "object", "properties": {"times": {"type": "integer"}}, "required": ["times"]}
tool = {"type": "function", "function": {"name": "ring_bell", "parameters": parameters}}
where["api_base"] = CALLING
called = litellm.completion(model=f"openai/{MODEL}", messages=said, tools=[tool], **where)
assert called.choices[0].message.tool_calls[0].function.name == "ring_bell", called
