"""Requests to addresses that somebody else names: vetted, bounded in time and size."""
