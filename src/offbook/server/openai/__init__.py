"""Characters as models of an OpenAI-compatible endpoint.

Takes: requests as OpenAI's clients send them.  Gives: responses as those clients read them.
"""
