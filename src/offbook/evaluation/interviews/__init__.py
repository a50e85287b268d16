"""Interviews: items one by one, open answers rated in batches, and answers turned into options."""
