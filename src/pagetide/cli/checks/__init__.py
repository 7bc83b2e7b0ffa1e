"""Checks: whether each part that the settings name can be reached and does what it must.

A check goes through the ports alone, takes a bounded time, and leaves nothing behind but one
value of the store, `doctor`.
"""
