"""The splitter and retrieval study: no chat model is asked, nothing is stored.

Takes: characters, splitters, embedders (``studying``), or a dataset and a file of gold passages
(``reading``).  Gives: measures (``measures``).
"""
