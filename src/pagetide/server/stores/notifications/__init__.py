"""Notifications that something has changed. Each is a `ports.Notifications`."""
