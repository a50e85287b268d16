"""Text completions: one text as what is said, or as a dialogue whose last line is to be filled."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest

from offbook.server.openai.dialogues import messages_of_prompt
from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import QUESTION, stored
from tests.server.served import MODEL, Served
from tests.waiting import PATIENCE_SECONDS

TOLD = "brother Tom taught her to trim the lamp when she was nine."
SILLY_TAVERN = f"""Ada keeps the light on Kestrel Rock.
[Start a new chat]
Ada Byrne: Mind the third step.
Sam: I did.
Ada Byrne: Good.
Sam: {QUESTION}
Ada Byrne:"""
OWN = ("Ada Byrne", "ada-byrne")


def read(prompt: str, stop: Any = None) -> list[tuple[str, str]]:
    messages = messages_of_prompt(prompt, stop, OWN)
    return [(each.role, "".join(part.text or "" for part in each.content)) for each in messages]


def test_what_is_no_dialogue_is_said_as_it_is():
    assert read(QUESTION) == [("user", QUESTION)]
    note = "Note: the lamp is out.\nWho trims it?"
    assert read(note) == [("user", note)]


def test_a_dialogue_is_read_by_names_and_roles():
    assert read(SILLY_TAVERN, ["\nSam:"]) == [
        ("system", "Ada keeps the light on Kestrel Rock.\n[Start a new chat]"),
        ("assistant", "Mind the third step.\n"),
        ("user", "I did."),
        ("assistant", "Good.\n"),
        ("user", QUESTION),
    ]
    llama_index = f"system: Be brief.\nuser: {QUESTION}\nassistant: "
    assert read(llama_index) == [("system", "Be brief."), ("user", QUESTION)]
    # Where nobody has said anything the character begins.
    assert read("Ada Byrne:") == [("user", "")]
    # A line that is begun is gone on with, blanks and all.
    assert read(f"User: {QUESTION}\nAda Byrne: My brother ")[-1] == ("assistant", "My brother ")


def test_a_prompt_is_answered_whole_and_in_pieces(offline: Served):
    with openai.OpenAI(base_url=offline.base_url, api_key="none", max_retries=0) as sdk:
        whole = sdk.completions.create(model=MODEL, prompt=QUESTION)
        assert TOLD in whole.choices[0].text
        assert (whole.object, whole.choices[0].finish_reason) == ("text_completion", "stop")
        assert whole.usage is not None
        assert whole.usage.total_tokens > 0
        pieces = list(
            sdk.completions.create(
                model=MODEL,
                prompt=[SILLY_TAVERN],
                stop=["\nSam:"],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        assert TOLD in "".join(each.choices[0].text for each in pieces if each.choices)
        assert pieces[-1].usage is not None
        cut = sdk.completions.create(model=MODEL, prompt=QUESTION, max_tokens=3)
        assert cut.choices[0].finish_reason == "length"
        assert sdk.completions.create(model=MODEL, prompt="Ada Byrne:").choices[0].text
        stopped = sdk.completions.create(model=MODEL, prompt=QUESTION, stop="Tom")
        assert "Tom" not in stopped.choices[0].text


def test_a_dialogue_goes_on_with_its_conversation(server: Served, endpoint: LoopbackServer):
    endpoint.answer = lambda _: "My brother Tom did, when I was nine years old."
    with httpx.Client(base_url=server.base_url, timeout=PATIENCE_SECONDS) as client:
        text = f"User: {QUESTION}\nAda Byrne:"
        body = {"model": MODEL, "prompt": text, "stop": ["\nUser:"]}
        reply = client.post("/completions", json=body).json()["choices"][0]["text"]
        body["prompt"] = f"{text} {reply}\nUser: And then?\nAda Byrne:"
        client.post("/completions", json=body).raise_for_status()
    assert [said for said, _ in stored(server)[0]] == [QUESTION, "And then?"]
    assert len(stored(server)) == 1


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"prompt": ["one", "two"]}, "prompt"),
        ({"prompt": [1, 2, 3]}, "prompt"),
        ({"prompt": "  "}, "prompt"),
        ({"prompt": "x", "echo": True}, "echo"),
        ({"prompt": "x", "suffix": "y"}, "suffix"),
        ({"prompt": "x", "n": 99}, "n"),
    ],
)
def test_what_is_not_offered_is_refused_by_name(client: httpx.Client, fields: Any, param: str):
    answer = client.post("/v1/completions", json={"model": MODEL, **fields})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param), answer.text
