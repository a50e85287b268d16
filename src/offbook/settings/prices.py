"""Public list prices of some models, for which nobody has set a price.

Takes: the address that a model answers at, and its name.  Gives: USD per million tokens, and the
month that the table is of. The same name at another host has no price: nobody knows what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

_LINES: Final = (files(__package__) / "prices.tsv").read_text("utf-8").splitlines()
AS_OF: Final = _LINES[0][2:9]
"""The month of the table."""
_ROWS: Final = [line.split("\t") for line in _LINES if not line.startswith("#")]
_PRICES: Final = MappingProxyType(
    {
        (host, model): MappingProxyType({"prompt": float(prompt), "completion": float(completion)})
        for host, model, prompt, completion in _ROWS
    }
)


def list_price(base_url: str, model: str) -> Mapping[str, float]:
    """What a model costs at an address: ``prompt`` and ``completion``, or nothing if not known."""
    try:
        parts = urlsplit(base_url)
    except ValueError:  # no address: whoever asks it says so
        return {}
    return _PRICES.get((parts.hostname or "", model), {}) if parts.scheme == "https" else {}
