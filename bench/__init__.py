"""Benchmarks: each prints a table against a named peer and can write it as JSON."""
