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
_CLOCK: Final = (
    r",? (?:at )?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?: ?(?P<half>[ap]m))?"
)
_NAMED: Final = (
    re.compile(
        r"(?P<month>[A-Za-z]{3,9}) (?P<day>\d{1,2}), (?P<year>\d{4})" + _CLOCK, re.IGNORECASE
    ),
    re.compile(
        r"(?P<day>\d{1,2})\.? (?P<month>[A-Za-z]{3,9}) (?P<year>\d{4})" + _CLOCK, re.IGNORECASE
    ),
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
            # Browsers put narrow and unbreakable blanks before "PM".
            return _from_text(" ".join(value[:64].split()))
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
    for named in _NAMED:
        match = named.fullmatch(text)
        if match is not None:
            return _written(_clock(match))
    return _written(datetime.fromisoformat(text))


def _clock(match: re.Match[str]) -> datetime:
    month = _MONTHS.get(match["month"][:3].lower(), 0)
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    day = int(match["year"]), month, int(match["day"])
    return datetime(*day, hour, int(match["minute"]), int(match["second"] or 0))  # noqa: DTZ001


def _written(moment: datetime) -> str:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(microsecond=0).isoformat()
