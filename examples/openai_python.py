"""The `openai` package talks to a character: whole, in pieces, and as a named conversation.

Takes: the server's address (default http://127.0.0.1:8321), and a key in API_KEY where one is
asked for.  Gives: what was said, on standard output.  Needs: ``pip install openai``.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import openai

CHARACTER = "ada-byrne"


def whole(client: openai.OpenAI) -> None:
    """One reply, and what it rests on."""
    completion = client.chat.completions.create(
        model=CHARACTER,
        messages=[{"role": "user", "content": "Who taught you to trim the lamp?"}],
    )
    print(completion.choices[0].message.content)
    extras = (completion.model_extra or {})["offbook"]
    for item in extras["context"]:
        for source in item["sources"]:
            print(f"  {item['kind']}: {source['document']} {source['start']}-{source['end']}")


def streamed(client: openai.OpenAI) -> dict[str, Any]:
    """The reply as it is made; what it rests on comes with the last chunk."""
    extras: dict[str, Any] = {}
    with client.chat.completions.create(
        model=CHARACTER,
        messages=[{"role": "user", "content": "Have you ever used a smartphone?"}],
        stream=True,
    ) as stream:
        for chunk in stream:
            extras = (chunk.model_extra or {}).get("offbook") or extras
            for choice in chunk.choices:
                print(choice.delta.content or "", end="", flush=True)
    print(f"\n  boundary: {extras['boundary']['verdict']}")
    return extras


def conversed(client: openai.OpenAI, session: str, user: str) -> None:
    """A conversation that the server keeps: only what is new is sent."""
    for said in ("What did the stranger pay with?", "Did you tell anybody of the stranger?"):
        completion = client.chat.completions.create(
            model=CHARACTER,
            messages=[{"role": "user", "content": said}],
            user=user,
            extra_headers={"X-Session-Id": session},
        )
        print(f"{user}: {said}\n{CHARACTER}: {completion.choices[0].message.content}")


def refused(client: openai.OpenAI) -> None:
    """What fails is raised as the package's own errors, with what to do about it."""
    try:
        client.chat.completions.create(
            model="ada-burn", messages=[{"role": "user", "content": "Hello?"}]
        )
    except openai.NotFoundError as error:
        print(f"{error.code}: {error.body}")


def main() -> None:
    """Talk to the character of ``examples/ada.md``."""
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
    # The package wants a key; a server that asks for none takes any.
    key = os.environ.get("API_KEY", "none")
    with openai.OpenAI(base_url=f"{base_url}/v1", api_key=key) as client:
        print("models:", ", ".join(model.id for model in client.models.list()))
        whole(client)
        streamed(client)
        conversed(client, session="evening", user="sam")
        refused(client)


if __name__ == "__main__":
    main()
