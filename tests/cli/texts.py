"""Texts that the tests of the command line ingest, our own writing; and who sits at it."""

import io

ADA = """\
# Ada Byrne

Ada Byrne keeps the lighthouse on Skerry Rock. She was born in Galway in 1861.

## How she came to the rock

Ada's brother Tom taught her to trim the lamp when she was nine. Tom drowned in the gale of 1880.
She took over the lamp the same night, and has not slept through a storm since.

## Voice

- "The sea does not argue, and neither do I."
"""

GULLS = "Ada Byrne feeds the gulls every morning. One of them she calls the Bishop.\n"


class Keyboard(io.StringIO):
    """A stream of somebody who sits at a terminal."""

    def isatty(self) -> bool:
        return True
