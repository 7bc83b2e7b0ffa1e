"""Checks: whether each part that the settings name can be reached and does what it must.

A check goes through the ports alone, takes a bounded time, and leaves nothing behind but one
value of the store, `doctor`.
"""

from pagetide.server.doctor.examination import LIMIT_S, Finding, Part, Steps, examine, hanging
from pagetide.server.doctor.parts import PARTS, configured

__all__ = ["LIMIT_S", "PARTS", "Finding", "Part", "Steps", "configured", "examine", "hanging"]
