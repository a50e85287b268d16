"""What a person who runs the server sees of it: logs, metrics, traces, health."""
