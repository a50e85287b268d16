"""Where datasets come from: repositories at a commit, the files in them, and their licences.

The commit fixes what the files are, and the listing of the host gives each file's hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Literal

from offbook.errors import UnknownName

Host = Literal["github", "huggingface"]


@dataclass(frozen=True, slots=True)
class Source:
    """A repository at one commit.

    ``patterns`` say which of its files are fetched (``*`` also matches ``/``), ``most_bytes`` how
    much they may be together.
    """

    name: str
    host: Host
    repository: str
    commit: str
    licence: str
    patterns: tuple[str, ...]
    most_bytes: int
    note: str = ""

    @property
    def page(self) -> str:
        """Where a person can look at it."""
        if self.host == "github":
            return f"https://github.com/{self.repository}/tree/{self.commit}"
        return f"https://huggingface.co/datasets/{self.repository}/tree/{self.commit}"

    def wants(self, path: str) -> bool:
        """Whether a file of the repository is fetched."""
        return any(fnmatchcase(path, pattern) for pattern in self.patterns)


_MEGABYTE: Final = 1_000_000

SOURCES: Final = MappingProxyType(
    {
        source.name: source
        for source in (
            Source(
                "character-llm",
                "github",
                "choosewhatulike/trainable-agents",
                "c64d54afa45da483902dc7a5bc60d8462f210fa3",
                "data CC BY-NC 4.0 (README); profiles are Wikipedia text, CC BY-SA",
                ("data/seed_data/profiles/*.txt", "data/seed_data/questions/*.json"),
                20 * _MEGABYTE,
            ),
            Source(
                "incharacter",
                "github",
                "Neph0s/InCharacter",
                "f554202a94d4a83dc5407245bb18981899e872e6",
                "MIT; BFI (c) O. P. John, free for research; 16Personalities items (c) NERIS",
                (
                    "data/questionnaires/BFI.json",
                    "data/questionnaires/16Personalities.json",
                    "data/characters.json",
                    "data/characters_labels.json",
                ),
                10 * _MEGABYTE,
            ),
            Source(
                "charactereval",
                "github",
                "morecry/CharacterEval",
                "fa232e6a9c3ec5d074240333fbffdf015b79533f",
                "none stated; dialogues are from works in copyright: use locally, do not pass on",
                ("data/test_data.jsonl", "data/character_profiles.json"),
                100 * _MEGABYTE,
                "its MBTI labels are a source of their own: charactereval-labels",
            ),
            Source(
                "charactereval-labels",
                "github",
                "BAI-LAB/EmotionalRAG",
                "bd4855d24c6b4d75566361ff4331a47fa59a165c",
                "none stated",
                ("data/charactereval/characters_labels.json",),
                _MEGABYTE,
                "read together with charactereval, where both were fetched",
            ),
            Source(
                "chatharuhi",
                "github",
                "LC1332/Chat-Haruhi-Suzumiya",
                "290bf4ad22076156083804013012847a77c0646c",
                "data CC BY-NC 4.0 (README); the works are in copyright: use locally",
                (
                    "characters/*/texts/*.txt",
                    "characters/*/system_prompt.txt",
                    "research/personality/raw_data/mbti_labels.jsonl",
                ),
                100 * _MEGABYTE,
            ),
            Source(
                "rolebench",
                "github",
                "rolellm/RoleBench",
                "cd4d18f5abaef48d57326bcd0c8c07f38c71a62b",
                "Apache-2.0 (ZenMoore/RoleBench on Hugging Face; this mirror states none)",
                (
                    "rolebench-zh/*/test.jsonl",
                    "rolebench-eng/instruction-generalization/*/test.jsonl",
                ),
                200 * _MEGABYTE,
            ),
            Source(
                "characterrag",
                "huggingface",
                "naruto-soop/CharacterRAG",
                "a0102c05e8a33148a6a84667702c9ea52dae46bc",
                "Apache-2.0 (page on Hugging Face); texts are reworked from Namuwiki",
                ("*.txt", "*.md", "*.json", "*.jsonl", "*.csv", "*.tsv"),
                50 * _MEGABYTE,
                "Korean; the commit is one of its README, seen in its history",
            ),
            Source(
                "ipip-neo-120",
                "github",
                "Alheimsins/b5-johnson-120-ipip-neo-pi-r",
                "493546d48eb9053aca7e6c55574f4bf8033cc5a4",
                "MIT; the items are public domain (ipip.ori.org)",
                ("data/en/questions.json", "data/zh-cn/questions.json"),
                _MEGABYTE,
            ),
        )
    }
)
"""All sources by name."""


def source(name: str) -> Source:
    """The source of this name.

    Raises:
        UnknownName: there is none; the hint lists those there are.
    """
    if name not in SOURCES:
        near = get_close_matches(name, SOURCES, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownName(f"no dataset {name!r} to fetch", f"{hint}known: {', '.join(SOURCES)}")
    return SOURCES[name]
