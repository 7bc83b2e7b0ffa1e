"""Code of tests run in the sandbox's child, which cannot read their files.

The child is the one that ships; the code reaches it as data, as an attacker's would.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pagetide.inputs import Sandbox

_RUN = "(exec(source, given), given[function](*args))[1]"


class Planted(Sandbox):
    """A sandbox that accepts functions of the tests' modules, too."""

    def fetch(
        self,
        function: Callable[..., Any],
        *args: Any,
        timeout_s: float | None = None,
        returns: Any = Any,
    ) -> tuple[Any, bytearray]:
        """See `Sandbox`."""
        module = inspect.getmodule(function)
        if module is None or not module.__name__.startswith("tests."):
            return super().fetch(function, *args, timeout_s=timeout_s, returns=returns)
        names = {
            "source": inspect.getsource(module),
            "given": {"__name__": "planted"},
            "function": function.__name__,
            "args": list(args),
        }
        return super().fetch(eval, _RUN, names, timeout_s=timeout_s, returns=returns)
