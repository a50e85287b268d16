"""The line that a person types at a terminal: arrow keys, earlier lines, several lines at once.

Takes: keys.  Gives: what was typed when Enter is pressed. The event loop runs on meanwhile, and
with it what goes on behind a conversation.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from offbook.cli.process import unwatched

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

PROMPT = "> "


class Editor:
    """Where a person types.

    Enter sends, Alt-Enter begins a new line, Ctrl-C clears, and at an empty line it interrupts.

    Args:
        earlier: What was typed before, for the arrow keys; the last stands last.
        commands: What Tab completes.
    """

    def __init__(self, earlier: Sequence[str], commands: Sequence[str]) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import create_output

        is_apart = sys.stderr.isatty() and not sys.stdout.isatty()
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=_keys(),
            history=InMemoryHistory(earlier),
            completer=WordCompleter([*commands], sentence=True),
            complete_while_typing=False,
            reserve_space_for_menu=0,
            output=create_output(sys.stderr) if is_apart else None,
        )

    async def line(self, draft: str = "") -> str | None:
        """What is typed; None at its end.

        Args:
            draft: What is in the line already.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed in an empty line.
        """
        try:
            with unwatched():
                return await self._session.prompt_async(default=draft, handle_sigint=False)
        except EOFError:
            return None


def _keys() -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def begin_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def clear(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt)

    return keys
