"""Folders of public benchmarks that somebody has downloaded, scored by each one's own rules."""
