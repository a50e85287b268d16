"""Characters as models of an OpenAI-compatible endpoint."""
