"""The workers of a simulated pool."""
