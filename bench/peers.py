"""The programs Pagetide is compared with, run as their users run them."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.metrics import FoundLine
from pagetide.settings import available_cores

Pixels = NDArray[np.uint8]


class RapidOcr:
    """RapidOCR with ONNX Runtime, with its defaults except the classifier if that is off."""

    def __init__(self, *, classifier: bool = True) -> None:
        from rapidocr import RapidOCR

        logging.disable(logging.WARNING)  # it logs every empty page
        self._engine = RapidOCR()
        self._classifier = classifier

    def read(self, page: Pixels) -> list[FoundLine]:
        """The lines it finds on a page."""
        result = self._engine(page, use_cls=None if self._classifier else False)
        if result.boxes is None or result.txts is None:
            return []
        return [
            FoundLine(text=text, box=_around(quad))
            for quad, text in zip(result.boxes, result.txts, strict=True)
        ]


def _around(quad: NDArray[np.float32]) -> tuple[float, float, float, float]:
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


class Tesseract:
    """Tesseract 5, English, a process per core with a thread each."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("tesseract") is None:
            raise SystemExit("The benchmark needs tesseract: apt-get install tesseract-ocr.")
        self._folder = folder
        self._environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}

    def read_files(self, pages: Sequence[Path]) -> None:
        """Read pictures in parallel; the text goes to a folder."""
        with ThreadPoolExecutor(available_cores()) as processes:
            list(processes.map(self._read, pages))

    def _read(self, page: Path) -> None:
        command = ["tesseract", str(page), str(self._folder / page.stem), "-l", "eng"]
        subprocess.run(command, env=self._environment, check=True, capture_output=True)


def load(path: Path) -> Pixels:
    """A picture's pixels, blue-green-red."""
    pixels = cv2.imread(str(path))
    if pixels is None:
        raise SystemExit(f"{path} cannot be read.")
    return np.asarray(pixels, np.uint8)
