"""Names to implementations, loaded only when asked for; the only place that names concrete ones.

Takes: a kind ("method", "dataset", ...) and a name.  Gives: the object behind ``module:attribute``.
Third parties add theirs through entry point groups of the same names: ``offbook.method``,
``offbook.searcher``, ``offbook.model``, ``offbook.embedder``, ``offbook.splitter``; a
``offbook.reader`` has the ending of the files that it reads as its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from offbook.errors import UnknownName

_KNOWN: Final[dict[str, dict[str, str]]] = {
    "facade": {
        "evaluation": "offbook.evaluation.facade:Evaluation",
    },
    "method": {
        "vanilla": "offbook.methods.vanilla:Vanilla",
        "profile": "offbook.methods.profile:Profile",
        "naive": "offbook.methods.naive:Naive",
        "whole": "offbook.methods.whole:Whole",
        "crag": "offbook.methods.crag:Crag",
        "adaptive": "offbook.methods.adaptive:Adaptive",
        "raptor": "offbook.methods.raptor:Raptor",
        "lightrag": "offbook.methods.lightrag:LightRag",
        "rolerag": "offbook.methods.rolerag:RoleRag",
        "amadeus": "offbook.methods.amadeus:Amadeus",
        "emotional": "offbook.methods.emotional:Emotional",
        "ensemble": "offbook.methods.ensemble:Ensemble",
    },
    "model": {
        "offline": "offbook.rules.model:OfflineModel",
    },
    "embedder": {
        "builtin": "offbook.models.builtin:BuiltinEmbedder",
    },
    "splitter": {
        "acts": "offbook.documents.acts:ACTSSplitter",
        "ats": "offbook.documents.acts:ATSSplitter",
        "fixed": "offbook.documents.splitters:FixedSplitter",
        "graph": "offbook.documents.graph_chunks:GraphSplitter",
        "markdown": "offbook.documents.splitters:MarkdownHeaderSplitter",
        "recursive": "offbook.documents.splitters:RecursiveSplitter",
        "semantic": "offbook.documents.splitters:SemanticSplitter",
    },
    "cast": {
        "rules": "offbook.rules.cast:read_cast",
    },
    "story": {
        "rules": "offbook.rules.scenes:read_story",
        "kind": "offbook.rules.story_kind:kind_of",
    },
    "protocol": {
        "questions": "offbook.evaluation.protocols:QuestionsProtocol",
        "items": "offbook.evaluation.protocols:ItemsProtocol",
        "recall": "offbook.evaluation.scripts:RecallProtocol",
        "script": "offbook.evaluation.scripts:ScriptProtocol",
        "open_interview": "offbook.evaluation.protocols:OpenInterviewProtocol",
    },
    "searcher": {
        "documents": "offbook.methods.crag:OtherDocuments",
    },
    "lore": {
        "world_info": "offbook.cards.lore:WorldInfo",
    },
    "foreign_file": {
        "card": "offbook.cards.files:CardFiles",
        "chat": "offbook.cards.chat_exchanges:ChatLogs",
    },
    "macros": {
        "tavern": "offbook.cards.macros:expanded",
    },
    "dataset": {
        "demo": "offbook.evaluation.datasets.files:load_demo_character",
        "mbti-60": "offbook.evaluation.datasets.questionnaires:load_mbti_60",
        "bigfive-60": "offbook.evaluation.datasets.questionnaires:load_bigfive_60",
        "character-llm": "offbook.evaluation.datasets.published:load_character_llm",
        "incharacter": "offbook.evaluation.datasets.questionnaires:load_in_character",
        "charactereval": "offbook.evaluation.datasets.dialogues:load_character_eval",
        "chatharuhi": "offbook.evaluation.datasets.dialogues:load_chat_haruhi",
        "rolebench": "offbook.evaluation.datasets.published:load_role_bench",
        "characterrag": "offbook.evaluation.datasets.published:load_character_rag",
        "harry-potter": "offbook.evaluation.datasets.files:load_harry_potter",
        "ipip-neo-120": "offbook.evaluation.datasets.questionnaires:load_ipip",
        "file": "offbook.evaluation.datasets.files:load_user_file",
        "coser": "offbook.evaluation.datasets.coser:load_coser",
        "scripts": "offbook.evaluation.datasets.scripts:load_scripts",
        "timechara": "offbook.evaluation.datasets.timechara:load_timechara",
        "locomo": "offbook.evaluation.datasets.sessions:load_locomo",
        "longmemeval": "offbook.evaluation.datasets.sessions:load_longmemeval",
    },
}


def names(kind: str) -> list[str]:
    """The known names of a kind, ours first, in the order in which they were declared."""
    return list(_table(kind))


def load(kind: str, name: str, known: Iterable[str] = ()) -> Any:
    """The object that is registered as ``name``.

    Args:
        kind: What it is.
        name: Its name.
        known: Names that the caller knows besides, for the hint.

    Raises:
        UnknownName: nothing of that name; the hint lists the known ones and the nearest.
    """
    # Ours first: looking for those of others reads the metadata of every installed package.
    ours = _KNOWN.get(kind, {})
    table = ours if name in ours else _table(kind)
    if name not in table:
        every = [*known, *table]
        near = get_close_matches(name, every, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownName(f"no {kind} {name!r}", f"{hint}known: {', '.join(every)}")
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


@cache
def _table(kind: str) -> dict[str, str]:
    table = dict(_KNOWN.get(kind, {}))
    for entry in entry_points(group=f"offbook.{kind}"):
        table.setdefault(entry.name, entry.value)
    return table
