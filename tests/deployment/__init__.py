"""Tests of the files that put offbook into containers."""
