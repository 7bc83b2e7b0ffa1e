"""Commands of a server: its processes, its keys, and its clients."""
