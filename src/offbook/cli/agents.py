"""The command for agents: ``mcp`` offers the characters as tools."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from offbook.cli.options import REPLYING, settings_of, with_options
from offbook.cli.output import with_offbook
from offbook.errors import ConfigurationError
from offbook.extras import install_command

if TYPE_CHECKING:
    from offbook.settings import Settings


@with_options(settings=settings_of(*REPLYING))
def mcp_command(settings: Settings) -> None:
    """Offer the characters to an agent as MCP tools, on standard input and output."""
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "`offbook mcp` needs the MCP SDK, which the base install leaves out",
            install_command("mcp"),
        )
    from offbook.server.mcp_tools import serve_on_stdio

    with_offbook(settings, serve_on_stdio)
