"""What is computed from ratings: pure functions, without a model, a database or a file."""
