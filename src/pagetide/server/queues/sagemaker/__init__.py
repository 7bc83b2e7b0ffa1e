"""The queue on SageMaker's asynchronous endpoints."""
