"""What is told to those who watch: logs, metrics, traces, health."""
