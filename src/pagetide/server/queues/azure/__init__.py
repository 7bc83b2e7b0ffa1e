"""The queue on Azure Queue Storage."""
