"""The machine and the operating system: processor, disk, files, pipes, threads."""
