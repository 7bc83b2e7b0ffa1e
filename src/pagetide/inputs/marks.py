"""What a PDF's page draws, counted in the child without drawing it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, area, intersection_area
from pagetide.inputs.frame import PageFrame
from pagetide.inputs.plain import plain

_BOUNDS = struct.Struct("4f")
