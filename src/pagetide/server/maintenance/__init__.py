"""What nobody asks for and must be done: the dead's leases, lost wake-ups, expiry, webhooks."""
