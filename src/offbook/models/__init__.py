"""Who answers: OpenAI-compatible endpoints, the embedded offline backend, and their wrappers."""
