"""Every setting, in one place: the only module that reads the environment.

A setting's variable is its name in capitals behind `PAGETIDE_`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from pagetide.errors import BadOption


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults.

    Attributes:
        threads: How many cores the engine may use; 0 means all this process may use.
        runtime: `auto`, `openvino`, `onnxruntime` or `cuda`.
        max_pages: Most pages in one document.
        max_pixels: Most pixels in one page or picture, decoded or rendered.
        max_bytes: Most bytes in one input.
        page_timeout_s: Longest that opening a document or preparing one page may take.
        sandbox_memory_mb: Memory the child that parses and renders may take.
        min_confidence: Lines read with less (0–1) are left out and counted.
        detection_side: The longest side, in pixels, at which a page is searched for text.
        cache_dir: Where compiled models are kept; empty means the user's cache folder,
            `off` means nowhere.
    """

    threads: int = 0
    runtime: str = "auto"
    max_pages: int = 5000
    max_pixels: int = 100_000_000
    max_bytes: int = 1_000_000_000
    page_timeout_s: float = 20.0
    sandbox_memory_mb: int = 1200
    min_confidence: float = 0.5
    detection_side: int = 1600
    cache_dir: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from `PAGETIDE_*` variables; what is not set keeps its default.

        Raises:
            BadOption: A value is not of its setting's type; the message names the setting.
        """
        env = os.environ if environment is None else environment
        values: dict[str, object] = {}
        for setting in fields(cls):
            variable = f"PAGETIDE_{setting.name.upper()}"
            if variable in env:
                values[setting.name] = _parse(variable, env[variable], setting.default)
        return cls(**values)  # type: ignore[arg-type]  # each value has its default's type

    @property
    def cache_folder(self) -> Path | None:
        """Where compiled models are kept, or None where they are not."""
        if self.cache_dir == "off":
            return None
        if self.cache_dir:
            return Path(self.cache_dir)
        home = os.environ.get("XDG_CACHE_HOME")
        return (Path(home) if home else Path.home() / ".cache") / "pagetide"


def _parse(variable: str, text: str, default: object) -> object:
    kind = {int: int, float: float, str: str}[type(default)]
    try:
        return kind(text)
    except ValueError:
        wanted = {int: "a whole number", float: "a number"}[kind]
        raise BadOption(f"{variable} must be {wanted}, not {text!r}.") from None


def available_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
