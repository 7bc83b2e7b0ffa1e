"""Real servers for tests and benchmarks: on free loopback ports, in temporary folders."""
