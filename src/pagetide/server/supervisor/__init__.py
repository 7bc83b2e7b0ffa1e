"""Keeps workers on a host: as many as there is work for, started, watched and stopped."""
