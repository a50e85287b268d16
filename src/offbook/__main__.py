"""The program ``offbook``, also as ``python -m offbook``.

Takes: ``sys.argv``.  Gives: the exit code of ``offbook``.
"""

import json
import sys

from offbook.errors import Interrupted


def main() -> None:
    """Run the command line; a Ctrl-C while it is being loaded ends it as any other does."""
    try:
        from offbook.cli.main import run

        run()
    except KeyboardInterrupt:
        error = Interrupted("interrupted", "nothing was begun")
        if "--json" in sys.argv:
            sys.stdout.write(json.dumps(error.as_json()) + "\n")
        sys.stderr.write(f"offbook: {error.message}; {error.hint}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
