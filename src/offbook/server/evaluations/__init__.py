"""Evaluations behind requests: queued by a route, done in a thread of their own."""
