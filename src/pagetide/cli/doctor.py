"""`pagetide doctor`: what is installed here, whether its parts answer and reading works."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from pagetide.cli.checks.examination import Part
    from pagetide.document import Document, Page
    from pagetide.reading import Reader
    from pagetide.settings import Settings

PACKAGES = (
    "openvino",
    "onnxruntime",
    "onnxruntime-gpu",
    "rapidocr",
    "numpy",
    "opencv-python-headless",
    "pypdfium2",
    "pypdf",
    "pillow",
)
CPU_FEATURES = (
    "avx2",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "amx_tile",
    "amx_bf16",
    "amx_int8",
)
RUNTIMES = ("openvino", "onnxruntime")
SELF_TEST = Path(__file__).with_name("self_test.png")
PAGES = 6  # are read to say how fast this machine is


@click.command()
@click.option(
    "--parts",
    "names",
    metavar="LIST",
    help="Check only these parts, such as store,blobs,queue, even if no setting names them.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0.1, 600),
    default=10,
    show_default=True,
    help="Timeout of one check, in seconds.",
)
@click.option(
    "--self-test/--no-self-test",
    default=True,
    help="Read the ten test lines and measure the speed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor(
    context: click.Context, /, names: str | None, limit: float, self_test: bool, as_json: bool
) -> None:
    """Show what is installed, check each configured part, and read ten lines as a test.

    A check uses the part: it writes, reads back and removes. The exit code is 0 only if nothing
    is wrong.
    """
    from dataclasses import replace

    from pagetide.cli.checks.examination import examine
    from pagetide.cli.diagnosis import Json, Words
    from pagetide.settings import Settings
    from pagetide.telemetry.logs import configure

    settings = Settings.from_environment()
    configure(replace(settings, log_level="warning"))
    chosen = _chosen(settings, names)
    tell = Json() if as_json else Words()
    for title, text in _facts(settings):
        tell.fact(title, text)
    for part in chosen:
        tell.finding(examine(part, settings, limit))
    if self_test:
        open_reader = cast("Callable[[], Reader] | None", context.obj) or _open_reader
        for title, text, good in _self_test_here(open_reader):
            tell.test(title, text, good)
    tell.end()
    _leave(context, 70 if tell.wrong else 0)


def _leave(context: click.Context, code: int) -> None:
    """End, without waiting for the threads of a library that a hanging check is in."""
    from pagetide.cli.checks.examination import hanging

    if hanging():
        sys.stdout.flush()
        os._exit(code)
    context.exit(code)


def _chosen(settings: Settings, names: str | None) -> list[Part]:
    """The parts to check: these, or all that are set.

    Raises:
        UsageError: There is no such part.
    """
    from pagetide.cli.checks.parts import PARTS, configured

    if names is None:
        return [PARTS[name] for name in configured(settings)]
    chosen = list(filter(None, map(str.strip, names.split(","))))
    for name in chosen:
        if name not in PARTS:
            raise click.UsageError(
                f"There is no part {name!r}; known parts: {', '.join(PARTS)}."
            )
    return [PARTS[name] for name in chosen]


def _open_reader() -> Reader:
    from pagetide.reading.opening import open_reader

    return open_reader()


def _facts(settings: Settings) -> Iterator[tuple[str, str]]:
    import platform
    from importlib.metadata import version

    from pagetide.engines.catalogue import offered
    from pagetide.settings import available_cores
    from pagetide.system import cpu

    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield "pagetide", f"{version('pagetide')}, {system}"
    yield "packages", ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    has = cpu.features()
    features = " ".join(name for name in CPU_FEATURES if name in has) or "none of note"
    yield "processor", f"{cpu.model_name()}: {features}"
    used = settings.threads or available_cores()
    yield "cores", f"{available_cores()} for this process, {used} for the engine"
    yield "sandbox", _confinement(settings)
    yield "cache", str(settings.cache_folder or "off")
    yield "trusted", _trusted()
    yield "models", ", ".join(f"{name} {_state(name)}" for name in offered())


def _confinement(settings: Settings) -> str:
    """What confines the process that opens documents, and what should and does not."""
    from pagetide.errors import PagetideError
    from pagetide.inputs import Limits, Sandbox
    from pagetide.inputs.confinement import missing

    try:
        with Sandbox(Limits.of(settings)) as sandbox:
            layers = sandbox.confined()
    except PagetideError as error:
        return error.message
    lacking = missing(layers)
    return " ".join(layers) + (f"; missing: {' '.join(lacking)}" if lacking else "")


def _state(model: str) -> str:
    """See `models.state`; a model whose packages are not installed is missing, too."""
    from pagetide.cli.reading.models import state

    try:
        return state(model)
    except ImportError:
        return "missing"


def _trusted() -> str:
    """The networks here that are not pinned: nobody knew their hashes before they came."""
    from pagetide.cli.reading.models import trusted

    return f"on first use: {trusted() or 'none of the networks here'}"


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _self_test_here(
    open_reader: Callable[[], Reader],
) -> Iterator[tuple[str, str, bool | None]]:
    """See `_self_test`; what keeps it from being done is told likewise."""
    from importlib.util import find_spec

    from pagetide.errors import PagetideError

    if not any(map(find_spec, RUNTIMES)):
        yield "self-test", "skipped: no model runtime is installed here", None
        return
    try:
        yield from _self_test(open_reader)
    except PagetideError as error:
        yield "self-test", f"wrong: {error.message}", False


def _self_test(open_reader: Callable[[], Reader]) -> Iterator[tuple[str, str, bool]]:
    """What the reading of the bundled picture gave: title, text, and whether it is good."""
    wanted = SELF_TEST.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    start = time.monotonic()
    with open_reader() as reader:
        document = reader.read(SELF_TEST)
        seconds = time.monotonic() - start
        yield "runtime", document.model.runtime, True
        yield "networks", ", ".join(document.model.parts.values()), True
        got = _lines(document)
        missed = [line for line in wanted if line not in got]
        right = len(wanted) - len(missed)
        told = f"{right} of {len(wanted)} lines right in {seconds:.1f} s, including opening"
        yield "self-test", told, not missed
        for line in missed:
            yield "", f"not found: {line}", False
        if not missed:
            yield "speed", _speed(reader, document.pages[0]), True


def _speed(reader: Reader, read: Page) -> str:
    """How fast pages are read here: the picture of one, six times on each."""
    import numpy as np

    from pagetide.errors import PagetideError

    page = np.tile(np.asarray(read.image()), (3, 2, 1))
    lines = len(reader.read(page).pages[0].lines)  # its networks are made by the way
    start = time.monotonic()
    for _, document in reader.read_many([page] * PAGES):
        if isinstance(document, PagetideError):
            raise document
    seconds = time.monotonic() - start
    return (
        f"about {60 * PAGES / seconds:.0f} pages per minute with {lines} short lines"
        f" each ({PAGES} took {seconds:.1f} s)"
    )


def _lines(document: Document) -> set[str]:
    return {line.text for page in document.pages for line in page.lines}
