"""Settings: what can be set, where it came from, and what each part receives."""

from offbook.settings.loading import Origin, Settings, load_settings, user_config_file
from offbook.settings.model import EmbedSettings, EndpointSettings, SettingsModel

__all__ = [
    "EmbedSettings",
    "EndpointSettings",
    "Origin",
    "Settings",
    "SettingsModel",
    "load_settings",
    "user_config_file",
]
