"""The images and the stack, built and run for real: `make verify-deploy`."""
