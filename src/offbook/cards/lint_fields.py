"""Fields that are missing, null, or of another type than the specification's.

Takes: a raw object and a table of fields.  Gives: findings under the rules of ``lint_rules``.
"""

from __future__ import annotations

from collections.abc import Mapping

from offbook.cards.fields import Field, fits, kind_name
from offbook.cards.findings import Findings, shown
from offbook.cards.lint_rules import RULES
from offbook.cards.residue import Json


def lint_fields(
    data: Json, fields: Mapping[str, Field], version: int, where: str, findings: Findings
) -> None:
    """Fields that are missing or of another type than the specification's."""
    for name, field in fields.items():
        if field.since > version:
            continue
        path = f"{where}{name}"
        required = field.required_since is not None and field.required_since <= version
        if name not in data:
            if required:
                say(findings, "field-missing", path, f"V{version} requires {name}", "add it")
        elif data[name] is None:
            code = "field-null" if required else "field-null-optional"
            say(findings, code, path, "it is null", "leave it out" if not required else "")
        elif not fits(data[name], field.kind):
            kind = kind_name(field.kind)
            say(
                findings,
                "field-type",
                path,
                f"{shown(data[name])} is not {kind}",
                f"make it {kind}",
            )


def say(findings: Findings, code: str, path: str, message: str, mend: str = "") -> None:
    """Add a finding under the rule ``code``, as severe as that is."""
    findings.add(RULES[code].severity, code, path, message, mend)
