"""The embedded default: answers every prompt by rules, with no key and no network."""
