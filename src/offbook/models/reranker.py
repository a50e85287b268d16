"""A reranker at a ``/rerank`` endpoint: which of some texts answers a question best.

Takes: a question and texts.  Gives: the places of the texts, best first.
The protocol is Cohere's and Jina's, as llama.cpp and vLLM serve it; TEI, which calls the documents
``texts`` and answers with a bare list, is told apart by its refusal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Final

from offbook.errors import InvalidAnswer, OffbookError
from offbook.models.clients import WITHOUT_OWNER, Clients
from offbook.models.failures import Place, broken, from_exception
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.text.tokens import count_tokens
from offbook.types import Ending

_TASK: Final = "rerank"
_REFUSED: Final = (400, 422)
_FIELDS: Final = ("documents", "texts")


class EndpointReranker:
    """A reranking model at an endpoint.

    Args:
        place: Where it answers, with its key.
        limiter: The limiter of the endpoint, shared with its chat models.
        meter: Counts this command's requests; see :meth:`metered`.
        clients: Whose connections it uses.
    """

    def __init__(
        self,
        place: Place,
        *,
        limiter: Limiter | None = None,
        meter: Meter | None = None,
        clients: Clients = WITHOUT_OWNER,
    ) -> None:
        self._place = place
        self._limiter = limiter or Limiter()
        self._meter = meter or Meter()
        self._clients = clients
        self._field = [_FIELDS[0]]
        """The name that the endpoint has for the texts; one for all commands."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self._place.model

    def metered(self, meter: Meter) -> EndpointReranker:
        """Make the same reranker for one command; what is learned of the endpoint goes with it."""
        meter.budget.check_price(self._place.model)
        made = copy(self)
        made._meter = meter
        return made

    async def rank(self, question: str, texts: Sequence[str]) -> list[int]:
        """Rank ``texts``: their places, best first, equal ones as they came.

        Raises:
            InvalidAnswer: it did not score each text once.
            ModelError: the endpoint failed for good.
            BudgetReached: the request would go over the budget.
        """
        if len(texts) < 2:
            return list(range(len(texts)))
        model = self._place.model
        tokens = sum(map(count_tokens, texts)) + len(texts) * count_tokens(question)

        async def attempt() -> list[float]:
            aside = self._meter.budget.reserve(model, tokens, 0)
            try:
                answer = await self._send(question, texts)
            finally:
                self._meter.budget.settle(model, aside, tokens, 0)
            self._meter.answered(model, _TASK, Ending("stop", tokens, 0))
            return self._scores(answer, len(texts))

        begun = self._meter.clock()
        scores = await self._limiter.run(attempt, tokens=tokens)
        self._meter.waited(_TASK, begun, self._meter.clock())
        return sorted(range(len(texts)), key=lambda place: -scores[place])

    async def _send(self, question: str, texts: Sequence[str]) -> Any:
        name = self._field[0]
        while True:
            body = {"model": self._place.model, "query": question, name: list(texts)}
            self._meter.requested(self._place.model, _TASK)
            try:
                response = await self._clients.post(self._place, "/rerank", body)
                break
            except OffbookError:
                raise
            except Exception as error:
                refused = getattr(error, "status_code", None) in _REFUSED
                if not refused or name == _FIELDS[1]:
                    raise from_exception(self._place, error) from error
                name = _FIELDS[1]
        self._field[0] = name
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            raise broken(self._place, "the body is not JSON") from None

    def _scores(self, answer: Any, count: int) -> list[float]:
        """One finite number a text, by its place."""
        rows = answer.get("results") if isinstance(answer, Mapping) else answer
        scores: dict[int, float] = {}
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, Mapping) and isinstance(place := row.get("index"), int):
                score = row.get("relevance_score", row.get("score"))
                if isinstance(score, int | float) and math.isfinite(score):
                    scores[place] = score
        if sorted(scores) != list(range(count)):
            raise InvalidAnswer(
                f"{self._place.base_url}/rerank scored {len(scores)} of {count} texts (model "
                f"{self._place.model!r})",
                "check rerank.model and rerank.base_url, or unset rerank.model",
            )
        return [scores[place] for place in range(count)]
