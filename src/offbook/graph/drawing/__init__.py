"""The graph of a character as a file: a page to look at, GraphML, JSON."""
