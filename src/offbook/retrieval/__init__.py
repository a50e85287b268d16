"""Stage 3: what a question brings back."""
