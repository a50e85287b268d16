"""How many made-up examples a law is tried with: few in `make test`, all in `make test-all`."""

from __future__ import annotations

from hypothesis import settings


def examples(full: int, quick: int = 25) -> int:
    """Choose by the profile; the default of 100 needs no word of this."""
    return quick if settings.get_current_profile_name() == "quick" else full
