"""The shipped character: Edmond Dantes, our own writing."""
