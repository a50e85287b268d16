"""The graph of a character as a file: a page to look at, GraphML, JSON.

Takes: a ``Graph`` and the texts that it is from.  Gives: the text of a file. Nothing is stored,
and no model is asked.
"""
