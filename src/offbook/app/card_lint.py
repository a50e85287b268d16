"""What is the matter with a file of a card or a lorebook: ``card lint``.

Takes: a path, or bytes with a name.  Gives: every rule of the specifications that it breaks, and
all that its reader had to mend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from offbook.app.card_files import open_file
from offbook.app.sent_files import CardSource
from offbook.cards import RULES, Finding, ReadLorebook, lint, lint_lorebook


@dataclass(frozen=True, slots=True)
class LintReport:
    """What is the matter with a file; ``ok`` where it breaks no rule and needed no mending."""

    file: str
    kind: str
    format: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """Findings that programs stumble over."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Findings that were mended, or that show in other ways than was meant."""
        return sum(finding.severity == "warning" for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there is neither."""
        return not self.errors and not self.warnings

    def as_json(self) -> dict[str, Any]:
        """The shape of ``card lint --json``."""
        return {
            "file": self.file,
            "kind": self.kind,
            "format": self.format,
            "ok": self.ok,
            "errors": self.errors,
            "warnings": self.warnings,
            "findings": [finding.as_json() for finding in self.findings],
        }


def lint_file(file: CardSource) -> LintReport:
    """Every rule that a card or lorebook breaks, and all that its reader had to mend.

    Raises:
        UnreadableCard: it cannot be read at all.
    """
    read = open_file(file)
    if isinstance(read, ReadLorebook):
        kind, found = "lorebook", lint_lorebook(read.book)
    else:
        kind, found = "card", lint(read.card)
    told = {(finding.code, finding.path) for finding in found}
    mended = [_ruled(one) for one in read.warnings if (one.code, one.path) not in told]
    findings = dict.fromkeys((*mended, *found))
    return LintReport(str(file), kind, read.source_format, tuple(findings))


def _ruled(mended: Finding) -> Finding:
    """What a reader mended, as severe as the rule says that it broke, if there is one."""
    rule = RULES.get(mended.code)
    return mended if rule is None else replace(mended, severity=rule.severity)
