"""Examples in docstrings as code on the documentation site: an extension of Griffe.

They stand at the end of a docstring without a head, and would be taken for prose.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*\Z", re.MULTILINE | re.DOTALL)


class FencedExamples(griffe.Extension):  # type: ignore[misc] # it is not here
    """Puts what begins with `>>>` into a section of its own."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change an object's docstring, if it has an example."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_section, obj.docstring.value)


def _section(example: re.Match[str]) -> str:
    return "Examples:\n" + "\n".join(f"    {line}" for line in example[0].splitlines())
