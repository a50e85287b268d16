"""Quality of offbook's parts on labelled files: one subcommand a part.

Each part is a module ``quality_<part>`` here with ``HELP``, ``add_arguments`` and ``run``, and
``NEEDS_FILE = False`` where it has data of its own; a new one needs its name in ``PARTS``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

PARTS = (
    "retrieval",
    "evidence",
    "aliases",
    "boundary",
    "extraction",
    "traits",
    "emotion",
    "emotion-retrieval",
    "reading",
    "quotes",
    "memory",
    "replies",
    "witness",
)


def main(arguments: list[str] | None = None) -> None:
    """Run one part and print what it found."""
    parser = argparse.ArgumentParser(description="Quality on labelled files.")
    commands = parser.add_subparsers(dest="part", required=True)
    modules = {part: importlib.import_module(f"quality_{part.replace('-', '_')}") for part in PARTS}
    for part, module in modules.items():
        command = commands.add_parser(part, help=module.HELP, description=module.__doc__)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        optional = not getattr(module, "NEEDS_FILE", True)
        command.add_argument("file", type=Path, nargs="?" if optional else None)
        command.add_argument("--json", action="store_true", help="one JSON document")
        module.add_arguments(command)
    chosen = parser.parse_args(arguments)
    if chosen.file is not None and not chosen.file.exists():
        sys.exit(f"no file {str(chosen.file)!r}")
    report = modules[chosen.part].run(chosen)
    print(json.dumps(report.as_json(), indent=2) if chosen.json else report.as_table())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
