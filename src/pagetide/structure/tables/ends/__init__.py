"""Where a table starts and ends: adjacent lines, sections in it, merged tables."""
