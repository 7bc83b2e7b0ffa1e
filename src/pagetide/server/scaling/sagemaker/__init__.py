"""What scales a SageMaker endpoint."""
