"""Every error that offbook raises on purpose, in one tree.

Takes: what happened, and a hint that says how to mend it.  Gives: an exit code.
"""

from __future__ import annotations

import errno
import re
from typing import ClassVar, Final

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Of an ``OSError``: there is no room for what is written, which is no mistake of the program."""
STARS: Final = "********"
"""What is shown in the place of a secret."""

# A text that is a URL, however malformed, loses all up to its last "@"; in a sentence a URL ends at
# a blank, and is looked at for 1,000 letters, so that no text takes long. A user alone is a secret
# only to HTTP, where tokens are passed so.
_PASSWORD: Final = re.compile(
    r"(^[a-z][\w+.-]*:(?://)?[^\s:/?#@]*:).*@|(://[^\s:/?#@]*:)\S{0,1000}@|(https?://)[^\s:/?#@]+@",
    re.I,
)
_PARAMETER: Final = re.compile(
    r"((?:pass(?:word|wd|phrase)?|pwd|[?&][\w.-]*(?:key|token|secret))=)[^&\s'\"]*", re.I
)


def hide_passwords(text: str) -> str:
    """Put stars in the place of passwords in URLs: before the host, and among the parameters."""
    text = _PASSWORD.sub(lambda match: f"{''.join(filter(None, match.groups()))}{STARS}@", text)
    return _PARAMETER.sub(rf"\1{STARS}", text)


class OffbookError(Exception):
    """Root of all errors that offbook raises on purpose.

    Args:
        message: What happened, and to what (the value with ``!r``); passwords in URLs are hidden.
        hint: What the person can do about it; one line.
    """

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "failed"

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = hide_passwords(message)
        self.hint = hide_passwords(hint)
        super().__init__(self.message)

    @property
    def told_to_all(self) -> str:
        """The message as anybody may read it who asks over a network."""
        return self.message

    def as_json(self) -> dict[str, dict[str, str]]:
        """The envelope that ``--json`` prints on failure."""
        return {"error": {"kind": self.kind, "message": self.message, "hint": self.hint}}


class BudgetReached(OffbookError):
    """A limit on calls or money was reached; what was done is kept."""

    kind = "budget_reached"


class StoreFailed(OffbookError):
    """The database could not be read or written."""

    kind = "store_failed"


class Interrupted(OffbookError):
    """A person, or the system, ended the command."""

    exit_code = 130
    kind = "interrupted"


class FetchFailed(OffbookError):
    """A dataset could not be fetched, or is not what it should be; what was fetched is kept."""

    kind = "fetch_failed"


class UsageError(OffbookError):
    """The input cannot be used as it is."""

    exit_code = 2
    kind = "usage"


class UnknownName(UsageError):
    """No character, document, method or setting of that name; the nearest is in the hint."""

    kind = "unknown_name"


class UnreadableDocument(UsageError):
    """A file is empty, binary, in an unknown encoding, too large or gone."""

    kind = "unreadable_document"


class UnreadableCard(UsageError):
    """A card, lorebook or chat log is damaged, locked, of an unknown form, too large or gone."""

    kind = "unreadable_card"


class InUse(UsageError):
    """Another process works on it already; which one is for this machine's users alone.

    Args:
        message: What is in use.
        hint: What the person can do about it.
        holder: The process, and where it runs.
    """

    def __init__(self, message: str, hint: str, holder: str) -> None:
        super().__init__(f"{message}: {holder}", hint)
        self._told_to_all = message

    @property
    def told_to_all(self) -> str:
        """Without the process."""
        return self._told_to_all


class IndexMissing(UsageError):
    """The method needs an index that was not built; the hint is the command that builds it."""

    kind = "index_missing"


class ConfigurationError(OffbookError):
    """Settings contradict one another, or may not be combined."""

    exit_code = 3
    kind = "configuration"


class EmbedderMismatch(ConfigurationError):
    """The stored vectors came from another embedder than the configured one."""

    kind = "embedder_mismatch"


class ModelError(OffbookError):
    """The model endpoint failed for good.

    Attributes:
        tokens: Those of the prompt and of the answer that cost all the same, where it is known.
    """

    exit_code = 4
    kind = "model_failed"
    tokens: tuple[int, int] = (0, 0)


class InputRefused(ModelError):
    """The endpoint refuses this one input, such as a text that is too long; others may pass."""

    kind = "input_refused"


class AnswerError(ModelError):
    """The model answered, but with nothing that can be used.

    Args:
        message: What was wrong with the answer, in words a model can act on.
        hint: What the person can do about it.
        answer: The text as it came, shortened by the caller where it is shown.
    """

    kind = "answer_unusable"

    def __init__(self, message: str, hint: str = "", answer: str = "") -> None:
        super().__init__(message, hint)
        self.answer = answer


class InvalidAnswer(AnswerError):
    """The answer does not fit its schema."""

    kind = "answer_invalid"


class IncompleteAnswer(AnswerError):
    """The answer was cut off: brackets or strings do not close, or the length limit was hit."""

    kind = "answer_incomplete"
