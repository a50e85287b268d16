"""A VTuber's loop: the reply as it comes, cut into sentences, each spoken with its own face.

Takes: the server's address (default http://127.0.0.1:8321), and a key in API_KEY where one is
asked for.  Gives: faces and sentences, on standard output, where a real program has a voice and a
model that moves.  Needs: ``pip install openai httpx``.

The face comes first: `recall` tells how the character takes what was said, and the reply uses what
was found once more, so no model is asked twice. A model that was told to may change the face with
tags such as [joy]. Then three things go on at once: the reply is read, the next sentences are made
into sound, and one is played. An interruption stops all three, and the server stops its model.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote

import httpx
import openai

FACES: Final = (
    "joy", "acceptance", "fear", "surprise", "sadness", "disgust", "anger", "anticipation",
)  # fmt: skip
NEUTRAL: Final = "neutral"
SESSION: Final = "stream"
"""The conversation; each viewer has one of that name."""

_TAG: Final = re.compile(rf"\[({'|'.join((*FACES, NEUTRAL))})\]\s*", re.IGNORECASE)
_SHORT: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Gen|Lt|Sgt|No|vs|etc|[A-HJ-Z])\.$")
"""Abbreviations and initials, whose full stop ends no sentence."""
_END: Final = re.compile(
    r"[.!?…]+[\"'”’»)\]]*(?=\s)"  # a blank has to follow: 3.5 and offbook.toml are no ends
    r"|[。！？]+[”』」）]*(?=[^。！？”』」）])"
    r"|\n"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, and the face that goes with it."""

    text: str
    face: str


class Voice(Protocol):
    """What makes sound of a line, and plays it."""

    async def synthesize(self, line: Line) -> bytes:
        """The sound of a line; the next lines are made while one is played."""
        ...

    async def play(self, line: Line, sound: bytes) -> None:
        """Show the face and play the sound, until its end."""
        ...


class Sentences:
    """Cuts pieces of a text into sentences, each as soon as it is whole."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> Iterator[str]:
        """The sentences that a piece completes."""
        self._held += piece
        begin = 0
        for end in _END.finditer(self._held):
            sentence = self._held[begin : end.end()].strip()
            if not _SHORT.search(sentence):
                begin = end.end()
                if sentence:
                    yield sentence
        self._held = self._held[begin:]

    def rest(self) -> Iterator[str]:
        """What is left when no piece comes any more."""
        if last := self._held.strip():
            yield last
        self._held = ""


def faced(sentence: str, face: str) -> tuple[str, str]:
    """A sentence without its tags such as ``[joy]``, and the face that the last of them names."""
    for tag in _TAG.finditer(sentence):
        face = tag[1].lower()
    return _TAG.sub("", sentence).strip(), face


def strongest(felt: Mapping[str, float] | None) -> str:
    """The face of what is felt."""
    return max(felt, key=lambda name: felt[name]) if felt else NEUTRAL


class Performer:
    """A character who speaks with viewers.

    Args:
        base_url: The server's address.
        key: A key of the server, or anything where it asks for none.
        character: The character's id.
        voice: What it speaks with.
    """

    def __init__(self, base_url: str, key: str, character: str, voice: Voice) -> None:
        self._character = character
        self._voice = voice
        self._openai = openai.AsyncOpenAI(base_url=f"{base_url}/v1", api_key=key)
        self._native = httpx.AsyncClient(
            base_url=f"{base_url}/api/characters/{quote(character, safe='')}",
            headers={"Authorization": f"Bearer {key}"},
            timeout=60,
        )

    async def answer(self, said: str, viewer: str) -> None:
        """Answer a viewer aloud; cancelling the task stops voice, stream and model."""
        lines: asyncio.Queue[tuple[Line, asyncio.Task[bytes]] | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._speak(lines))
            async with aclosing(self._lines(said, viewer)) as coming:
                async for line in coming:
                    sound = group.create_task(self._voice.synthesize(line))
                    lines.put_nowait((line, sound))
            lines.put_nowait(None)

    async def close(self) -> None:
        """Close the connections."""
        await self._openai.close()
        await self._native.aclose()

    async def _speak(self, lines: asyncio.Queue[tuple[Line, asyncio.Task[bytes]] | None]) -> None:
        while (waiting := await lines.get()) is not None:
            line, sound = waiting
            await self._voice.play(line, await sound)

    async def _lines(self, said: str, viewer: str) -> AsyncGenerator[Line, None]:
        face, sentences = await self._takes(said, viewer), Sentences()
        async with aclosing(self._pieces(said, viewer)) as coming:
            async for piece in coming:
                for sentence in sentences.feed(piece):
                    text, face = faced(sentence, face)
                    if text:
                        yield Line(text, face)
        for sentence in sentences.rest():
            text, face = faced(sentence, face)
            if text:
                yield Line(text, face)

    async def _takes(self, said: str, viewer: str) -> str:
        """The face with which the character hears what is said."""
        told = {"question": said, "user": viewer, "session": SESSION}
        response = await self._native.post("/recall", json=told)
        response.raise_for_status()
        recalled = response.json()
        return strongest(recalled["emotion"] or recalled["mood"])

    async def _pieces(self, said: str, viewer: str) -> AsyncGenerator[str, None]:
        stream = await self._openai.chat.completions.create(
            model=self._character,
            messages=[{"role": "user", "content": said}],
            stream=True,
            user=viewer,
            extra_headers={"X-Session-Id": SESSION},
        )
        async with stream:
            async for chunk in stream:
                for choice in chunk.choices:
                    yield choice.delta.content or ""


class Console:
    """A voice for those who read: it takes as long as speech would, or no time."""

    def __init__(self, seconds_a_word: float = 0.0) -> None:
        self._seconds = seconds_a_word

    async def synthesize(self, line: Line) -> bytes:
        """Here a text-to-speech engine is asked."""
        return line.text.encode()

    async def play(self, line: Line, sound: bytes) -> None:
        """Here the face is set and the sound is played."""
        print(f"[{line.face}] {sound.decode()}", flush=True)
        await asyncio.sleep(self._seconds * len(line.text.split()))


async def main() -> None:
    """Answer two viewers, and stop in the middle of a reply."""
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
    key = os.environ.get("API_KEY", "none")
    ada = Performer(base_url, key, "ada-byrne", Console(seconds_a_word=0.02))
    try:
        await ada.answer("What did you feel when they brought Tom's cap?", viewer="anna")
        speaking = asyncio.create_task(ada.answer("What did the stranger pay with?", viewer="bert"))
        await asyncio.sleep(0.5)  # somebody speaks up
        speaking.cancel()
        await asyncio.gather(speaking, return_exceptions=True)
        print("(interrupted)")
    finally:
        await ada.close()


if __name__ == "__main__":
    asyncio.run(main())
