"""What this machine needs: for a page, through the library, and for a worker's start."""

from __future__ import annotations

import http.client
import json
import math
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pagetide.errors import BadOption, PagetideError
from pagetide.reading import Reader, opening
from pagetide.server.scaling.simulate.workers.machine import Machine
from pagetide.settings import Settings
from pagetide.system.cpu import model_name

LEAST_PAGES = 24  # are read for one measurement, the samples again and again
ROUNDS = 3
READY_S = 120.0  # a worker that is not ready by then never will be
ALONE_S = "3"  # for so many seconds a worker is there, should nobody be left to end it
_ASK_S = 0.01


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What was measured on one machine.

    Attributes:
        page_s: Seconds a page, pages of several documents side by side as a worker reads them.
        cold_start_s: From a worker's being started until it is ready, its model loaded.
        pages: Pages that were read for it.
        model: What read them.
        processor: What it was measured on.
        cores: How many of its cores.
        measured: The day.
    """

    page_s: float
    cold_start_s: float
    pages: int
    model: str
    processor: str
    cores: int
    measured: str

    def of(self, machine: Machine) -> Machine:
        """A worker with these times."""
        return replace(machine, page_s=self.page_s, cold_start_s=self.cold_start_s)

    def text(self) -> str:
        """As a TOML file."""
        rows = (
            ("page_s", f"{self.page_s:.4f}"),
            ("cold_start_s", f"{self.cold_start_s:.3f}"),
            ("pages", str(self.pages)),
            ("model", json.dumps(self.model)),
            ("processor", json.dumps(self.processor)),
            ("cores", str(self.cores)),
            ("measured", json.dumps(self.measured)),
        )
        return "".join(f"{name} = {value}\n" for name, value in rows)


def read_calibration(path: Path) -> Calibration:
    """What `Calibration.text` wrote.

    Raises:
        BadOption: The file cannot be read, or is something else; the message says what.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        found = Calibration(
            page_s=float(told["page_s"]),
            cold_start_s=float(told["cold_start_s"]),
            pages=int(told.get("pages", 0)),
            model=str(told.get("model", "")),
            processor=str(told.get("processor", "")),
            cores=int(told.get("cores", 0)),
            measured=str(told.get("measured", "")),
        )
    except OSError as error:
        raise BadOption(f"The calibration {path} cannot be read: {error.strerror}.") from error
    except KeyError as error:
        raise BadOption(f"The calibration {path} has no {error.args[0]}.") from None
    except (ValueError, TypeError) as error:
        raise BadOption(f"The calibration {path} is not as --calibrate writes it.") from error
    if not (math.isfinite(found.page_s) and found.page_s > 0 and found.cold_start_s >= 0):
        raise BadOption(f"The calibration {path} has times that no worker can have.")
    return found


def calibrate(
    settings: Settings, samples: Sequence[Path], model: str, *, cores: int, today: str
) -> Calibration:
    """Measure this machine, which should have nothing else to do.

    Args:
        settings: As given; only the store and the queue are others, in a folder of their own.
        samples: Documents like yours.
        model: What is to read them.
        cores: How many cores a worker may use.
        today: The day, for the record.

    Raises:
        PagetideError: A sample cannot be read, or no worker becomes ready.
    """
    settings = replace(settings, threads=cores)
    page_s, pages = page_time(samples, model, cores)
    return Calibration(
        page_s=page_s,
        cold_start_s=cold_start(settings, model),
        pages=pages,
        model=model,
        processor=model_name(),
        cores=cores,
        measured=today,
    )


def page_time(samples: Sequence[Path], model: str, cores: int) -> tuple[float, int]:
    """Seconds a page, the middle of three rounds, and how many pages a round had."""
    with opening.open_reader(model, threads=cores) as reader:
        once = _read(reader, samples)
        many = list(samples) * max(1, math.ceil(LEAST_PAGES / max(1, once)))
        taken, pages = [], 0
        for _ in range(ROUNDS):
            began = time.perf_counter()
            pages = _read(reader, many)
            taken.append((time.perf_counter() - began) / pages)
    return statistics.median(taken), pages


def _read(reader: Reader, samples: Sequence[Path]) -> int:
    """Read them all; how many pages they have."""
    pages = 0
    for _, result in reader.read_many(samples):
        if isinstance(result, PagetideError):
            raise result
        pages += len(result.pages)
    return pages


def cold_start(settings: Settings, model: str) -> float:
    """Seconds until a `pagetide worker` process is ready, the middle of three."""
    with tempfile.TemporaryDirectory() as folder:
        own = replace(
            settings, data_dir=folder, store="", blobs="", results="", queue="store:",
            warm_models=(model,), pools={},
        )  # fmt: skip
        return statistics.median(_until_ready(own) for _ in range(ROUNDS))


def _until_ready(settings: Settings) -> float:
    port = _free_port()
    words = ("worker", "--health-port", str(port), "--idle-exit", ALONE_S)
    began = time.perf_counter()
    worker = subprocess.Popen(  # noqa: S603 - our own program, by our own Python
        [sys.executable, "-P", "-m", "pagetide", *words],
        env=settings.as_environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        while time.perf_counter() - began < READY_S and worker.poll() is None:
            if _is_ready(port):
                return time.perf_counter() - began
            time.sleep(_ASK_S)
    finally:
        worker.terminate()
        worker.wait()
    raise BadOption("No worker becomes ready here; `pagetide doctor` may say why.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


def _is_ready(port: int) -> bool:
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        asked.request("GET", "/health/ready")
        return asked.getresponse().status == 200
    except OSError:
        return False
    finally:
        asked.close()
