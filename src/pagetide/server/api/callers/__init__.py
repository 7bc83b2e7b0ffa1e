"""Who asks: API keys, scopes, rates, connections."""
