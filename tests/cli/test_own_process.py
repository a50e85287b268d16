"""A command keeps NumPy's matrix products on one core, unless the environment says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
from offbook.cli.main import run
assert "numpy" not in sys.modules, "it is told too late"
try:
    run(["--version"])
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"])
"""


@pytest.mark.parametrize(("said", "kept"), [(None, "1"), ("3", "3")])
def test_a_command_computes_on_one_core_unless_it_is_told_otherwise(said, kept):
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    if said is not None:
        environment["OPENBLAS_NUM_THREADS"] = said
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == kept
