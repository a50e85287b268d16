"""`offbook mcp`, as far as the SDK is not needed; `tests/examples` has it whole."""

from offbook.cli import agents
from tests.end_to_end.world import World


def test_without_the_sdk_the_hint_is_how_to_add_it(offline: World, monkeypatch):
    monkeypatch.setattr(agents, "find_spec", lambda name: None)
    result = offline.run("mcp")
    assert result.code == 3
    assert "needs the MCP SDK" in result.err
    assert "pip install" in result.err
