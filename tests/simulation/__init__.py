"""Seeded schedules of what may happen to a service.

The real rules, claims, endings, sweeps, submissions and erasures, on a store, blobs, a queue
and a clock that fail as told. The same seed gives the same schedule.
"""
