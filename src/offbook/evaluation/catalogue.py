"""The benchmarks that come with offbook, as data: dataset, protocol, metrics, version, paper.

Takes: a name.  Gives: a `Benchmark`. Third parties add theirs through the entry point group
``offbook.benchmark`` (an object of that type) and datasets through ``offbook.dataset``.
"""

from __future__ import annotations

from typing import Final

from offbook import registry
from offbook.evaluation.benchmark import Benchmark

_ROLERAG: Final = "RoleRAG (001), section 4.2"
_AMADEUS: Final = "AMADEUS (003), section 5.2"
_EMOTIONAL: Final = "Emotional RAG (004), section III, after InCharacter"
_KNOWLEDGE: Final = ("ke", "kh", "uqr")
_ANSWERS: Final = ("acc", "acc_l", "hs")

DEMO: Final = Benchmark(
    "demo",
    1,
    "The demo character: 60 questions in and out of what he can know",
    "demo",
    "questions",
    (*_KNOWLEDGE, *_ANSWERS),
    "ours",
)
DEMO_MBTI: Final = Benchmark(
    "demo-mbti",
    1,
    "The demo character: our 60 MBTI-style questions, against our own reading",
    "demo",
    "items",
    ("mbti_item",),
    "ours",
    options=(("questions", "mbti-60"),),
)
DEMO_BIGFIVE: Final = Benchmark(
    "demo-bigfive",
    1,
    "The demo character: our 60 Big-Five-style questions, against our own reading",
    "demo",
    "items",
    ("bigfive_item",),
    "ours",
    options=(("questions", "bigfive-60"),),
)
MBTI_60: Final = Benchmark(
    "mbti-60",
    1,
    "60 MBTI-style questions in our own wording, rated one by one",
    "mbti-60",
    "items",
    ("mbti_item",),
    f"{_AMADEUS}; the items are ours",
)
BIGFIVE_60: Final = Benchmark(
    "bigfive-60",
    1,
    "60 Big-Five-style questions in our own wording, rated one by one",
    "bigfive-60",
    "items",
    ("bigfive_item",),
    f"{_AMADEUS}; the items are ours",
)
MBTI_60_INTERVIEW: Final = Benchmark(
    "mbti-60-interview",
    1,
    "60 MBTI-style questions in our own wording, rated by dimension in batches",
    "mbti-60",
    "open_interview",
    ("16p_batch",),
    f"{_EMOTIONAL}; the items are ours",
)
IPIP_NEO_120: Final = Benchmark(
    "ipip-neo-120",
    1,
    "The 120 items of IPIP-NEO-120 as open questions, rated one by one",
    "ipip-neo-120",
    "items",
    ("bigfive_item",),
    _AMADEUS,
    needs_path=True,
)
MBTI_60_GROUNDED: Final = Benchmark(
    "mbti-60-grounded",
    1,
    "60 MBTI-style questions in our own wording: do the answers keep to the chunks?",
    "mbti-60",
    "items",
    ("hs",),
    f"{_AMADEUS}; the items are ours",
)
IPIP_NEO_120_GROUNDED: Final = Benchmark(
    "ipip-neo-120-grounded",
    1,
    "The 120 items of IPIP-NEO-120: do the answers keep to the chunks?",
    "ipip-neo-120",
    "items",
    ("hs",),
    _AMADEUS,
    needs_path=True,
)
INCHARACTER_BFI: Final = Benchmark(
    "incharacter-bfi",
    1,
    "InCharacter: 44 items of BFI, an expert rates batches of a dimension",
    "incharacter",
    "open_interview",
    ("bfi_batch",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questionnaire", "BFI"),),
)
INCHARACTER_16P: Final = Benchmark(
    "incharacter-16p",
    1,
    "InCharacter: 60 items of 16Personalities, an expert rates batches of a dimension",
    "incharacter",
    "open_interview",
    ("16p_batch",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questionnaire", "16Personalities"),),
)
INCHARACTER_BFI_OPTIONS: Final = Benchmark(
    "incharacter-bfi-options",
    1,
    "InCharacter: 44 items of BFI, each answer converted to an option",
    "incharacter",
    "open_interview",
    ("bfi_option",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questionnaire", "BFI"),),
)
INCHARACTER_16P_OPTIONS: Final = Benchmark(
    "incharacter-16p-options",
    1,
    "InCharacter: 60 items of 16Personalities, each answer converted to an option",
    "incharacter",
    "open_interview",
    ("16p_option",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questionnaire", "16Personalities"),),
)
CHARACTER_LLM: Final = Benchmark(
    "character-llm",
    1,
    "Character-LLM: questions about lives, in and out of scope",
    "character-llm",
    "questions",
    _KNOWLEDGE,
    _ROLERAG,
    needs_path=True,
)
CHARACTER_LLM_MBTI: Final = Benchmark(
    "character-llm-mbti",
    1,
    "Character-LLM's characters: 16Personalities rated in batches",
    "character-llm",
    "open_interview",
    ("16p_batch",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questions", "16Personalities"),),
)
ROLEBENCH_ZH: Final = Benchmark(
    "rolebench-zh",
    1,
    "RoleBench in Chinese: role-specific questions",
    "rolebench",
    "questions",
    _KNOWLEDGE,
    _ROLERAG,
    needs_path=True,
    options=(("language", "zh"),),
)
ROLEBENCH_EN: Final = Benchmark(
    "rolebench-en",
    1,
    "RoleBench in English: role-specific questions",
    "rolebench",
    "questions",
    _KNOWLEDGE,
    _ROLERAG,
    needs_path=True,
    options=(("language", "en"),),
)
HARRY_POTTER: Final = Benchmark(
    "harry-potter",
    2,
    "Roles with general and specific questions, from a file of yours",
    "harry-potter",
    "questions",
    # All its questions are in scope: table 1 has no UQR for them.
    ("ke", "kh"),
    _ROLERAG,
    needs_path=True,
)
CHARACTERRAG: Final = Benchmark(
    "characterrag",
    1,
    "CharacterRAG: 15 persona documents, 30 questions each on six attributes",
    "characterrag",
    "questions",
    _ANSWERS,
    _AMADEUS,
    needs_path=True,
)
CHARACTEREVAL: Final = Benchmark(
    "charactereval",
    1,
    "CharacterEval: held-out turns of recorded dialogue",
    "charactereval",
    "questions",
    ("ke", "kh"),
    f"ours, with the metrics of {_ROLERAG}",
    needs_path=True,
    options=(("questions", "dialogue"),),
)
CHARACTEREVAL_MBTI: Final = Benchmark(
    "charactereval-mbti",
    1,
    "CharacterEval: memories of dialogue, 16Personalities rated in batches",
    "charactereval",
    "open_interview",
    ("16p_batch",),
    _EMOTIONAL,
    needs_path=True,
    options=(("questions", "16Personalities"),),
)
CHATHARUHI: Final = Benchmark(
    "chatharuhi",
    1,
    "ChatHaruhi: held-out turns of recorded dialogue",
    "chatharuhi",
    "questions",
    ("ke", "kh"),
    f"ours, with the metrics of {_ROLERAG}",
    needs_path=True,
    options=(("questions", "dialogue"),),
)
CHATHARUHI_MBTI: Final = Benchmark(
    "chatharuhi-mbti",
    1,
    "ChatHaruhi: memories of dialogue, our 60 MBTI-style questions rated one by one",
    "chatharuhi",
    "items",
    ("mbti_item",),
    f"{_AMADEUS}; the items are ours",
    needs_path=True,
    options=(("questions", "mbti-60"),),
)
FILE: Final = Benchmark(
    "file",
    1,
    "Questions of your own, from JSON Lines, JSON or CSV",
    "file",
    "questions",
    (*_KNOWLEDGE, *_ANSWERS),
    "ours",
    needs_path=True,
)


def benchmark(name: str) -> Benchmark:
    """The benchmark of this name, ours or a third party's.

    Raises:
        UnknownName: there is none; the hint lists those there are and the nearest.
    """
    found: Benchmark = registry.load("benchmark", name)
    return found


def benchmarks() -> list[Benchmark]:
    """All benchmarks, ours first."""
    return [benchmark(name) for name in registry.names("benchmark")]
