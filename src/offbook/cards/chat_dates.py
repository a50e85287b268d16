"""The times in chat logs, which were written in many ways over the years.

Takes: a value.  Gives: ISO 8601, in UTC where the value says its zone; None where it says no time.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

_HUMAN: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?"
)
_NAMED: Final = re.compile(
    r"([A-Za-z]{3,9}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap]m)", re.IGNORECASE
)
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_MILLISECONDS_FROM: Final = 100_000_000_000


def iso_time(value: Any) -> str | None:
    """``value`` as an ISO 8601 time, or None."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return _since_1970(value)
        if isinstance(value, str):
            return _from_text(value.strip()[:64])
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _since_1970(number: float) -> str | None:
    if number <= 0:
        return None
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    return _written(datetime.fromtimestamp(seconds, UTC))


def _from_text(text: str) -> str | None:
    if text.isascii() and text.isdigit():
        return _since_1970(int(text))
    human = _HUMAN.fullmatch(text)
    if human is not None:
        year, month, day, hour, minute, second = (int(part) for part in human.groups()[:6])
        moment = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - no zone is said
        return _written(moment)
    named = _NAMED.fullmatch(text)
    if named is not None:
        return _written(_clock(named))
    return _written(datetime.fromisoformat(text))


def _clock(match: re.Match[str]) -> datetime:
    month = _MONTHS.get(match[1][:3].lower(), 0)
    hour = int(match[4]) % 12 + (12 if match[6].lower() == "pm" else 0)
    return datetime(int(match[3]), month, int(match[2]), hour, int(match[5]))  # noqa: DTZ001


def _written(moment: datetime) -> str:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(microsecond=0).isoformat()
