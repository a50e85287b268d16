"""Settings of whoever talks to characters.

Takes: values from the layers of ``loading``.  Gives: the section; ``model`` holds it.
"""

from __future__ import annotations

from pydantic import Field

from offbook.settings.section import Section


class UserSettings(Section):
    """Who talks, where whoever asks does not say so; never the holder of a key."""

    name: str = Field(
        "", max_length=200, description="what `{{user}}` in cards stands for without `--user`"
    )
    description: str = Field(
        "", max_length=4_000, description="told to characters; what `{{persona}}` stands for"
    )
