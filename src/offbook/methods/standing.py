"""A character of a story as a turn sees it: what it knows at the point, worked out once and kept.

Takes: a character, a point, what a method recalled.  Gives: its standing there, its profile and
voice, and the recall with what it has lived through so far. Source: ours; docs/boundary.md,
"Characters of a story".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.context.life import life_so_far, meant_episodes
from offbook.methods.knowledge import UNWITNESSED
from offbook.models.beside import worked_out
from offbook.retrieval.search import IndexCache
from offbook.stores.characters import NAMES
from offbook.types import Boundary, BoundaryReason, ContextItem, Skipped, Source

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.protocols import Store
    from offbook.retrieval.point import Point
    from offbook.retrieval.standing import Standing
    from offbook.settings import SettingsModel
    from offbook.types import Character, Document, Position, Recall

KEPT_POINTS: Final = 32
"""Characters at points of which it stays in memory what they know, for each store."""
_described: Final[IndexCache[tuple[str, Position], Character]] = IndexCache(KEPT_POINTS)
_standings: Final[IndexCache[tuple[str, Position | None], Standing | None]] = IndexCache(
    KEPT_POINTS
)
_WITHOUT_LIFE: Final = frozenset(("vanilla", "whole"))
"""Methods that show nothing, or all texts: beside these the life so far is nothing new."""
_CHARS_A_TOKEN: Final = 4
"""About so many, in English prose; what is told is what a choice would cost, and no account."""


async def standing_of(
    store: Store, character: Character, settings: SettingsModel, point: Point | None
) -> Standing | None:
    """What a character of a story knows at a point, worked out once; None: all is theirs."""
    until = None if point is None else point.position

    async def load() -> Standing | None:
        from offbook.ingestion.documents import stored_documents
        from offbook.ingestion.story import viewpoint_of

        view = await viewpoint_of(store, character, settings)
        if view is None:
            return None
        from offbook.retrieval.standing import standing_at

        texts = await store.read(stored_documents, character.id)
        standing = await worked_out(standing_at, view.story, view.cast, view.member, texts, until)
        return await worked_out(_with_profile, standing, character, texts)

    return await _standings.get(store, (character.id, until), character.revision, load)


async def character_at(
    store: Store, character: Character, standing: Standing | None, point: Point | None
) -> Character:
    """One of a book with profile and voice as they are at a point."""
    if standing is not None:
        documents = tuple(dict.fromkeys(source.document for source in standing.grounds))
        return replace(
            character,
            profile=standing.profile,
            voice=standing.lines,
            profile_documents=documents,
        )
    if point is None or NAMES not in character.settings:
        return character
    from offbook.ingestion.profile import described_at

    load = partial(store.read, described_at, character, point.position)
    key = character.id, point.position
    return await _described.get(store, key, character.revision, load)


def _with_profile(standing: Standing, character: Character, texts: Sequence[Document]) -> Standing:
    """Say who the character is by what is theirs: paragraphs that name them, and whom they met."""
    from offbook.ingestion.profile import HEAD_TOKENS, telling

    parts = {
        f"{text.id}@{start}": replace(text, id=f"{text.id}@{start}", text=text.text[start:end])
        for ordinal, text in enumerate(texts)
        for start, end in standing.reach.parts(text.id, ordinal, 0, text.chars)
    }
    grounds, shown = [], []
    for begun in telling(character, [*parts.values()], HEAD_TOKENS) if parts else ():
        document, _, offset = begun.document.rpartition("@")
        start = int(offset) + begun.start
        grounds.append(Source(document, "", start, start + len(begun.text)))
        shown.append(begun.text.strip())
    if standing.met:
        shown.append(f"{standing.name} has been together with {', '.join(standing.met)}.")
    return replace(standing, profile="\n\n".join(shown), grounds=tuple(grounds))


def with_life(knowledge: Knowledge, recalled: Recall) -> Recall:
    """Put who a character of a story is, and its life so far, in front of what was found.

    A passage of the last scene, which is shown, is not shown twice; lines are those of the point.
    """
    recalled, standing = replace(recalled, voice=knowledge.character.voice), knowledge.standing
    if standing is None or recalled.method in _WITHOUT_LIFE:
        return recalled
    life = life_so_far(standing, knowledge.settings.context.life_tokens, knowledge.count)
    question = knowledge.in_full(recalled.question)
    meant = meant_episodes(life.older, question, recalled.emotion)
    shown = [s for item in life.items if item.kind == "scene" for s in item.sources]
    beside: list[ContextItem] = []
    skipped = [*recalled.skipped, *life.skipped]
    for item in recalled.context:
        if (
            item.kind == "knowledge"
            and item.sources
            and all(
                any(
                    s.document == n.document and n.start <= s.start and s.end <= n.end
                    for n in shown
                )
                for s in item.sources
            )
        ):
            skipped.append(Skipped(item.kind, item.title, "it stands in the last scene"))
        else:
            beside.append(item)
    if not knowledge.free:
        why = f"some {standing.chars // _CHARS_A_TOKEN:,} tokens a turn: --method whole shows it"
        skipped.append(Skipped("knowledge", "all that is told up to the point", why))
    untold = [each for each in skipped if each.kind == UNWITNESSED]
    profile: list[ContextItem] = []
    if life.items and not any(item.kind == "profile" for item in recalled.context):
        profile = knowledge.summary(standing.profile, standing.grounds)
    return replace(
        recalled,
        context=(
            *profile,
            *life.items,
            *beside,
            *meant,
            *(ContextItem("unwitnessed", each.title, each.why, 1.0) for each in untold[:1]),
        ),
        boundary=_untold(recalled.boundary, untold),
        skipped=tuple(each for each in skipped if each.kind != UNWITNESSED),
    )


def _untold(boundary: Boundary | None, untold: Sequence[Skipped]) -> Boundary | None:
    """Say in the verdict that what is asked may be of what the character did not witness."""
    if not untold:
        return boundary
    reason = BoundaryReason(untold[0].title, untold[0].why)
    if boundary is None:
        return Boundary("partly", (reason,))
    verdict = "partly" if boundary.verdict == "in" else boundary.verdict
    return Boundary(verdict, (*boundary.reasons, reason))
