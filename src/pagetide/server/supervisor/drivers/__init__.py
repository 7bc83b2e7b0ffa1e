"""What starts and ends workers for the autoscaler: processes, containers, or a command."""
