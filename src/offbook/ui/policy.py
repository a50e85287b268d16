"""The content security policy of the pages: no script runs but the server's own.

Takes: answers on their way out.  Gives: them with a policy whose nonce is new for every answer.

NiceGUI writes scripts into its page. They carry the nonce, which is put into its template and so
never into a text that stands in the page; what a document, a card or a model smuggles in has none
and does not run. What is left open: ``unsafe-eval``, because Vue compiles templates in the browser,
and inline styles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from jinja2 import BaseLoader, Environment

if TYPE_CHECKING:
    from starlette.types import Message, Send

NONCE: Final = "page_nonce"
"""Its name in the state of a request."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_OPENING: Final = "<script"
_WITH_NONCE: Final = f'<script nonce="{{{{ request.state.{NONCE} }}}}"'


def add_nonces() -> None:
    """Let the scripts of NiceGUI's page carry the nonce of their answer."""
    from nicegui.client import templates

    environment = templates.env
    if environment.loader is not None and not isinstance(environment.loader, _WithNonces):
        environment.loader = _WithNonces(environment.loader)


def with_policy(send: Send, nonce: str) -> Send:
    """A ``send`` that adds the policy to pages that have none of their own."""
    policy = _POLICY.format(nonce=nonce).encode()

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower(): value for name, value in message.get("headers", ())}
            page = there.get(b"content-type", b"").startswith(b"text/html")
            if page and b"content-security-policy" not in there:
                headers = [*message["headers"], (b"content-security-policy", policy)]
                message = {**message, "headers": headers}
        await send(message)

    return adding


class _WithNonces(BaseLoader):
    """Templates with a nonce in every script tag; texts are filled in later and get none."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The source of a template."""
        source, file, fresh = self._inner.get_source(environment, template)
        return source.replace(_OPENING, _WITH_NONCE), file, fresh
