"""Commands that read documents on this machine."""
