"""The reader of subtitles: the cues of WebVTT and SubRip become lines. Source: WebVTT (W3C).

Times, numbers, settings and tags go; ``Name:`` and the name of a voice stay. A cue that goes on in
mid-sentence is joined with the next.
"""

from __future__ import annotations

import html
import re
from typing import Final

from offbook.documents.places import Edit
from offbook.text.sentences import TERMINATORS

_TIME: Final = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE: Final = re.compile(rf"[ \t]*{_TIME}[ \t]+-->[ \t]+{_TIME}[^\n]*(?:\n|\Z)")
_VOICE: Final = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^>\n]{1,80})>")
_TAG: Final = re.compile(r"</?[\w.]{1,20}[^>\n]{0,120}>|\{\\[^}\n]{0,40}\}")
_SPEAKS: Final = re.compile(r"(?:[-–—] ?|>> ?|[^\W\d_][\w .'’-]{0,40}[:：] |\[|♪)")
_ENDS: Final = (*TERMINATORS, ":", '"', "”", "»", "]", ")", "♪", "」")


def subtitle_lines(text: str) -> list[Edit]:
    """Edits that leave of subtitles what is said: a line for each sentence or speaker."""
    edits: list[Edit] = []
    last, ended = 0, True
    for block in re.finditer(r"(?:[^\n]+(?:\n|\Z))+", text):
        cue = _CUE.search(text, block.start(), block.end())
        if cue is None:
            continue
        for line in re.finditer(r"[^\n]+", text[cue.end() : block.end()]):
            end = cue.end() + line.end()
            said = _said(line.group())
            if not said:
                continue
            new = ended or _SPEAKS.match(said) is not None
            between = "" if not edits else "\n" if new else " "
            start = cue.end() + line.start()
            edits.append((last, start, between))
            if said != line.group():
                edits.append((start, end, said))
            last, ended = end, said.endswith(_ENDS)
    return [*edits, (last, len(text), "\n")] if edits else []


def _said(line: str) -> str:
    """A line of a cue without its tags, the voice as ``Name:`` in front."""
    voice = _VOICE.search(line)
    said = html.unescape(_TAG.sub("", _VOICE.sub("", line))).strip()
    return f"{voice[1].strip()}: {said}" if voice and said else said
