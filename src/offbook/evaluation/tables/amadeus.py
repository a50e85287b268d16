"""The tables of AMADEUS (002, 003): what each runs, and what is not as in the paper.

Takes: nothing.  Gives: `Table`s. The two versions number theirs differently: each row that is
printed says which it is from.
Paper: AMADEUS (002), tables 1 to 6 and figure 1; (003), tables 1 to 6 and 8, figures 6 and 8.
"""

from __future__ import annotations

from typing import Final

from offbook.evaluation.tables.layout import Block, Column, Line, Table, Use
from offbook.evaluation.tables.published import published_types

_CAST: Final = "characterrag"
_QA: Final = Use("qa", "characterrag", "CharacterRAG")
_MBTI: Final = Use("mbti", "mbti-60", "MBTI", cast=_CAST, typology="mbti_item")
_BIG_FIVE: Final = Use("bfi", "ipip-neo-120", "Big Five", cast=_CAST, typology="bigfive_item")

_VANILLA: Final = Line("vanilla", "w/o RAG", "vanilla")
_NAIVE: Final = Line("naive", "Naive RAG", "naive")
_CRAG: Final = Line("crag", "CRAG", "crag")
_RAPTOR: Final = Line("raptor", "RAPTOR", "raptor")
_ADAPTIVE: Final = Line("adaptive", "Adaptive RAG", "adaptive")
_LIGHTRAG: Final = Line("lightrag", "LightRAG", "lightrag")
_AMADEUS: Final = Line("amadeus", "AMADEUS", "amadeus")

_JUDGE: Final = (
    "The judge is the configured model, and the paper does not name its own; guided selection and"
    " the attribute extractor are the configured extractor's (the paper's: GPT-4.1)."
)
_PERSONAS: Final = (
    "CharacterRAG is not part of offbook: the characters are made of your copy (--data"
    " characterrag=FOLDER --create), or are those that you name with --character."
)
_OURS_60: Final = (
    "The 60 MBTI items are ours (`mbti-60`): 16Personalities' may not be passed on. Scores are not"
    " comparable item by item."
)
_IPIP: Final = (
    "The 120 Big Five items are IPIP-NEO-120, of which the paper does not print its wording; each"
    " is put as an open question of ours."
)
_CRAG_WEB: Final = (
    "CRAG's second source is the character's other documents; the paper's is a search of the web."
)
_WORDING: Final = "The prompts are offbook's own wording, the judge's among them."
_LABELS: Final = (
    "The labels are those that the paper prints, unless --labels names a file; characters without a"
    " label are asked and not counted."
)
_EMBEDDERS: Final = (
    "The embedders are the embedded one and the configured one; the paper's three (BGE-M3, Qwen3"
    " 0.6B, mE5 large instruct) are ours only where you configure them."
)


def _types(use: str, methods: tuple[Line, ...], digits: int) -> tuple[Block, Block]:
    """Sum of |d|, accuracy and average F1 by method; then the types by character."""
    summary = Block(
        "",
        (
            Column("sum_d", "sum |d|", "sum_d", use, better="lower", digits=0),
            Column("accuracy", "accuracy %", "accuracy", use, "all", "higher", True, 2),
            Column("f1", "average F1", "avg_f1", use, better="higher", digits=4),
        ),
        methods,
    )
    table = {"mbti": "amadeus-mbti", "bfi": "amadeus-sloan"}[use]
    columns = [
        Column(f"type.{each.key}", each.title, "type", use, digits=digits, line=each.key)
        for each in methods
    ]
    letters = Block(
        "Types by character",
        (*columns, Column("type.label", "label", "label")),
        tuple(Line(name, name, subject=name) for name in published_types(table)),
    )
    return summary, letters


SIMILARITY_LINES: Final = (
    ("fixed", "fixed length"),
    ("recursive", "RCTS (recursive)"),
    ("markdown", "MHTS (Markdown headings)"),
    ("semantic", "SC (semantic)"),
    ("ats", "ATS"),
    ("acts", "ACTS"),
    ("graph", "graph chunks (ours)"),
)

_SIMILARITY: Final = (
    Column("sum_of_means", "sum of means", "sum_of_means", better="higher", digits=4),
    Column("sum_of_variances", "sum of variances", "sum_of_variances", better="lower", digits=4),
)
_AT_BUDGET: Final = (
    Column("budget.sum_of_means", "at budget: means", "budget.sum_of_means", digits=4),
    Column("budget.sum_of_variances", "at budget: variances", "budget.sum_of_variances", digits=4),
)

AMADEUS_SIMILARITY: Final = Table(
    "amadeus-similarity",
    "AMADEUS, table 1: cosine of a question with its top three chunks, sums over 15 characters",
    "002 table 1, 003 table 1",
    (
        Block(
            "",
            (*_SIMILARITY, *_AT_BUDGET),
            tuple(Line(key, title, key) for key, title in SIMILARITY_LINES),
        ),
    ),
    kind="study",
    differs=(
        _EMBEDDERS,
        "Sums over characters grow with their number: only 15 characters with 30 questions each are"
        " comparable with the paper.",
        "The paper's splitters are langchain's, ours are our own of the same kind.",
        "`At budget` is ours: as many chunks as fit an equal number of tokens.",
    ),
    illegible=(
        "003 prints MHTS and SC with mE5, and their variances with Qwen3, in cells that the text"
        " extraction lost; 002 has no MHTS and SC. 002's `Vanilla` is 003's RCTS.",
    ),
)

ALPHAS: Final = ("1.25", "1.5", "2", "3", "4")

AMADEUS_ALPHA: Final = Table(
    "amadeus-alpha",
    "AMADEUS, figure 8: the overlap of chunks, l_max / alpha",
    "003 figure 8, appendix E",
    (
        Block(
            "",
            (*_SIMILARITY, *_AT_BUDGET),
            tuple(Line(f"acts[alpha={a}]", f"alpha = {a}", f"acts[alpha={a}]") for a in ALPHAS),
        ),
    ),
    kind="study",
    differs=(
        _EMBEDDERS,
        "The figure does not print its five values of alpha; these five are ours.",
        "Sums over characters grow with their number: only 15 characters with 30 questions each are"
        " comparable with the paper.",
    ),
    illegible=(
        "Figure 8 has curves without numbers; for alpha = 2 those of ACTS in table 1 are printed.",
    ),
)

AMADEUS_HUMAN: Final = Table(
    "amadeus-human",
    "AMADEUS, table 2: people on attributes that were extracted from selected chunks",
    "002 table 2, 003 table 2",
    (
        Block(
            "",
            (
                Column("mean", "mean", "mean", better="higher"),
                Column("deviation", "deviation", "deviation", better="lower"),
                Column("median", "median", "median", better="higher"),
                Column("alpha", "Cronbach's alpha", "alpha", better="higher"),
            ),
            (Line("bfi", "BFI", "bfi"), Line("mbti", "MBTI", "mbti")),
        ),
    ),
    kind="ratings",
    differs=(
        "The ratings are those of your file; the paper's are not published.",
        "The deviation is the population's: the paper does not say which it prints.",
        "The two versions of the paper had 11 and 14 raters.",
    ),
)

AMADEUS_USAGE: Final = Table(
    "amadeus-usage",
    "AMADEUS: chunks that are used at least once, and questions for which selection fails",
    "002 table 3 and figure 1, 003 figure 6",
    (
        Block(
            "",
            (
                Column(
                    "qa.usage", "CharacterRAG usage %", "chunk_usage", "qa", "all", None, True, 2
                ),
                Column("qa.failure", "GS failure %", "gs_failure", "qa", "all", "lower", True, 2),
                Column("mbti.usage", "MBTI usage %", "chunk_usage", "mbti", "all", None, True, 2),
                Column(
                    "mbti.failure", "GS failure %", "gs_failure", "mbti", "all", "lower", True, 2
                ),
            ),
            (_NAIVE, _AMADEUS),
        ),
    ),
    (
        Use("qa", "characterrag", "CharacterRAG", rests_on="extractor"),
        Use("mbti", "mbti-60", "MBTI", cast=_CAST, rests_on="extractor"),
    ),
    differs=(
        "A chunk counts as used where a reply was given it: the k most similar and the selected"
        " ones. The paper counts, for its own method, those that were selected.",
        "Where nothing is selected, m + 1 chunks stand in, as in Algorithm 1; they count as used.",
        _JUDGE,
        _OURS_60,
        _PERSONAS,
        _WORDING,
    ),
)

AMADEUS_MBTI: Final = Table(
    "amadeus-mbti",
    "AMADEUS: MBTI types from 60 open answers a character",
    "002 table 4, 003 table 3",
    _types("mbti", (_NAIVE, _CRAG, _RAPTOR, _ADAPTIVE, _LIGHTRAG, _AMADEUS), 4),
    (_MBTI,),
    differs=(_JUDGE, _OURS_60, _LABELS, _PERSONAS, _CRAG_WEB, _WORDING),
    illegible=(
        "The types in 003's table 3 were damaged by the text extraction: those of 002 are shown,"
        " and of 003 only AMADEUS's type of Mikoto Misaka, in which the versions differ. LightRAG's"
        " sum of 003 is lost.",
        "Some printed distances, sums and an F1 do not follow from the printed types"
        " (docs/errata.md).",
    ),
)

AMADEUS_SLOAN: Final = Table(
    "amadeus-sloan",
    "AMADEUS: Big Five types (SLOAN) from 120 open answers a character",
    "002 table 5, 003 table 4",
    _types("bfi", (_NAIVE, _CRAG, _LIGHTRAG, _AMADEUS), 5),
    (_BIG_FIVE,),
    differs=(_JUDGE, _IPIP, _LABELS, _PERSONAS, _CRAG_WEB, _WORDING),
    illegible=(
        "Types of CRAG, LightRAG and AMADEUS are 002's; 003's table 4 is legible for naive RAG. Its"
        " Mao Mao (RCOAI) has the distance of RCOEI (docs/errata.md).",
    ),
)

AMADEUS_ABLATION: Final = Table(
    "amadeus-ablation",
    "AMADEUS, table 5: one stage after the other, MBTI",
    "003 table 5",
    (
        Block(
            "",
            _types("mbti", (), 4)[0].columns,
            (
                _NAIVE,
                Line("acts", "+ ACTS", "amadeus[splitter=acts;gs=off;ae=off]"),
                Line("gs", "+ ACTS + GS", "amadeus[splitter=acts;gs=live;ae=off]"),
                Line("ae", "+ ACTS + GS + AE", "amadeus"),
            ),
        ),
    ),
    (_MBTI,),
    differs=(_JUDGE, _OURS_60, _LABELS, _PERSONAS, _WORDING),
)

AMADEUS_QA: Final = Table(
    "amadeus-qa",
    "AMADEUS, table 6: questions on what the persona documents say",
    "002 table 6, 003 table 6",
    (
        Block(
            "",
            (
                Column("acc", "ACC %", "acc", "qa", "all", "higher", True, 2),
                Column("acc_l", "ACC_L", "acc_l", "qa", better="higher", digits=2),
                Column("hs", "HS", "hs", "qa", better="lower", digits=2),
            ),
            (_VANILLA, _NAIVE, _LIGHTRAG, _CRAG, _AMADEUS),
        ),
    ),
    (_QA,),
    differs=(
        _JUDGE,
        _PERSONAS,
        _CRAG_WEB,
        "HS is undefined for a reply without chunks. Our LightRAG gives source chunks and has one;"
        " the paper prints none.",
        _WORDING,
    ),
)

AMADEUS_INTERVIEW: Final = Table(
    "amadeus-interview",
    "AMADEUS: hallucination score of the interviews",
    "002 table 6, 003 table 8",
    (
        Block(
            "",
            (
                Column("mbti.hs", "MBTI HS", "hs", "mbti", better="lower", digits=2),
                Column("bfi.hs", "Big Five HS", "hs", "bfi", better="lower", digits=2),
            ),
            (_NAIVE, _CRAG, _AMADEUS),
        ),
    ),
    (
        Use("mbti", "mbti-60-grounded", "MBTI", cast=_CAST),
        Use("bfi", "ipip-neo-120-grounded", "Big Five", cast=_CAST),
    ),
    differs=(
        _JUDGE,
        _OURS_60,
        _IPIP,
        _PERSONAS,
        _CRAG_WEB,
        "Items have no right answer: replies are held against the chunks alone.",
        _WORDING,
    ),
)

TABLES: Final = (
    AMADEUS_SIMILARITY,
    AMADEUS_ALPHA,
    AMADEUS_HUMAN,
    AMADEUS_USAGE,
    AMADEUS_MBTI,
    AMADEUS_SLOAN,
    AMADEUS_ABLATION,
    AMADEUS_QA,
    AMADEUS_INTERVIEW,
)
