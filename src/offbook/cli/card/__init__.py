"""The commands of ``offbook card``."""
