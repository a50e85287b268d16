"""``offbook eval ...``: benchmarks, from questions to scores that can be trusted."""
