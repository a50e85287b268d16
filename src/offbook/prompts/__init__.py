"""What we ask: prompts, the answers they expect, and the one caller of the wire."""
