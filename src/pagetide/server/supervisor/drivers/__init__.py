"""Drivers, which start and stop the workers: processes, containers, or a command."""
