"""The HTTP server: characters for OpenAI clients, and a native API for all that offbook does."""
