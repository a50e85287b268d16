"""An NPC over plain HTTP: structured lines, a point in the story, a memory of each player's own.

Takes: the server's address (default http://127.0.0.1:8321), and a key in API_KEY where one is
asked for.  Gives: a scene, on standard output.  Needs: nothing but Python's standard library.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

CHAPTERS: Final = {"the light": "ada.md#How she came to the rock", "the watch": None}
"""Chapters of the game, and how far into the story they reach; None: to its end."""

GESTURES: Final = {
    "joy": "smile", "acceptance": "nod", "fear": "step back", "surprise": "raise brows",
    "sadness": "look down", "disgust": "turn away", "anger": "clench fist",
    "anticipation": "lean in",
}  # fmt: skip
"""What the figure does when it feels so."""

PASSING: Final = (408, 429, 500, 502, 503, 504)
"""Statuses that say nothing about the request: the game goes on without the server."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the NPC says, and what the game can do with it.

    Args:
        text: The words.
        gesture: What the figure does.
        knows: Whether the question lies within what the NPC can know; a quest may hang on it.
        live: False: the server could not answer, and this line was written beforehand.
    """

    text: str
    gesture: str
    knows: bool = True
    live: bool = True


class Npc:
    """A character in a game.

    Args:
        character: Its id on the server.
        base_url: The server's address.
        api_key: For servers that ask for one.
        timeout: Seconds that a player waits before a line of the game's own is said.
        fallback: That line.
    """

    def __init__(
        self,
        character: str,
        base_url: str,
        api_key: str | None = None,
        timeout: float = 8.0,
        fallback: str = "Not now. The lamp wants me.",
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/api/characters/{quote(character, safe='')}/ask"
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._timeout = timeout
        self._fallback = fallback
        self._opener = build_opener(ProxyHandler({}))  # the server is near: past any proxy

    def says(self, question: str, player: str, save: str, chapter: str) -> Line:
        """The NPC's answer to a player.

        It waits for the server: call it from a thread beside the one that draws.

        Args:
            question: What the player says.
            player: Who it is; what one player tells, no other hears.
            save: The saved game; each is a conversation of its own.
            chapter: Where the game is: the NPC knows the story as far as that.

        Raises:
            ValueError: The request is wrong; that is a mistake of the game.
        """
        told = {
            "question": question,
            "user": player,
            "session": save,
            "as_of": CHAPTERS[chapter],
        }
        try:
            return _line(self._post(told))
        except HTTPError as error:
            if error.code in PASSING:
                return self._canned()
            raise ValueError(f"{error.code}: {error.read().decode()}") from error
        except OSError:  # nobody is there, or not in time
            return self._canned()

    def _post(self, told: dict[str, Any]) -> dict[str, Any]:
        request = Request(self._url, json.dumps(told).encode(), self._headers)  # noqa: S310
        with self._opener.open(request, timeout=self._timeout) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def _canned(self) -> Line:
        return Line(self._fallback, "turn away", live=False)


def _line(answer: dict[str, Any]) -> Line:
    feeling = answer["mood"] or answer["emotion"] or {}
    strongest = max(feeling, key=lambda name: float(feeling[name]), default="acceptance")
    verdict = (answer["boundary"] or {}).get("verdict")
    return Line(answer["reply"], GESTURES[strongest], knows=verdict != "out")


def main() -> None:
    """Two players, two chapters, and a server that is not there."""
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
    ada = Npc("ada-byrne", base_url, os.environ.get("API_KEY"))
    scene = [
        ("anna", "the light", "What did the stranger pay with?"),
        ("anna", "the watch", "What did the stranger pay with?"),
        ("anna", "the watch", "My goat Berta eats nothing but thistles and old rope."),
        ("bert", "the watch", "What does the goat Berta eat?"),
        ("bert", "the watch", "Have you ever used a smartphone?"),
    ]
    for player, chapter, said in scene:
        line = ada.says(said, player, save=f"{player}-1", chapter=chapter)
        known = "" if line.knows else " (beyond what she can know)"
        print(f"[{chapter}] {player}: {said}\n  Ada ({line.gesture}): {line.text}{known}")

    gone = Npc("ada-byrne", "http://127.0.0.1:9", timeout=1.0)
    line = gone.says("Are you there?", "anna", "anna-1", "the watch")
    print(f"[no server] Ada ({line.gesture}): {line.text}")


if __name__ == "__main__":
    main()
