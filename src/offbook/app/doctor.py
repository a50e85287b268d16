"""The probes of ``offbook doctor``: what is configured is asked to do what it will have to do.

Takes: an open ``Offbook``.  Gives: a check a probe: database, structured answers, streaming,
embeddings, and a prompt as long as the token budget with a word at its head, which an endpoint
that cuts long prompts in silence does not find.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from offbook.errors import ModelError, OffbookError
from offbook.ingestion.reports import counted
from offbook.models.ladder import RungMemory
from offbook.models.server_limits import ServerLimits, server_limits, window_in
from offbook.prompts.ask import ask, stream_text
from offbook.prompts.probes import (
    PROBE_NEEDLE,
    PROBE_STRUCTURED,
    NeedleProbeInputs,
    StructuredProbeInputs,
)
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.settings.endpoints import fitted
from offbook.stores import call_cache, characters
from offbook.text.tokens import count_tokens
from offbook.types import traits_of

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.protocols import ChatModel, Reranker
    from offbook.runtime import Runtime
    from offbook.settings import SettingsModel

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

    def in_words(self) -> str:
        """Its line, and a second one with the hint."""
        line = f"{'ok  ' if self.ok else 'FAIL'} {self.name}: {self.detail}\n"
        return line + (f"     {self.hint}\n" if self.hint else "")


async def examine(home: Home) -> list[Check]:
    """Run every probe that the configuration has a use for."""
    runtime = home.runtime()
    checks = [await _probed("database", _database(home))]
    models = {"chat": runtime.actor, "extract": runtime.extractor, "judge": runtime.judge}
    probed: set[tuple[str, str]] = set()
    for role, model in models.items():
        if (model.base_url, model.name) in probed:
            continue
        probed.add((model.base_url, model.name))
        if traits_of(model).free:
            checks.append(Check(role, True, "the offline backend: rules, no language model"))
            continue
        checks.append(await _probed(f"{role}: structured answers", _structured(home, model)))
        if role == "chat":  # the others need not stream
            checks.append(await _probed("chat: streaming", _streaming(model)))
        limits = await _limits(home) if role == "chat" else ServerLimits()
        values = fitted(home.settings, limits.window, limits.slots).values
        long = await _probed(f"{role}: long prompts", _long_prompt(values, model))
        checks.append(long)
        if role == "chat":
            checks.append(await _probed("chat: window", _window(home, limits, long)))
    checks.append(await _probed("embeddings", _embeddings(runtime)))
    if runtime.reranker is not None:
        checks.append(await _probed("rerank", _reranking(runtime.reranker)))
    return checks


async def _probed(name: str, probe: Awaitable[tuple[str, str]]) -> Check:
    """The check of a probe, which gives what was seen and a hint."""
    try:
        detail, hint = await probe
    except OffbookError as error:
        return Check(name, False, error.message, error.hint, error.exit_code)
    return Check(name, True, detail, hint)


async def _database(home: Home) -> tuple[str, str]:
    stored = await home.store.read(characters.list_all)
    await home.store.write(lambda conn: None)
    return f"readable and writable, {counted(len(stored), 'character')}", ""


async def _structured(home: Home, model: ChatModel) -> tuple[str, str]:
    answer = await ask(model, PROBE_STRUCTURED, StructuredProbeInputs(WORDS))
    got = [item.word.strip().lower() for item in answer.items]
    rung = await RungMemory(home.store).get(model.base_url, model.name) or "unknown"
    if got != list(WORDS):
        raise ModelError(
            f"by {rung}, but {got!r}",
            "extraction needs a model that follows a schema; try a larger one",
        )
    return f"{model.name}, by {rung}", ""


async def _streaming(model: ChatModel) -> tuple[str, str]:
    inputs = ReplyInputs("a harbour pilot", "", (), (), (), "Good evening. Who are you?")
    pieces = 0
    async for _ in stream_text(model, REPLY, inputs):
        pieces += 1
    hint = "" if pieces > 1 else "the endpoint sends the whole reply at once; chat will not stream"
    return f"{model.name}, {pieces} pieces", hint


async def _limits(home: Home) -> ServerLimits:
    """Ask a server of one's own; it has answered before, so that the model is loaded by now."""
    endpoint = home.wiring.endpoints["chat"]
    return await server_limits(endpoint.base_url or "", endpoint.model, endpoint.api_key)


async def _window(home: Home, limits: ServerLimits, long: Check) -> tuple[str, str]:
    """Remember for all commands how much is read at once, as told before or by a refusal."""
    endpoint = home.wiring.endpoints["chat"]
    url, model = endpoint.base_url or "", endpoint.model
    said = limits.window or (None if long.ok else window_in(long.detail))
    await home.store.write(call_cache.put_limits, url, model, said, limits.slots)
    values = fitted(home.settings, said, limits.slots).values
    window = values.chat.context_tokens
    if window is None:
        return "not told", "set chat.context_tokens to the model's window if it is below 10,000"
    at_once = values.limits.concurrency
    slots = "" if limits.slots is None else f", {counted(at_once, 'call')} at once"
    fit = values.context
    shares = f"{fit.budget()} for what is recalled, {fit.history_tokens} for the conversation"
    return f"{window} tokens{slots}: {shares}", ""


async def _long_prompt(values: SettingsModel, model: ChatModel) -> tuple[str, str]:
    budget = values.context.budget() + values.context.history_tokens
    budget = max(budget, values.profile.budget_tokens)
    filler = _FILLER * (budget // count_tokens(_FILLER) + 1)
    answer = await ask(model, PROBE_NEEDLE, NeedleProbeInputs(NEEDLE, filler))
    if NEEDLE in answer.lower():
        return f"about {budget} tokens are read from the head", ""
    raise ModelError(
        f"the word at the head of a prompt of about {budget} tokens was not repeated: the endpoint "
        "probably cuts long prompts in silence",
        "raise the endpoint's context length (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or lower "
        "context.budget_tokens, context.history_tokens and profile.budget_tokens",
    )


async def _reranking(reranker: Reranker) -> tuple[str, str]:
    first, *_ = await reranker.rank("Who keeps the boats?", ["A letter.", "He keeps the boats."])
    hint = "" if first else "it put a text that says nothing of the question first"
    return reranker.name, hint


async def _embeddings(runtime: Runtime) -> tuple[str, str]:
    vectors = await runtime.embedder.embed(["The boats rose and fell.", "A letter."], "document")
    return f"{runtime.embedder.name}, {vectors.shape[1]} dimensions", ""
