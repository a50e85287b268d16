"""What building the graph of a character would cost, without a call.

Takes: the documents as they would be stored.  Gives: calls and tokens by task. Extraction is
counted in the very prompts that would be sent, and what is extracted already in the questions that
are open; the rest is estimated from the length of the text by measured ratios.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.documents.chunking import make_splitter
from offbook.graph import judging, merging, verification
from offbook.graph.loading import CHUNKING
from offbook.ingestion.extracting import JOB, extraction_inputs, has_words
from offbook.ingestion.outstanding import Questions, outstanding
from offbook.ingestion.storing import splitter_arguments
from offbook.language.encodings import token_counter
from offbook.models.asking import BATCH_ITEMS, BATCH_TOKENS
from offbook.models.caching import call_key
from offbook.prompts.ask import request_of
from offbook.prompts.extraction import extraction
from offbook.stores import call_cache, chunks, graph, jobs
from offbook.types import TaskUsage

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.ingestion.outstanding import Outstanding
    from offbook.pipeline import Stage
    from offbook.types import Character, Chunk, Document
    from offbook.wire import ChatRequest


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many items a text gives, and how long they are.

    Args:
        items: Items for 1,000 characters of text.
        prompt_tokens: Of an item, its share of the instructions included.
        completion_tokens: Of its answer.
        few: Items that are not worth a call of their own.
        most: Items that a call holds at most.
        more: How many times as many items there are where a graph is there already: most of what
            a new text mentions is known, and has one description more from then on.
    """

    items: float
    prompt_tokens: int
    completion_tokens: int
    few: int
    most: int
    more: int = 1


EXTRACTED_PER_CHARACTER: Final = 1.0
"""Tokens of an extraction's answer for each character of the passage."""

PER_1000_CHARACTERS: Final = {
    "same_entity": Ratio(4.0, 170, 22, judging.FEW_A_CALL, BATCH_ITEMS),
    "verify_group": Ratio(0.22, 410, 25, verification.FEW_A_CALL, BATCH_ITEMS),
    "merge_entities": Ratio(1.4, 220, 110, merging.FEW_A_CALL, merging.MOST_A_CALL, 3),
    "merge_relations": Ratio(0.8, 160, 60, merging.FEW_A_CALL, merging.MOST_A_CALL, 3),
}
"""Medians over six persona documents of 10 to 56 KB, content-defined chunks, with a simulated model
that lists at most 20 entities and 20 relations a chunk; answers of merging as long as they may be
by half."""

INSTRUCTIONS: Final = 200
"""About how many tokens a call has beside its items."""


async def estimate_graph(
    stage: Stage, character: Character, documents: Sequence[Document]
) -> dict[str, TaskUsage]:
    """The calls that building the graph from these documents would make now, by task.

    Args:
        stage: The extractor, the settings and the store.
        character: Whose documents they are.
        documents: As they would be stored; the ids of chunks depend on their content only.
    """
    splitter = make_splitter(CHUNKING, splitter_arguments(CHUNKING, stage.settings))
    passages: dict[str, Chunk] = {}
    for document in documents:
        made = await asyncio.to_thread(splitter.split, document)
        passages |= {chunk.id: chunk for chunk in made if has_words(chunk.text)}
    pending, asked, exists = await stage.store.read(
        lambda conn: _pending(conn, stage, character, passages)
    )
    waiting = {chunk.id for chunk in pending}
    extracted = {name: chunk for name, chunk in passages.items() if name not in waiting}
    still = await outstanding(stage, character.id, extracted)
    found = _extraction(stage, pending, asked)
    new = sum(len(chunk.text) for chunk in pending)
    questions = {
        name: _questions(name, still, new * (ratio.more if exists else 1))
        for name, ratio in PER_1000_CHARACTERS.items()
        if name != "verify_group" or stage.settings.graph.verify
    }
    found |= _usages(questions, stage.settings.limits.concurrency)
    return {name: usage for name, usage in found.items() if usage.calls}


def _questions(name: str, still: Outstanding, new_characters: int) -> Questions:
    """The questions of a task: about texts to be extracted, and about those that are already.

    Of the latter pairs are known as soon as the mentions are. What has to be verified and merged
    depends on how they are decided: where that is open, at least what such a text gives on average.
    """
    found, ratio = still.questions[name], PER_1000_CHARACTERS[name]
    share = found.count * INSTRUCTIONS // ratio.few
    known = Questions(found.count, found.tokens + share)
    if name != "same_entity" or still.unembedded:
        guessed = _guessed(ratio, still.unsettled_characters)
        known = max(known, guessed, key=lambda questions: questions.count)
    expected = _guessed(ratio, new_characters)
    if new_characters and not expected.count:
        expected = Questions(1, ratio.prompt_tokens)
    return Questions(known.count + expected.count, known.tokens + expected.tokens)


def _guessed(ratio: Ratio, characters: int) -> Questions:
    count = round(characters / 1_000 * ratio.items)
    return Questions(count, count * ratio.prompt_tokens)


def _usages(questions: Mapping[str, Questions], at_once: int) -> dict[str, TaskUsage]:
    """Calls as ``models.batching`` makes them; merging shares its places, one is the summary's."""
    merging = {name: q.count for name, q in questions.items() if name.startswith("merge_")}
    places = dict.fromkeys(questions, at_once)
    for name, count in merging.items():
        places[name] = round((at_once - 1) * count / max(1, sum(merging.values())))
    return {
        name: _usage(q, PER_1000_CHARACTERS[name], places[name]) for name, q in questions.items()
    }


def _usage(questions: Questions, ratio: Ratio, at_once: int) -> TaskUsage:
    count, tokens = questions.count, questions.tokens
    by_size = max(-(-tokens // BATCH_TOKENS), -(-count // ratio.most))
    calls = max(by_size, min(at_once, -(-count // ratio.few)))
    return TaskUsage(calls, tokens, count * ratio.completion_tokens)


def _extraction(
    stage: Stage, pending: Sequence[Chunk], asked: Sequence[ChatRequest]
) -> dict[str, TaskUsage]:
    """What extracting costs: counted in the prompts that would be sent."""
    if not asked:
        return {}
    count = token_counter(stage.settings.tokens.encoding)
    prompt_tokens = sum(count(message.content) for r in asked for message in r.messages)
    characters = sum(len(chunk.text) for chunk in pending)
    answers = round(len(asked) / len(pending) * characters * EXTRACTED_PER_CHARACTER)
    found = {"extract": TaskUsage(len(asked), prompt_tokens, answers)}
    if stage.settings.graph.gleaning:
        found["glean"] = TaskUsage(len(asked), round(1.2 * prompt_tokens), answers // 2)
    return found


def _pending(
    conn: Connection, stage: Stage, character: Character, passages: dict[str, Chunk]
) -> tuple[list[Chunk], list[ChatRequest], bool]:
    """Chunks to extract; requests of them that are not in the cache; whether there is a graph."""
    found = jobs.list_jobs(conn, character.id, kind=JOB, statuses={"done"})
    stored = {chunk.id for chunk in chunks.list_chunks(conn, character.id, chunking=CHUNKING)}
    done = {job.subject for job in found} & stored
    pending = [chunk for name, chunk in passages.items() if name not in done]
    types = tuple(stage.settings.graph.entity_types)
    prompt, model = extraction(types), stage.extractor
    requests = [
        request_of(prompt, extraction_inputs(character.name, chunk, types)) for chunk in pending
    ]
    asked = [
        request
        for request in requests
        if call_cache.get(conn, call_key(model.base_url, model.name, request)) is None
    ]
    return pending, asked, bool(graph.list_groups(conn, character.id))
