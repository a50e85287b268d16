"""The published tables as data: what each runs, what the papers print, what is done otherwise.

Takes: a name of evaluation.md (``catalogue``).  Gives: a table to run (``app.evaluation.tables``),
to fill with our numbers (``filling``) and to print (``rendering``).
"""
