"""Commands that scale workers, or simulate that."""
