"""An OpenAI-compatible server on this machine, failing as told, for tests and benchmarks."""

from tests.loopback.answers import Answer, minimal_instance, schema_in
from tests.loopback.server import LoopbackServer, Recorded

__all__ = ["Answer", "LoopbackServer", "Recorded", "minimal_instance", "schema_in"]
