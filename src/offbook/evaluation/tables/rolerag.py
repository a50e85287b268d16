"""The tables of RoleRAG (001): what each runs, and what is not as in the paper.

Takes: nothing.  Gives: `Table`s.
Paper: RoleRAG (001), section 5, tables 1 to 4 and figure 3; table 6 has the datasets.
"""

from __future__ import annotations

from typing import Final

from offbook.evaluation.tables.layout import Block, Column, Line, Table, Use

_HARRY: Final = Use("hp", "harry-potter", "Harry Potter")
_ROLEBENCH: Final = Use("rb", "rolebench-zh", "RoleBench-zh", (("part", "all"),))
_CHARACTER_LLM: Final = Use("cl", "character-llm", "Character-LLM")

_VANILLA: Final = Line("vanilla", "Vanilla", "vanilla")
_RAG: Final = Line("rag", "RAG", "naive[k=1]")
_PROFILE: Final = Line("profile", "User profile", "profile")
_ROLERAG: Final = Line("rolerag", "RoleRAG", "rolerag")

_JUDGE: Final = (
    "The judge is the configured model; the paper's is GPT-4o at temperature 0.2, whose ratings"
    " people then checked. Overrule ratings with `offbook eval review` to do the same."
)
_TEXTS: Final = (
    "The paper's source texts (Wikipedia, Baidu Baike) and its embedder (text-embedding-3-large)"
    " are not part of offbook: the characters rest on the documents and the embedder that you give."
)
_WORDING: Final = "The prompts, the judge's among them, are offbook's own wording."
_HARRY_DATA: Final = (
    "The 140 questions of Harry Potter were not published: they come from a file of yours, and"
    " numbers over other questions are not comparable."
)
_PEOPLE: Final = "The paper's numbers are people's ratings; ours are the judge's."


def _ke_kh(use: str, name: str, group: str = "all", *, short: bool = False) -> tuple[Column, ...]:
    head = "" if short else f"{use}."
    title = f"{name} " if name else ""
    return (
        Column(f"{head}ke", f"{title}KE", "ke", use, group, "higher"),
        Column(f"{head}kh", f"{title}KH", "kh", use, group, "lower"),
    )


ROLERAG_MAIN: Final = Table(
    "rolerag-main",
    "RoleRAG, table 1: knowledge exposure, hallucination and rejection on three datasets",
    "001 table 1",
    (
        Block(
            "",
            (
                *_ke_kh("hp", "Harry Potter"),
                *_ke_kh("rb", "RoleBench-zh"),
                Column("rb.uqr", "RoleBench-zh UQR", "uqr", "rb", better="higher"),
                *_ke_kh("cl", "Character-LLM"),
                Column("cl.uqr", "Character-LLM UQR", "uqr", "cl", better="higher"),
            ),
            (_VANILLA, _RAG, _PROFILE, _ROLERAG),
        ),
    ),
    (_HARRY, _ROLEBENCH, _CHARACTER_LLM),
    differs=(
        _JUDGE,
        "UQR is averaged over all questions, in scope and out, as the paper's was: its cells for"
        " RoleBench-zh are whole numbers of 357. Scores by scope are in `offbook eval show`.",
        _HARRY_DATA,
        "RoleBench-zh: 239 of the 240 questions in scope are in the published data, and which 117"
        " of its general questions are out of scope was not published: all general questions of"
        " your copy are asked.",
        "Character-LLM: 812 of the 814 questions in scope are in the published data, and all 45 out"
        " of scope (the same five sentences for nine roles). The paper averages two trials of its"
        " judge there; ours is one, or the mean of --repeats.",
        _TEXTS,
        _WORDING,
    ),
    illegible=("Harry Potter has no UQR in the paper: all its questions are in scope.",),
)

ROLERAG_GENERAL: Final = Table(
    "rolerag-general",
    "RoleRAG, table 2: general questions of Harry Potter",
    "001 table 2",
    (Block("", _ke_kh("hp", "", "kind=general", short=True), (_VANILLA, _ROLERAG)),),
    (_HARRY,),
    differs=(_PEOPLE, _HARRY_DATA, _JUDGE, _TEXTS, _WORDING),
)

ROLERAG_SPECIFIC: Final = Table(
    "rolerag-specific",
    "RoleRAG, table 3: specific questions of Harry Potter",
    "001 table 3",
    (Block("", _ke_kh("hp", "", "kind=specific", short=True), (_VANILLA, _ROLERAG)),),
    (_HARRY,),
    differs=(
        _PEOPLE,
        "Six of the printed means are of no 70 whole ratings (docs/errata.md).",
        _HARRY_DATA,
        _JUDGE,
        _TEXTS,
        _WORDING,
    ),
)

FREQUENT: Final = (
    "Harry Potter",
    "Hermione Granger",
    "Voldemort",
    "Alastor Moody",
    "Ludovic Bagman",
    "Padma Patil",
    "Roger Davies",
)
"""The roles of table 4, the most frequent in the books first."""

ROLERAG_FREQUENCY: Final = Table(
    "rolerag-frequency",
    "RoleRAG, table 4: roles of Harry Potter from the most to the least frequent",
    "001 table 4",
    (
        Block(
            "",
            _ke_kh("hp", "", short=True),
            tuple(
                Line(f"{name}/{line.key}", f"{name}, {line.title}", line.method, f"subject={name}")
                for name in FREQUENT
                for line in (_VANILLA, _ROLERAG)
            ),
        ),
    ),
    (_HARRY,),
    differs=(
        "The paper does not say which models the numbers are of, nor whether people or the judge"
        " rated; ours are of the configured one.",
        "Other roles than these seven are in `offbook eval show`, by subject.",
        _HARRY_DATA,
        _JUDGE,
        _TEXTS,
        _WORDING,
    ),
)

ROLERAG_OUT_OF_SCOPE: Final = Table(
    "rolerag-out-of-scope",
    "RoleRAG, figure 3: rejection of questions out of scope, RoleBench-zh",
    "001 figure 3",
    (
        Block(
            "",
            (Column("uqr", "UQR", "uqr", "rb", "scope=out", "higher"),),
            (_VANILLA, _RAG, _PROFILE, _ROLERAG),
        ),
    ),
    (_ROLEBENCH,),
    differs=(
        "Which 117 questions are out of scope was not published: those count that your copy marks"
        " `scope: out`; general questions without a mark belong to neither.",
        _JUDGE,
        _TEXTS,
        _WORDING,
    ),
    illegible=("Figure 3 has bars without numbers: nothing can be set beside ours.",),
)

TABLES: Final = (
    ROLERAG_MAIN,
    ROLERAG_GENERAL,
    ROLERAG_SPECIFIC,
    ROLERAG_FREQUENCY,
    ROLERAG_OUT_OF_SCOPE,
)
