"""Names are masked before an expert rates, so that answers are rated and not a reputation.

Takes: a subject with its other names and the interviewer's.  Gives: texts without them.
Paper: InCharacter, as evaluation.md has it: aliases and the interviewer's name, longest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Subject

PARTICIPANT: Final = "the participant"
INTERVIEWER: Final = "the interviewer"
_LANGUAGE: Final = re.compile(r"-(?:en|zh)$")


def masking(subject: Subject) -> Callable[[str], str]:
    """A function that masks the names of a subject and of its interviewer.

    Longest first, in one pass: "Hermione Granger" is masked before "Hermione", and no mask is
    masked again. A name of letters is masked as a whole word only; scripts without blanks
    anywhere.
    """
    masks = {subject.interviewer.strip(): INTERVIEWER}
    own = (subject.name, _LANGUAGE.sub("", subject.name), *subject.names)
    masks.update((name.strip(), PARTICIPANT) for name in own)
    masks.pop("", None)
    if not masks:
        return lambda text: text
    names = sorted(masks, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join(_bounded(name) for name in names))
    return lambda text: pattern.sub(lambda match: masks[match.group()], text)


def _bounded(name: str) -> str:
    """The name, not within a longer word of the same script."""
    before = r"(?<![^\W\d_\u2e80-\u9fff\uac00-\ud7af])" if _is_alphabetic(name[0]) else ""
    after = r"(?![^\W\d_\u2e80-\u9fff\uac00-\ud7af])" if _is_alphabetic(name[-1]) else ""
    return f"{before}{re.escape(name)}{after}"


def _is_alphabetic(character: str) -> bool:
    return character.isalpha() and not "\u2e80" <= character <= "\ud7af"
