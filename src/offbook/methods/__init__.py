"""Published methods and ours, one short file each, composed of stages."""
