"""Suites that another store, or a host project, runs against itself."""
