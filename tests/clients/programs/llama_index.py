"""llama-index's OpenAILike: by default a client of text completions; and as a chat model."""

import sys

sys.path.pop(0)  # this program has the package's own name

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

OFFLINE, CALLING = sys.argv[1:]
MODEL, QUESTION, TOLD = "ada-byrne", "Who taught you to trim the lamp?", "brother Tom taught"

plain = OpenAILike(model=MODEL, api_base=OFFLINE, api_key="none")
assert TOLD in plain.complete(QUESTION).text
said = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content=QUESTION)]
assert TOLD in plain.chat(said).message.content
assert TOLD in "".join(piece.delta for piece in plain.stream_complete(QUESTION))
chat = OpenAILike(model=MODEL, api_base=OFFLINE, api_key="none", is_chat_model=True)
assert TOLD in chat.chat(said).message.content
