"""Queues, which wake workers. Each is a `ports.Queue`."""
