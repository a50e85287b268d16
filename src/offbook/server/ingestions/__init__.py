"""Ingestions that go on behind requests."""
