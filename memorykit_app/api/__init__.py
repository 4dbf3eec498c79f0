"""The HTTP API for agent hosts: bearer keys in, sealed scopes, problems out."""
