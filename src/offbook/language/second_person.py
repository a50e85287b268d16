"""Personas that tell the character who it is ("You are Nora"), turned into the first person.

Takes: the tokens of a passage or a sentence.  Gives: whether it speaks to the character, and the
edits of its pronouns and verbs. Source: ours; the form is common on character cards.
"""

from __future__ import annotations

from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token
from offbook.language.grammar import word_set
from offbook.language.subject_verbs import Edit
from offbook.language.subjects import skip_adverbs
from offbook.language.verbs import is_finite

_SECOND: Final = {"your": "my", "yours": "mine", "yourself": "myself"}
_OPENINGS: Final = word_set("are were have live 're speak love hate grew work")


def like(model: str, text: str) -> str:
    """``text`` with a capital where ``model`` has one."""
    return text[0].upper() + text[1:] if model[0].isupper() else text


def is_address(tokens: list[Token]) -> bool:
    """Whether a passage tells the character who it is ("You are Nora, a smith.")."""
    words = [token for token in tokens if not token.quoted]
    for index, token in enumerate(words[:-1]):
        opens = index == 0 or not words[index - 1].is_word
        if opens and token.text == "You" and words[index + 1].low in _OPENINGS:
            return True
        if opens and token.text == "Your" and words[index + 1].low == "name":
            return True
    return False


def from_second_person(tokens: list[Token]) -> list[Edit]:
    """Edits that turn *you* into *I*, with the verb that goes with it."""
    edits: list[Edit] = []
    for index, token in enumerate(tokens):
        if token.quoted:
            continue
        if token.low in _SECOND:
            edits.append((token.start, token.end, like(token.text, _SECOND[token.low])))
        elif token.low == "you":
            after = tokens[skip_adverbs(tokens, index + 1) :][:1]
            before = tokens[index - 1] if index else None
            governed = before is not None and (
                before.low in grammar.PREPOSITIONS or is_finite(before.low)
            )
            if governed and not (after and is_finite(after[0].low)):
                edits.append((token.start, token.end, "me"))
                continue
            edits.append((token.start, token.end, "I"))
            if after and after[0].low in ("are", "'re"):
                edits.append(
                    (after[0].start, after[0].end, "am" if after[0].low == "are" else "'m")
                )
            elif after and after[0].low == "aren't":
                edits.append((after[0].start, after[0].end, "am not"))
            elif after and after[0].low == "were":
                edits.append((after[0].start, after[0].end, "was"))
    return edits
