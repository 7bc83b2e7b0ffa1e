"""The queue on Amazon SQS."""
