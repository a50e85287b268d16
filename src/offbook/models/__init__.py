"""Who answers: OpenAI-compatible endpoints, the built-in embedder, cache, limits and costs."""
