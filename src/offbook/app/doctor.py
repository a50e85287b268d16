"""The probes of ``offbook doctor``: what is configured is asked to do what it will have to do.

Takes: an open ``Offbook``.  Gives: a check a probe: database, structured answers, streaming,
embeddings, and a prompt as long as the token budget with a word at its head, which an endpoint
that cuts long prompts in silence does not find.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from offbook.errors import ModelError, OffbookError
from offbook.ingestion.reports import counted
from offbook.language.tokens import count_tokens
from offbook.models.ladder import RungsInStore
from offbook.models.wrappers import OFFLINE_URL
from offbook.prompts.ask import ask, stream_text
from offbook.prompts.probes import (
    PROBE_NEEDLE,
    PROBE_STRUCTURED,
    NeedleProbeInputs,
    StructuredProbeInputs,
)
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.stores import characters

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.pipeline import Stage
    from offbook.protocols import ChatModel

WORDS = ("anchor", "lantern", "harbour")
NEEDLE = "periwinkle"
_FILLER = (
    "The tide came in and went out again, and the boats in the harbour rose and fell with it. "
)


@dataclass(frozen=True, slots=True)
class Check:
    """One probe: whether it went well, what was seen, and how to mend what was not."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    exit_code: int = 0

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


async def examine(book: Offbook) -> list[Check]:
    """Run every probe that the configuration has a use for."""
    stage = book.stage()
    checks = [await _guarded("database", lambda: _database(book))]
    seen: set[tuple[str, str]] = set()
    for role, model in (
        ("chat", stage.actor),
        ("extract", stage.extractor),
        ("judge", stage.judge),
    ):
        if (model.base_url, model.name) not in seen:
            seen.add((model.base_url, model.name))
            checks += await _chat_model(book, stage, role, model)
    checks.append(await _guarded("embeddings", lambda: _embeddings(stage)))
    return checks


async def _chat_model(book: Offbook, stage: Stage, role: str, model: ChatModel) -> list[Check]:
    """The probes of one chat model; only chat's own has to stream."""
    if model.base_url == OFFLINE_URL:
        return [Check(role, True, "the offline backend: rules, no language model")]
    name = f"{role}: structured answers"
    found = [await _guarded(name, lambda: _structured(name, book, model))]
    if role == "chat":
        found.append(await _guarded("chat: streaming", lambda: _streaming(model)))
    name = f"{role}: long prompts"
    return [*found, await _guarded(name, lambda: _long_prompt(name, stage, model))]


async def _guarded(name: str, probe: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await probe()
    except OffbookError as error:
        return Check(name, False, error.message, error.hint, error.exit_code)


async def _database(book: Offbook) -> Check:
    found = await book.store.read(characters.list_all)
    await book.store.write(lambda conn: None)
    return Check("database", True, f"readable and writable, {counted(len(found), 'character')}")


async def _structured(name: str, book: Offbook, model: ChatModel) -> Check:
    answer = await ask(model, PROBE_STRUCTURED, StructuredProbeInputs(WORDS))
    got = [item.word.strip().lower() for item in answer.items]
    rung = await RungsInStore(book.store).get(model.base_url, model.name) or "unknown"
    if got != list(WORDS):
        hint = "extraction needs a model that follows a schema; try a larger one"
        return Check(name, False, f"by {rung}, but {got!r}", hint, 4)
    return Check(name, True, f"{model.name}, by {rung}")


async def _streaming(model: ChatModel) -> Check:
    inputs = ReplyInputs("a harbour pilot", "", (), (), (), "Good evening. Who are you?")
    pieces = 0
    async for _ in stream_text(model, REPLY, inputs):
        pieces += 1
    hint = "" if pieces > 1 else "the endpoint sends the whole reply at once; chat will not stream"
    return Check("chat: streaming", True, f"{model.name}, {pieces} pieces", hint)


async def _long_prompt(name: str, stage: Stage, model: ChatModel) -> Check:
    budget = stage.settings.context.budget_tokens + stage.settings.context.history_tokens
    budget = max(budget, stage.settings.profile.budget_tokens)
    filler = _FILLER * (budget // count_tokens(_FILLER) + 1)
    answer = await ask(model, PROBE_NEEDLE, NeedleProbeInputs(NEEDLE, filler))
    if NEEDLE in answer.lower():
        return Check(name, True, f"about {budget} tokens are read from the head")
    raise ModelError(
        f"the word at the head of a prompt of about {budget} tokens was not repeated: the endpoint "
        "probably cuts long prompts in silence",
        "raise the endpoint's context length (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or lower "
        "context.budget_tokens, context.history_tokens and profile.budget_tokens",
    )


async def _embeddings(stage: Stage) -> Check:
    vectors = await stage.embedder.embed(["The boats rose and fell.", "A letter."], "document")
    detail = f"{stage.embedder.name}, {vectors.shape[1]} dimensions"
    return Check("embeddings", True, detail)
