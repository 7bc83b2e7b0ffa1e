"""What is said to a server: the client, and how it goes about each thing."""
