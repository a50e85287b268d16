"""Files that come with a request: a name, and text or bytes.

Takes: fields of a body.  Gives: bytes. The name tells the type and names what comes of it; no file
of the server is opened by it.
"""

from __future__ import annotations

import base64
import binascii

from pydantic import ConfigDict, Field, model_validator

from offbook.errors import UsageError
from offbook.server.native.body import Body


class GivenFile(Body):
    """A file: its text, or its bytes."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=1_000, description="Its ending tells the type.")
    text: str | None = Field(None, description="The text.")
    content_base64: str | None = Field(None, description="The bytes of the file.")

    @model_validator(mode="after")
    def _has_one(self) -> GivenFile:
        if (self.text is None) == (self.content_base64 is None):
            raise ValueError("give either `text` or `content_base64`")
        return self

    def data(self) -> bytes:
        """What the file holds.

        Raises:
            UsageError: it is no base64, or the text is none.
        """
        if self.text is not None:
            try:
                return self.text.encode()
            except UnicodeEncodeError as error:
                raise UsageError(
                    f"the text of {self.name!r} holds half a character at {error.start}",
                    "send whole characters, or the bytes as `content_base64`",
                ) from error
        return decoded(self.content_base64 or "", f"the content of {self.name!r}")


def decoded(content: str, what: str) -> bytes:
    """The bytes that base64 stands for.

    Raises:
        UsageError: it is no base64.
    """
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"{what} is no base64: {error}", "encode the whole file") from error
