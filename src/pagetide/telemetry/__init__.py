"""Telemetry: logs, metrics, traces, health."""
