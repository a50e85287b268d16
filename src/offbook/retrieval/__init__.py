"""What a question brings back."""
