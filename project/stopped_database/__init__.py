"""A database backend for a checkout whose PostgreSQL was not started yet."""
