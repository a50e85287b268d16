"""Published methods and ours, one short file each."""
