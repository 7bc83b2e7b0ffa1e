"""Background work of a server: expired leases, lost wake-ups, expiry, webhooks."""
