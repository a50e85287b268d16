"""The HTTP server: characters for OpenAI clients, and a native API for all that offbook does.

Takes: requests.  Gives: responses. No logic is here that a library user would miss.
"""
