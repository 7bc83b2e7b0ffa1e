"""Queues: what wakes workers and whoever waits for news. Each is a `ports.Queue`."""
