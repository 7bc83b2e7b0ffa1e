# Written by `make sync-client` from asynchronous/__init__.py: change that, not this.
"""What is said to a server: the client, and how it goes about each thing."""
