"""Jobs, their tasks and API keys: frozen data, and every way it may change; no I/O."""
