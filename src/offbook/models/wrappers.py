"""The order of the wrappers around a model, fixed in this one place.

Takes: a backend, and what the process and the command share.  Gives: the model that stages
are given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.models.caching import Cached
from offbook.models.limits import Limited
from offbook.models.metering import Metered
from offbook.types import traits_of

if TYPE_CHECKING:
    from offbook.models.caching import CallCache
    from offbook.models.limits import Limiter
    from offbook.models.metering import Meter
    from offbook.protocols import ChatModel


def wrap(
    backend: ChatModel, *, meter: Meter, limiter: Limiter, cache: CallCache | None = None
) -> ChatModel:
    """Make ``Metered(Cached(Limited(backend)))``; a free backend is returned as it is.

    It is done anew for each command or turn, with a meter of its own, around a backend, a limiter
    and a cache (None: there is no store) that live as long as the process.

    Raises:
        ConfigurationError: there is a budget in money, and the model has no price.
    """
    if traits_of(backend).free:
        return backend
    meter.budget.check_price(backend.name)
    model: ChatModel = Limited(backend, limiter, meter)
    if cache is not None:
        model = Cached(model, cache)
    return Metered(model, meter)
