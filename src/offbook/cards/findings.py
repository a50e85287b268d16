"""What is to be said about a card, a lorebook or a chat log: by its reader and by the linter.

Takes: a code, a path into the file, what was found.  Gives: ``Finding``, collected in ``Findings``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

Severity = Literal["error", "warning", "note"]

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a file.

    ``path`` is where it is (``data.character_book.entries[3].keys``; empty for the file itself),
    ``message`` what is the matter, ``mend`` what a person can do about it.
    """

    code: str
    severity: Severity
    path: str
    message: str
    mend: str = ""

    def as_json(self) -> dict[str, str]:
        """A plain dictionary, as ``--json`` prints it."""
        return asdict(self)


@dataclass(slots=True)
class Findings:
    """A list of findings that does not grow without end; what did not fit is counted."""

    most: int = 500
    found: list[Finding] = field(default_factory=list)
    left_out: int = 0

    def add(self, severity: Severity, code: str, path: str, message: str, mend: str = "") -> None:
        """Add a finding, or count it where there are too many."""
        if len(self.found) < self.most:
            self.found.append(Finding(code, severity, path, message, mend))
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
            return tuple(self.found)
        last = Finding(
            "more-findings", "warning", "", f"{self.left_out} more findings like these", ""
        )
        return (*self.found, last)

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
