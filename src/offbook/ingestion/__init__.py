"""What is read, split and embedded becomes knowledge, resumable at every step."""
