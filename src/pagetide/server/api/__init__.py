"""The HTTP API: routes, who may use them, and how what comes and goes is written."""
