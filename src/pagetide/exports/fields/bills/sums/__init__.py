"""A bill's sums and taxes, and whether they add up."""
