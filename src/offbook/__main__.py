"""``python -m offbook``: the command line where its script is on no path.

Takes: ``sys.argv``.  Gives: the exit code of ``offbook``.
"""

from offbook.cli.main import run

if __name__ == "__main__":
    run()
