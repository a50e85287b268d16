"""What is to be said about a card, a lorebook or a chat log: by its reader and by the linter.

Takes: a code, a path into the file, what was found.  Gives: ``Finding``, collected in ``Findings``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from offbook.types import Finding, Severity

_SHOWN: Final = 60


@dataclass(slots=True)
class Findings:
    """A list of findings that does not grow without end; what did not fit is counted."""

    most: int = 500
    items: list[Finding] = field(default_factory=list)
    left_out: int = 0

    def add(self, severity: Severity, code: str, path: str, message: str, mend: str = "") -> None:
        """Add a finding, or count it where there are too many."""
        if len(self.items) < self.most:
            self.items.append(Finding(code, severity, path, message, mend))
        else:
            self.left_out += 1

    def warn(self, code: str, path: str, message: str, mend: str = "") -> None:
        """Add a warning."""
        self.add("warning", code, path, message, mend)

    def extend(self, findings: tuple[Finding, ...]) -> None:
        """Add all of ``findings``."""
        for one in findings:
            self.add(one.severity, one.code, one.path, one.message, one.mend)

    def all(self) -> tuple[Finding, ...]:
        """Everything that was found, and at the end how much more there was."""
        if not self.left_out:
            return tuple(self.items)
        more = f"{self.left_out} more findings like these"
        return (*self.items, Finding("more-findings", "warning", "", more, ""))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.all())


def shown(value: Any) -> str:
    """``value`` as a message shows it: never long, whatever it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…")
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
