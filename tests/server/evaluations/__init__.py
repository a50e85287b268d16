"""Tests of evaluations behind requests."""
