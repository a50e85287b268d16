"""Tests of the programs in ``examples/``: each is run against a server."""
