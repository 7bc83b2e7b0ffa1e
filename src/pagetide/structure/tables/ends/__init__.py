"""Where a table begins and ends: lines beside it, sections in it, several found as one."""
