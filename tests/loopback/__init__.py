"""An OpenAI-compatible server on this machine, failing as told, for tests and benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.loopback.answers import Answer, minimal_instance, schema_in

if TYPE_CHECKING:
    from tests.loopback.server import LoopbackServer, Recorded

__all__ = ["Answer", "LoopbackServer", "Recorded", "minimal_instance", "schema_in"]


def __getattr__(name: str) -> Any:
    """Load the server when it is asked for, so that it can also be run as a program."""
    if name in ("LoopbackServer", "Recorded"):
        from tests.loopback import server

        return getattr(server, name)
    raise AttributeError(name)
