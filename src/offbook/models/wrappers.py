"""The order of the wrappers around a model, fixed in this one place.

Takes: a backend, and what the process and the command share.  Gives: the model that stages
are given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.models.caching import Cached
from offbook.models.limits import Limited
from offbook.models.metering import Metered

if TYPE_CHECKING:
    from offbook.models.caching import CallCache
    from offbook.models.limits import Limiter
    from offbook.models.metering import Meter
    from offbook.protocols import ChatModel

OFFLINE_URL: Final = "offline:"


def wrap(
    backend: ChatModel, *, meter: Meter, limiter: Limiter, cache: CallCache | None = None
) -> ChatModel:
    """``Metered(Cached(Limited(backend)))``: what stages are given to talk to a model.

    Wrapping is cheap: it is done anew for each command or turn, with a meter of its own, around a
    backend, a limiter and a cache that live as long as the process.

    Args:
        backend: Who answers. The offline backend is returned as it is: it reaches no endpoint, so
            there is nothing to limit, to store or to count.
        meter: Counts this command's calls and keeps its budget.
        limiter: The limiter of the backend's endpoint (``Limiters.of(backend.base_url)``).
        cache: The stored calls, or None for a command that has no store.

    Raises:
        ConfigurationError: there is a budget in money, and the model has no price.
    """
    if backend.base_url == OFFLINE_URL:
        return backend
    meter.budget.check_price(backend.name)
    model: ChatModel = Limited(backend, limiter, meter)
    if cache is not None:
        model = Cached(model, cache)
    return Metered(model, meter)
