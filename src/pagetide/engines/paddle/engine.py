"""Models that PaddleOCR runs, as an engine: pages in, readings out, one after the other."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pagetide.document import Failure, ModelInfo
from pagetide.engine import PageImage, PageReading
from pagetide.engines.paddle import folders
from pagetide.engines.paddle.interpreter import installed
from pagetide.engines.paddle.options import Family
from pagetide.engines.paddle.process_slot import ProcessSlot
from pagetide.engines.paddle.request import FindModel, Request, check_paddle, request
from pagetide.errors import EngineFailed, PageFailed
from pagetide.languages import find as find_language
from pagetide.settings import Settings

# A language whose letters another network reads has a process of its own; each takes
# gigabytes, so the one that was used longest ago makes way for a third.
MOST_PROCESSES = 2
# Of the deadline after which a worker is given up: a page is to end before its worker does.
_SHARE_OF_DEADLINE = 0.9

_log = logging.getLogger("pagetide.paddle")

_UNKNOWN_SHAPE = PageFailed("PaddleOCR's result for this page has an unknown form.")

Parse = Callable[[Mapping[str, Any], int, int, float], PageReading]


class PaddleEngine:
    """A pipeline of PaddleOCR in a process of its own; see `ports.Engine`.

    The process starts with the first page. One that a page took down is started again for
    the next; that page has an error.
    """

    def __init__(
        self,
        family: Family,
        parse: Parse,
        parameters: Mapping[str, Any],
        settings: Settings,
        find: FindModel,
    ) -> None:
        self._family, self._parse, self._parameters = family, parse, parameters
        self._settings, self._find = settings, find
        self._python = settings.paddle_python or sys.executable
        self._slots: dict[str, ProcessSlot] = {}
        self._used: list[ProcessSlot] = []  # the last one last
        self._lock = threading.Lock()
        self._closed = False

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        made = self._request(language)
        versions = installed(self._python)
        return ModelInfo(
            name=self._family.model,
            engine="paddleocr",
            version=versions["paddleocr"],
            runtime=_runtime(made, versions),
            language=find_language(language).code,
            parts=dict(made.networks),
            weights={
                part: folders.sha256(folder, made.engines[part])
                for part, folder in made.weights.items()
            },
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`.

        Raises:
            EngineFailed: PaddleOCR cannot be started.
            ModelUnavailable: It is not installed, or a network's weights are not here.
            RuntimeUnavailable: A network needs PaddlePaddle, which is not installed.
            UnknownLanguage: There is no such language.
        """
        made = self._request(language)
        check_paddle(made.needs_paddle, installed(self._python), self._python)
        slot = self._slot(made)
        for image in images:
            yield self._reading(slot, image)

    def close(self) -> None:
        """End the processes; a page in work is given up."""
        with self._lock:
            self._closed = True
            slots = list(self._slots.values())
        for slot in slots:
            slot.end()

    def _request(self, language: str) -> Request:
        return request(self._family, self._parameters, language, self._settings, self._find)

    def _slot(self, made: Request) -> ProcessSlot:
        key = json.dumps(made.order, sort_keys=True)
        with self._lock:
            if self._closed:
                raise EngineFailed("The engine is closed.")
            if key not in self._slots:
                page_s = self._settings.page_deadline_s * _SHARE_OF_DEADLINE
                self._slots[key] = ProcessSlot(self._python, made.order, page_s)
            return self._slots[key]

    def _make_way(self, slot: ProcessSlot) -> None:
        """End the processes that were used longest ago, until this slot may have one."""
        with self._lock:
            self._used = [*(one for one in self._used if one is not slot), slot]
            running = [one for one in self._used[:-1] if one.is_running]
        for one in running[: len(running) + 1 - MOST_PROCESSES]:
            one.rest()

    def _reading(self, slot: ProcessSlot, image: PageImage) -> PageReading:
        height, width = image.pixels.shape[:2]
        self._make_way(slot)
        started = time.perf_counter()
        try:
            answered = slot.read(image.pixels)
            result = json.loads(answered.raw)
            reading = self._parse(result, width, height, self._settings.min_confidence)
        except PageFailed as error:
            return PageReading(lines=(), error=Failure.of(error))
        except (KeyError, TypeError, ValueError, IndexError):
            _log.exception("PaddleOCR's result has an unknown form")
            return PageReading(lines=(), error=Failure.of(_UNKNOWN_SHAPE))
        whole = (time.perf_counter() - started) * 1000
        timings = {"pipeline": answered.ms, "pass": max(0.0, whole - answered.ms)}
        return replace(reading, raw=answered.raw, timings_ms=timings)


def _runtime(made: Request, versions: Mapping[str, str]) -> str:
    """What the networks run on, with versions."""
    wanted = {"paddle", "onnxruntime"} if not made.engines else set(made.engines.values())
    packages = {
        "onnxruntime": ("onnxruntime", "onnxruntime-gpu"),
        "transformers": ("transformers",),
    }
    names = [
        package
        for engine in sorted(wanted)
        for package in packages.get(engine, ("paddlepaddle", "paddlepaddle-gpu"))
        if package in versions
    ]
    return ", ".join(f"{name} {versions[name]}" for name in names) or "none"
