"""OpenVINO without its tool that converts models: whoever needs OpenVINO imports it from here.

Importing that tool, which `import openvino` does, sends an event to Google Analytics and keeps
an identity and a count in `~/intel`, unless somebody has opted out before; and the thread that
sends goes on importing while workers are forked, so that a worker may wait for ever for a lock
which nobody holds any more (3 starts of 60 under load).
"""

from __future__ import annotations

import sys
from typing import Any

_TOOL = "openvino.tools.ovc"

if _TOOL in sys.modules:
    import openvino as ov
    from openvino import opset13 as op
else:
    modules: dict[str, Any] = sys.modules
    modules[_TOOL] = None  # as if it were not installed
    try:
        import openvino as ov
        from openvino import opset13 as op
    finally:
        del sys.modules[_TOOL]

__all__ = ["op", "ov"]
