"""Notifications: what tells that there is something new. Each is a `ports.Notifications`."""
