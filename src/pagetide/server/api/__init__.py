"""The HTTP API: routes, access, and the formats of requests and answers."""
