"""The command line: one file a command, no logic that a library user would miss."""
