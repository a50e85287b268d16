"""Makes the list of English words that the package ships, from SCOWL."""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from offbook.text.words import fold, word_term

SIZES: Final = (10, 20, 35, 40, 50)
LISTS: Final = ("english-words", "american-words", "british-words", "british_z-words")
TARGET: Final = Path(__file__).resolve().parents[1] / "src/offbook/text/data/english_words.txt.gz"


def stems(folder: Path) -> set[str]:
    """Stems of all words of the chosen lists."""
    return {term for word in _words(folder) if (term := word_term(fold(word))) and term.isascii()}


def _words(folder: Path) -> Iterator[str]:
    for name in LISTS:
        for size in SIZES:
            file = folder / f"{name}.{size}"
            if file.exists():
                yield from file.read_text("latin-1").split()


def main() -> None:
    """Write the list and say how long it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    found = sorted(stems(parser.parse_args().folder))
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(gzip.compress("\n".join(found).encode(), 9, mtime=0))
    print(f"{len(found)} stems, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
