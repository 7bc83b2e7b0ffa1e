"""Runs one PaddleOCR pipeline for the process that started it: a program of its own.

It is started with the Python that has PaddleOCR, which need not be ours and may be older (3.8),
so it imports nothing of Pagetide. `process.py` beside it says what goes over its pipes.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import shutil
import signal
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator  # noqa: UP035  # Python 3.8

if sys.path and Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
    del sys.path[0]  # else modules beside this one would stand in for others' of their names

Json = Dict[str, Any]  # noqa: UP006  # evaluated, unlike annotations

_LENGTHS = struct.Struct("<IQ")
_PARENT_CHECK_MS = 2000
_PACKAGES = (
    "paddleocr",
    "paddlex",
    "onnxruntime",
    "onnxruntime-gpu",
    "paddlepaddle",
    "paddlepaddle-gpu",
    "transformers",
)


class Refused(BaseException):
    """Something here tried to leave this machine.

    No `Exception`: PaddleX catches those, and tries again for half a minute.
    """


class Pipes:
    """The two pipes to the parent, out of reach of what a library prints or reads."""

    def __init__(self) -> None:
        self._hears = os.fdopen(os.dup(0), "rb")
        self._says = os.fdopen(os.dup(1), "wb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # what is printed belongs to the log

    def receive(self) -> tuple[Json, bytes] | None:
        """The next message and its payload; None where the parent is gone."""
        lengths = self._hears.read(_LENGTHS.size)
        if len(lengths) < _LENGTHS.size:
            return None
        header_length, payload = _LENGTHS.unpack(lengths)
        return json.loads(self._hears.read(header_length).decode()), self._hears.read(payload)

    def send(self, message: Json, payload: bytes = b"") -> None:
        """Send the parent a message."""
        header = json.dumps(message).encode()
        self._says.write(_LENGTHS.pack(len(header), len(payload)) + header)
        self._says.write(payload)
        self._says.flush()

    def die_with_parent(self, parent: int, home: str) -> None:
        """End this process once the parent is gone, whatever a library is at.

        Args:
            parent: Its id.
            home: The folder that it made for this process, and can remove no more.
        """
        poll = select.poll()
        poll.register(self._hears.fileno(), 0)
        while not poll.poll(_PARENT_CHECK_MS) and os.getppid() == parent:
            pass
        shutil.rmtree(home, ignore_errors=True)
        os._exit(0)


def main() -> None:
    """Make the pipeline that the first message asks for, then read a page per message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    pipes = Pipes()
    parent = (os.getppid(), sys.argv[1])
    threading.Thread(target=pipes.die_with_parent, args=parent, daemon=True).start()
    sys.addaudithook(_stay_here)
    first = pipes.receive()
    if first is None:
        return
    order = first[0]
    pipeline, answer = _opened(order)
    pipes.send(answer)
    while pipeline is not None:
        task = pipes.receive()
        if task is None:
            shutil.rmtree(sys.argv[1], ignore_errors=True)
            return
        pipes.send({"taken": True})  # from here on it is this page's fault
        pipes.send(*_read(pipeline, order["predict"], *task))


def _stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    # Every folder of weights is named to PaddleX: what it asks four hubs for is one that was
    # overlooked.
    if event == "socket.getaddrinfo":
        raise Refused(str(arguments[0]))
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        raise Refused(str(arguments[1][0]))


def _opened(order: Json) -> tuple[Any, Json]:
    """The pipeline and its reply to the parent; (None, why) where it cannot be made."""
    try:
        importlib.import_module("numpy")
        paddleocr = importlib.import_module("paddleocr")
    except ImportError as error:
        _log(error)
        return None, {"error": "missing", "type": error.name or type(error).__name__}
    try:
        started = time.perf_counter()
        made = getattr(paddleocr, order["class"])(**_arguments(order))
        return made, {"versions": versions(), "ms": _since(started)}
    except (Exception, Refused) as error:
        return None, _failure("start", error)


def _arguments(order: Json) -> Json:
    """The constructor's arguments, with what only the pipeline's configuration can say."""
    inference = importlib.import_module("paddlex.inference")
    arguments = {name: _by_class(value) for name, value in order["arguments"].items()}
    source = arguments.pop("paddlex_config", order["pipeline"])
    config = inference.load_pipeline_config(source)
    if source != order["pipeline"] and order["class"] == "PaddleOCR":
        # Told of no text network at all, it puts its own in place of the file's.
        detection = _section(config, ["SubModules", "TextDetection"])
        arguments.setdefault("text_detection_model_name", (detection or {}).get("model_name"))
    for place, value in order["config"].items():
        *names, key = place.split(".")
        section = _section(config, names)
        if section is not None:
            section[key] = value
    for module in _modules(config):
        if "engine" not in module and order["engine_config"]:
            module["engine_config"] = order["engine_config"]
    return dict(arguments, paddlex_config=config)


def _by_class(value: Any) -> Any:
    """JSON has no numbers for keys; PaddleX numbers the classes of a layout network."""
    if isinstance(value, dict) and value and all(key.isdigit() for key in value):
        return {int(key): each for key, each in value.items()}
    return value


def _section(config: Any, names: list[str]) -> Any:
    for name in names:
        config = config.get(name) if hasattr(config, "get") else None
    return config


def _modules(config: Any) -> Iterator[Any]:
    """The settings of every network of a pipeline's configuration."""
    for value in config.values():
        if hasattr(value, "values"):
            if "model_name" in value:
                yield value
            else:
                yield from _modules(value)


def _read(pipeline: Any, predict: Json, task: Json, pixels: bytes) -> tuple[Json, bytes]:
    """The reply to the parent for a page, and the pipeline's own result as JSON."""
    numpy = importlib.import_module("numpy")
    started = time.perf_counter()
    try:
        # A copy, since the pipeline paints over the formulas it has read.
        page = numpy.frombuffer(pixels, numpy.uint8).copy()
        page = page.reshape(task["height"], task["width"], 3)
        results = list(pipeline.predict(page, **predict))
        # What PaddleX does not support it leaves out, and only logs that.
        if len(results) != 1:
            return {"error": "count", "count": len(results)}, b""
        raw = json.dumps(results[0].json["res"], ensure_ascii=False).encode()
        return {"ms": _since(started)}, raw
    except MemoryError as error:
        return _failure("memory", error), b""
    except (Exception, Refused) as error:
        return _failure("page", error), b""


def _failure(kind: str, error: BaseException) -> Json:
    """An error for the parent: what kind it is of. Its text goes to the log."""
    _log(error)
    is_refused = isinstance(error, Refused)
    return {"error": "network" if is_refused else kind, "type": type(error).__name__}


def _log(error: BaseException) -> None:
    sys.stderr.write(f"{type(error).__name__}: {error}\n")
    sys.stderr.flush()


def versions() -> dict[str, str]:
    """The packages that matter here, with their versions; nothing of them is imported."""
    metadata = importlib.import_module("importlib.metadata")
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    if sys.argv[1:] == ["versions"]:
        sys.stdout.write(json.dumps(versions()))
    else:
        main()
