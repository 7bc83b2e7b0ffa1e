"""An engine that makes its readings up, and misbehaves on request: for tests.

What it does is set behind the model's name, as in `fake?crash=2&slow=0.1`:

    lines=N     lines on each page (default 1)
    fail=N      page N of a reading ends in an error of its own
    crash=N     the whole process ends at page N, as by a kill
    fatal=W     a page W pixels wide ends the whole process, whenever it is read
    break=N     the engine itself fails at page N, and the reading ends
    slow=S      each page takes S seconds
    memory=N    each page takes N MB and keeps them as long as the engine lives
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_type_hints
from urllib.parse import parse_qsl

from pagetide.document import Failure, Line, ModelInfo, Word
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.errors import BadOption, EngineFailed, nearest
from pagetide.geometry import part_of, polygon_of
from pagetide.languages import find
from pagetide.settings import Settings

MB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How the engine misbehaves; see the module."""

    lines: int = 1
    fail: int = 0
    crash: int = 0
    fatal: int = 0
    break_: int = 0
    slow: float = 0.0
    memory: int = 0

    @classmethod
    def parse(cls, parameters: str) -> Behaviour:
        """What `lines=2&slow=0.5` asks for.

        Raises:
            BadOption: There is no such parameter, or its value is no number.
        """
        kinds = {name.rstrip("_"): kind for name, kind in get_type_hints(cls).items()}
        values = {}
        for name, text in parse_qsl(parameters, keep_blank_values=True):
            if name not in kinds:
                raise BadOption(
                    f"The model fake has no parameter {name!r}; {nearest(name, kinds)}"
                )
            try:
                values["break_" if name == "break" else name] = kinds[name](text)
            except ValueError:
                raise BadOption(f"The fake's {name} must be a number, not {text!r}.") from None
        return cls(**values)


def open_engine(settings: Settings, parameters: str = "") -> Engine:
    """A fake engine; see the module for the parameters.

    Raises:
        BadOption: A parameter is wrong.
    """
    return FakeEngine(Behaviour.parse(parameters))


def vet(settings: Settings, parameters: str) -> None:
    """See whether the parameters are right.

    Raises:
        BadOption: One is not.
    """
    Behaviour.parse(parameters)


class FakeEngine:
    """Says of each page how large it is; see `ports.Engine`."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._closed = threading.Event()
        self._kept: list[bytearray] = []

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        code = find(language).code
        return ModelInfo(name="fake", engine="fake", version="1", runtime="none", language=code)

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`."""
        find(language)
        for number, image in enumerate(images, 1):
            self._misbehave(number, image.pixels.shape[1])
            yield self._reading(number, image)

    def close(self) -> None:
        """Stop waiting."""
        self._closed.set()
        self._kept.clear()

    def _misbehave(self, number: int, width: int) -> None:
        if self._behaviour.crash == number or self._behaviour.fatal == width:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._behaviour.break_ == number:
            raise EngineFailed(f"The fake engine broke at page {number}, as told.")
        if self._behaviour.slow:
            self._closed.wait(self._behaviour.slow)
        if self._behaviour.memory:
            self._kept.append(bytearray(b"\1") * (self._behaviour.memory * MB))

    def _reading(self, number: int, image: PageImage) -> PageReading:
        if self._behaviour.fail == number:
            message = f"The fake engine failed on page {number}, as told."
            return PageReading(lines=(), error=Failure(code="engine_failed", message=message))
        height, width = image.pixels.shape[:2]
        count = self._behaviour.lines
        return PageReading(
            lines=tuple(
                _line(
                    f"{width} by {height}", width, height * i / count, height * (i + 1) / count
                )
                for i in range(count)
            )
        )


def _line(text: str, width: float, top: float, bottom: float) -> Line:
    polygon = polygon_of((0.0, top, float(width), bottom))
    names = text.split(" ")
    words = tuple(
        Word(
            text=name,
            polygon=part_of(polygon, i / len(names), (i + 1) / len(names)),
            confidence=1.0,
        )
        for i, name in enumerate(names)
    )
    return Line(text=text, polygon=polygon, confidence=1.0, words=words)
