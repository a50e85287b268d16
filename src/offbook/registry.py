"""Names to implementations, loaded only when asked for; the only place that names concrete ones.

Takes: a kind ("method", "dataset", ...) and a name.  Gives: the object behind ``module:attribute``.
Third parties add theirs through the entry point groups ``offbook.method``, ``offbook.searcher``.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from offbook.errors import UnknownName

_KNOWN: Final[dict[str, dict[str, str]]] = {
    "method": {
        "vanilla": "offbook.methods.vanilla:Vanilla",
        "profile": "offbook.methods.profile:Profile",
        "naive": "offbook.methods.naive:Naive",
        "crag": "offbook.methods.crag:Crag",
        "adaptive": "offbook.methods.adaptive:Adaptive",
        "raptor": "offbook.methods.raptor:Raptor",
        "lightrag": "offbook.methods.lightrag:LightRag",
        "rolerag": "offbook.methods.rolerag:RoleRag",
        "amadeus": "offbook.methods.amadeus:Amadeus",
        "emotional": "offbook.methods.emotional:Emotional",
        "ensemble": "offbook.methods.ensemble:Ensemble",
    },
    "protocol": {
        "questions": "offbook.evaluation.questions:QuestionsProtocol",
        "items": "offbook.evaluation.interviews.item_by_item:ItemsProtocol",
        "open_interview": "offbook.evaluation.interviews.open_interview:OpenInterviewProtocol",
        "judge_checks": "offbook.evaluation.judge_checks:JudgeChecks",
    },
    "searcher": {
        "documents": "offbook.retrieval.second_source:OtherDocuments",
    },
    "dataset": {
        "demo": "offbook.evaluation.datasets.demo_character:load",
        "mbti-60": "offbook.evaluation.datasets.own_items:load_mbti_60",
        "bigfive-60": "offbook.evaluation.datasets.own_items:load_bigfive_60",
        "character-llm": "offbook.evaluation.datasets.character_llm:load",
        "incharacter": "offbook.evaluation.datasets.in_character:load",
        "charactereval": "offbook.evaluation.datasets.character_eval:load",
        "chatharuhi": "offbook.evaluation.datasets.chat_haruhi:load",
        "rolebench": "offbook.evaluation.datasets.role_bench:load",
        "characterrag": "offbook.evaluation.datasets.character_rag:load",
        "harry-potter": "offbook.evaluation.datasets.harry_potter:load",
        "ipip-neo-120": "offbook.evaluation.datasets.ipip:load",
        "file": "offbook.evaluation.datasets.user_file:load",
    },
    "benchmark": {
        "demo": "offbook.evaluation.catalogue:DEMO",
        "demo-mbti": "offbook.evaluation.catalogue:DEMO_MBTI",
        "demo-bigfive": "offbook.evaluation.catalogue:DEMO_BIGFIVE",
        "mbti-60": "offbook.evaluation.catalogue:MBTI_60",
        "bigfive-60": "offbook.evaluation.catalogue:BIGFIVE_60",
        "mbti-60-interview": "offbook.evaluation.catalogue:MBTI_60_INTERVIEW",
        "ipip-neo-120": "offbook.evaluation.catalogue:IPIP_NEO_120",
        "mbti-60-grounded": "offbook.evaluation.catalogue:MBTI_60_GROUNDED",
        "ipip-neo-120-grounded": "offbook.evaluation.catalogue:IPIP_NEO_120_GROUNDED",
        "incharacter-bfi": "offbook.evaluation.catalogue:INCHARACTER_BFI",
        "incharacter-16p": "offbook.evaluation.catalogue:INCHARACTER_16P",
        "incharacter-bfi-options": "offbook.evaluation.catalogue:INCHARACTER_BFI_OPTIONS",
        "incharacter-16p-options": "offbook.evaluation.catalogue:INCHARACTER_16P_OPTIONS",
        "character-llm": "offbook.evaluation.catalogue:CHARACTER_LLM",
        "character-llm-mbti": "offbook.evaluation.catalogue:CHARACTER_LLM_MBTI",
        "rolebench-zh": "offbook.evaluation.catalogue:ROLEBENCH_ZH",
        "rolebench-en": "offbook.evaluation.catalogue:ROLEBENCH_EN",
        "harry-potter": "offbook.evaluation.catalogue:HARRY_POTTER",
        "characterrag": "offbook.evaluation.catalogue:CHARACTERRAG",
        "charactereval": "offbook.evaluation.catalogue:CHARACTEREVAL",
        "charactereval-mbti": "offbook.evaluation.catalogue:CHARACTEREVAL_MBTI",
        "chatharuhi": "offbook.evaluation.catalogue:CHATHARUHI",
        "chatharuhi-mbti": "offbook.evaluation.catalogue:CHATHARUHI_MBTI",
        "file": "offbook.evaluation.catalogue:FILE",
    },
}


def names(kind: str) -> list[str]:
    """The known names of a kind, ours first, in the order in which they were declared."""
    return list(_table(kind))


def load(kind: str, name: str) -> Any:
    """The object that is registered as ``name``.

    Raises:
        UnknownName: nothing of that name; the hint lists the known ones and the nearest.
    """
    # Ours first: looking for those of others reads the metadata of every installed package.
    ours = _KNOWN.get(kind, {})
    table = ours if name in ours else _table(kind)
    if name not in table:
        near = get_close_matches(name, table, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownName(f"no {kind} {name!r}", f"{hint}known: {', '.join(table)}")
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


@cache
def _table(kind: str) -> dict[str, str]:
    table = dict(_KNOWN.get(kind, {}))
    for entry in entry_points(group=f"offbook.{kind}"):
        table.setdefault(entry.name, entry.value)
    return table
