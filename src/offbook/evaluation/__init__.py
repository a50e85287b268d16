"""Evaluation: from questions to ratings, scores, tables and pictures that can be trusted."""
