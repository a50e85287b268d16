"""From flags, environment and files to typed settings; the only reader of ``os.environ``.

Takes: ``key=value`` flags, the environment, the project's ``offbook.toml``, the user's
``config.toml``.  Gives: ``Settings``: the typed model and the origin of every value.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from platformdirs import user_config_dir
from pydantic import SecretStr, ValidationError

from offbook.errors import STARS, ConfigurationError, hide_passwords
from offbook.settings.model import SettingsModel, setting_names
from offbook.settings.presets import OF_METHODS, PRESETS
from offbook.settings.prices import AS_OF, list_price

PROJECT_FILE: Final = "offbook.toml"
_SHORT: Final = {
    "limits.concurrency": "OFFBOOK_CONCURRENCY",
    "limits.rpm": "OFFBOOK_RPM",
    "limits.tpm": "OFFBOOK_TPM",
    "limits.budget_calls": "OFFBOOK_BUDGET_CALLS",
    "limits.budget_usd": "OFFBOOK_BUDGET_USD",
}
_OWN: Final = ("crag.searcher",)
"""Settings by which a question may leave the machine: a project's file may not set them."""
_PRESET: Final = "preset "
USER: Final = "user "
"""How the origin of the user's own file begins."""
_PRICE: Final = ("prompt", "completion")
_OPENAI: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
OPENAI_ADDRESS: Final = "https://api.openai.com/v1"
_ROLES: Final = ("chat", "extract", "judge", "embed", "rerank")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from; ``trusted`` is false for a project file, which anybody may write."""

    label: str
    trusted: bool = True

    @property
    def of_preset(self) -> bool:
        """Whether the preset set it, and nobody else."""
        return self.label.startswith(_PRESET)


DEFAULT: Final = Origin("default")
FLAG: Final = Origin("flag")
ENVIRONMENT: Final = Origin("environment")
LIST_PRICE: Final = Origin(f"list price of {AS_OF}")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, with the origin of each that is not a default.

    ``openai`` holds what the environment has of the SDK's own variables.
    """

    values: SettingsModel
    origins: Mapping[str, Origin]
    openai: Mapping[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def origin(self, name: str) -> Origin:
        """Where the value of the dotted ``name`` came from."""
        return self.origins.get(name, DEFAULT)

    def rows(self) -> list[tuple[str, str, str]]:
        """``(name, value, origin)`` of every setting, secrets masked."""
        prices = [f"prices.{model}.{kind}" for model in self.values.prices for kind in _PRICE]
        names = [*setting_names(), *prices]
        return sorted((name, _shown(self.plain(name)), self.origin(name).label) for name in names)

    def plain(self, name: str) -> str | float | bool | None:
        """The value of the dotted ``name`` as JSON has it; secrets are masked, also in URLs."""
        value = self.value(name)
        if value is not None and name.endswith("url"):
            return hide_passwords(
                value.get_secret_value() if isinstance(value, SecretStr) else value
            )
        if isinstance(value, SecretStr):
            return _shown(value)
        return str(value) if isinstance(value, Path) else value

    def overlaid(self, flags: Mapping[str, Any], origin: Origin = FLAG) -> Settings:
        """These settings with others on top, a command's own; a preset among them takes effect.

        Raises:
            ConfigurationError: an unknown name, or a value that is not allowed.
        """
        check_names(flags, FLAG)
        values_found = {
            name: (self.value(name), before)
            for name, before in self.origins.items()
            if not before.of_preset and before != LIST_PRICE
        }
        values_found |= {name: (value, origin) for name, value in flags.items()}
        return _settled(values_found, self.openai, self.warnings)

    def without(self, origin: Origin) -> Settings:
        """These settings as they are without those of one origin."""
        if origin not in self.origins.values():
            return self
        others = {name: before for name, before in self.origins.items() if before != origin}
        return replace(self, origins=others).overlaid({})

    def value(self, name: str) -> Any:
        """The value of the dotted ``name``, typed; secrets are in it."""
        if name.startswith("prices."):
            model, _, kind = name.removeprefix("prices.").rpartition(".")
            return getattr(self.values.prices[model], kind)
        value: Any = self.values
        for part in name.split("."):
            value = getattr(value, part)
        return value


def checked(content: Mapping[str, Any], label: str) -> Settings:
    """The settings that a file's content makes by itself.

    Raises:
        ConfigurationError: an unknown name or a value that is not allowed; it names the label.
    """
    flat: dict[str, Any] = {}
    _flatten(content, "", flat)
    origin = Origin(label)
    check_names(flat, origin)
    return _settled({name: (value, origin) for name, value in flat.items()}, {}, ())


def by_keyword(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their names, of keywords with ``__`` for the dot; None is not given."""
    return {k.replace("__", "."): value for k, value in flags.items() if value is not None}


def environment_name(setting: str) -> str:
    """The environment variable of a dotted setting name."""
    return _SHORT.get(setting) or "OFFBOOK_" + setting.upper().replace(".", "_")


def load_settings(
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    user_file: Path | None = None,
) -> Settings:
    """Read all layers and check them.

    Args:
        flags: Dotted setting names and values from the command line; None values are ignored.
        environment: Default: the process's environment.
        directory: Where the search for the project's file starts (it goes upwards); default: the
            working directory.
        user_file: Default: ``config.toml`` in the user's configuration folder.

    Raises:
        ConfigurationError: an unknown name or a value that is not allowed; it names the origin.
    """
    environment = dict(os.environ if environment is None else environment)
    values_found: dict[str, tuple[Any, Origin]] = {}
    warnings: list[str] = []
    flags_set = {key: value for key, value in (flags or {}).items() if value is not None}
    layers = [(flags_set, FLAG), (_from_environment(environment, warnings), ENVIRONMENT)]
    layers += _from_files(directory or Path.cwd(), user_file or user_config_file(environment))
    for values, origin in layers:
        check_names(values, origin)
        for name, value in values.items():
            values_found.setdefault(name, (value, origin))
    openai = {name: environment[name] for name in _OPENAI if environment.get(name)}
    return _settled(values_found, openai, tuple(warnings))


def _settled(
    values_found: dict[str, tuple[Any, Origin]],
    openai: Mapping[str, str],
    warnings: tuple[str, ...],
) -> Settings:
    """Checked settings of values with their origins; what nothing else sets, the preset does."""
    preset = str(values_found.get("preset", ("default", DEFAULT))[0])
    method = str(values_found.get("method", (SettingsModel().method, DEFAULT))[0])
    of_method = OF_METHODS.get(preset, {}).get(method, {})
    for name, value in {**PRESETS.get(preset, {}), **of_method}.items():
        values_found.setdefault(name, (value, Origin(f"{_PRESET}{preset}")))
    for name, value in _list_prices(values_found, openai).items():
        values_found[name] = (value, LIST_PRICE)
    model = _validated(values_found)
    _check_trust(values_found)
    return Settings(
        model, {name: origin for name, (_, origin) in values_found.items()}, openai, warnings
    )


def _list_prices(
    values_found: Mapping[str, tuple[Any, Origin]], openai: Mapping[str, str]
) -> dict[str, float]:
    """The list prices of the models in use, where nobody has set a price of the model."""
    values = {name: value for name, (value, _) in values_found.items() if value is not None}
    chat_url = values.get("chat.base_url") or openai.get("OPENAI_BASE_URL") or OPENAI_ADDRESS
    prices: dict[str, float] = {}
    for role in _ROLES:
        model = str(values.get(f"{role}.model", values.get("chat.model", "")))
        url = str(values.get(f"{role}.base_url", chat_url))
        if not any(f"prices.{model}.{kind}" in values for kind in _PRICE):
            listed = list_price(url, model)
            prices |= {f"prices.{model}.{kind}": price for kind, price in listed.items()}
    return prices


def key_in_environment(name: str) -> str:
    """The key that an environment variable holds.

    Raises:
        ConfigurationError: there is no such variable, or nothing in it.
    """
    key = os.environ.get(name, "").strip()
    if not key:
        raise ConfigurationError(
            f"the environment variable {name!r} is not set", f"export {name}=..., or name another"
        )
    return key


def user_config_file(environment: Mapping[str, str] | None = None) -> Path:
    """The user's own settings file, whether it is there or not; OFFBOOK_CONFIG names another."""
    named = (os.environ if environment is None else environment).get("OFFBOOK_CONFIG")
    return (
        Path(named) if named else Path(user_config_dir("offbook", appauthor=False), "config.toml")
    )


def _from_environment(environment: Mapping[str, str], warnings: list[str]) -> dict[str, Any]:
    known = {environment_name(name): name for name in setting_names()}
    values = {known[key]: value for key, value in environment.items() if key in known and value}
    unknown = sorted(
        key
        for key in environment
        if key.startswith("OFFBOOK_") and key not in known and key != "OFFBOOK_CONFIG"
    )
    for key in unknown:
        near = get_close_matches(key, known, 1)
        warnings.append(
            f"environment variable {key} is not a setting"
            + (f"; did you mean {near[0]}?" if near else "")
        )
    return values


def _from_files(directory: Path, user_file: Path) -> list[tuple[dict[str, Any], Origin]]:
    layers = []
    for folder in (directory, *directory.parents):
        path = folder / PROJECT_FILE
        if _is_there(path):
            layers.append((_read_toml(path), Origin(f"project {path}", trusted=False)))
            break
    if _is_there(user_file):
        layers.append((_read_toml(user_file), Origin(f"{USER}{user_file}")))
    return layers


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise ConfigurationError(
            f"settings file {str(path)!r} cannot be looked for: {error.strerror}",
            "run it in a folder that you may read, as the user whom the folder belongs to",
        ) from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"settings file {str(path)!r} cannot be read: {error.strerror}", "mend its permissions"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"settings file {str(path)!r} is not valid TOML: {error}", "mend the line it names"
        ) from error
    flat: dict[str, Any] = {}
    _flatten(content, "", flat)
    return flat


def _flatten(content: Mapping[str, Any], prefix: str, flat: dict[str, Any]) -> None:
    for key, value in content.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            _flatten(value, f"{name}.", flat)
        else:
            flat[name] = value


def check_names(values: Mapping[str, Any], origin: Origin) -> None:
    """Refuse a name that is no setting; the nearest is in the hint."""
    known = setting_names()
    for name in values:
        price = name.startswith("prices.") and name.endswith((".prompt", ".completion"))
        if name in known or price:
            continue
        near = get_close_matches(name, known, 1)
        raise ConfigurationError(
            f"unknown setting {name!r} (from {origin.label})",
            f"did you mean {near[0]!r}?" if near else "`offbook config show` lists the known ones",
        )


def _check_trust(values_found: Mapping[str, tuple[Any, Origin]]) -> None:
    """Refuse what decides whom a question is told, where it is from a file of anybody."""
    plain = SettingsModel()
    for name in _OWN:
        if name not in values_found:
            continue
        value, origin = values_found[name]
        section, _, key = name.partition(".")
        if not origin.trusted and value != getattr(getattr(plain, section), key):
            raise ConfigurationError(
                f"setting {name} = {_shown(value)!r} from {origin.label} would decide whom "
                "questions are sent to, which a project's file may not",
                f"set {name} in the environment ({environment_name(name)}), by flag or in your "
                "own config.toml if you trust it, or take it out of the file",
            )


def _validated(values_found: Mapping[str, tuple[Any, Origin]]) -> SettingsModel:
    tree: dict[str, Any] = {}
    for name, (value, _) in values_found.items():
        if name.startswith("prices."):
            model, _, kind = name.removeprefix("prices.").rpartition(".")
            tree.setdefault("prices", {}).setdefault(model, {})[kind] = value
            continue
        section, _, key = name.rpartition(".")
        (tree.setdefault(section, {}) if section else tree)[key] = value
    try:
        return SettingsModel.model_validate(tree)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        label = values_found[name][1].label if name in values_found else "the settings"
        shown = (
            _shown(values_found[name][0])
            if name in values_found and "key" not in name
            else "(given value)"
        )
        raise ConfigurationError(
            f"setting {name} = {shown!r} from {label}: {first['msg']}",
            f"mend it there; {name}: {setting_names()[name]}"
            if name in setting_names()
            else "`offbook config show` lists what can be set",
        ) from error


def _shown(value: Any) -> str:
    if isinstance(value, SecretStr):
        return STARS
    return "" if value is None else str(value)
