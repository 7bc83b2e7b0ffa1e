"""Queues: what wakes workers and whoever waits for changes. Each is a `ports.Queue`."""
