"""Numbers for Prometheus: requests, their times, open streams, and what models cost.

Takes: finished requests, and calls of models.  Gives: the text of ``/metrics``.  Each application
has its own registry; no label is taken from what a client writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_KNOWN_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The numbers of one application."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        from prometheus_client.gc_collector import GCCollector
        from prometheus_client.process_collector import ProcessCollector

        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        which = ("method", "route")
        self._requests = Counter(
            "offbook_requests",
            "Requests that were answered.",
            (*which, "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "offbook_request_seconds",
            "Seconds until a request was answered whole.",
            which,
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._first_byte = Histogram(
            "offbook_first_byte_seconds",
            "Seconds until the first byte of an answer's body.",
            which,
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.open_requests = Gauge(
            "offbook_open_requests", "Requests that are being answered.", registry=self.registry
        )
        self.models = ModelMetrics(self.registry)

    def answered(
        self, method: str, route: str, status: int, seconds: float, first_byte: float | None
    ) -> None:
        """Count a request."""
        known = method if method in _KNOWN_METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)
        if first_byte is not None:
            self._first_byte.labels(known, route).observe(first_byte)

    def text(self) -> tuple[bytes, str]:
        """What ``/metrics`` answers, and its media type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self.registry), CONTENT_TYPE_LATEST


class ModelMetrics:
    """What is asked of models, counted while it is asked: whoever asks, and however it ends.

    Args:
        registry: Of the application. Its numbers may grow in any thread.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        from prometheus_client import Counter

        self._calls = Counter(
            "offbook_model_calls", "Calls that reached a model.", ("prompt",), registry=registry
        )
        self._tokens = Counter(
            "offbook_model_tokens", "Tokens of these calls.", ("prompt", "kind"), registry=registry
        )
        self._seconds = Counter(
            "offbook_model_seconds",
            "Seconds until these calls had ended, those in the queue included.",
            ("prompt",),
            registry=registry,
        )
        self._embeddings = Counter(
            "offbook_embedding_calls", "Requests for embeddings.", registry=registry
        )
        self._embedded = Counter(
            "offbook_embedding_tokens", "Tokens of these requests.", registry=registry
        )

    def requested(self, task: str, requests: int) -> None:
        """Requests went out to an endpoint, answered or not."""
        self._calls.labels(task).inc(requests)

    def answered(self, task: str, prompt_tokens: int, completion_tokens: int) -> None:
        """An answer has come, or what there was of it."""
        self._tokens.labels(task, "prompt").inc(prompt_tokens)
        self._tokens.labels(task, "completion").inc(completion_tokens)

    def waited(self, task: str, seconds: float) -> None:
        """A call has ended, answered or not."""
        self._seconds.labels(task).inc(max(0.0, seconds))

    def embedded(self, prompt_tokens: int) -> None:
        """A request for embeddings was answered."""
        self._embeddings.inc()
        self._embedded.inc(prompt_tokens)
