"""The reading order: columns, bands and frames."""
