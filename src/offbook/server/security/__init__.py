"""What stands between a request and the application: names, origins, keys, limits."""
