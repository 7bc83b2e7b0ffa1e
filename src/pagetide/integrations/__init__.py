"""Pagetide inside other people's programs: pipelines, data lakes, assistants, folders."""
