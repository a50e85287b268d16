"""Evaluation for faces and programs: `book.evaluation`, and what stands behind it.

Takes: an open home, what a person asks for.  Gives: runs, scores, reports, tables, studies.
"""
