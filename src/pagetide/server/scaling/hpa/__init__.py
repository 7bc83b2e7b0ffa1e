"""Kubernetes' HorizontalPodAutoscaler."""
