"""Options that commands share: each sets its setting, and a value is read as its type."""

from __future__ import annotations

import pytest

from offbook.cli.options import _SETTINGS, settings_of

VALUES = {"strategy": "c-a", "base_url": "http://127.0.0.1:9/v1", "preset": "faithful"}
VALUES |= {"papers_preset": "faithful", "judge_url": "http://127.0.0.1:9/v1", "method": "naive"}
VALUES |= {"model": "m", "judge": "m", "host": "::1"}


@pytest.mark.parametrize("option", _SETTINGS)
def test_an_option_sets_its_setting(offline, option):
    setting, (kind, _) = _SETTINGS[option]
    value = VALUES.get(option, kind(3))
    settings = settings_of(option).make(**{option: value})
    assert settings.plain(setting) == {"c-a": "C-A"}.get(value, value)
    assert settings.origin(setting).label == "flag"
