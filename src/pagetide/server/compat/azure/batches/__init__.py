"""Batches: documents of one container, results into another."""
