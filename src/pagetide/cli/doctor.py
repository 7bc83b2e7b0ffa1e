"""`pagetide doctor`: what is installed here, and whether reading works."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from pagetide.document import Document
    from pagetide.reading import Reader

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
SELF_TEST = Path(__file__).with_name("self_test.png")


@click.command()
@click.pass_context
def doctor(context: click.Context, /) -> None:
    """Show versions, processor, runtime and models, and read ten lines as a test."""
    for title, text in _facts():
        click.echo(f"{title:<10} {text}")
    open_reader = cast("Callable[[], Reader] | None", context.obj) or _open_reader
    wrong = 0
    for title, text, good in _self_test(open_reader):
        click.echo(f"{title:<10} {text}")
        wrong += not good
    context.exit(70 if wrong else 0)


def _open_reader() -> Reader:
    from pagetide.wiring import open_reader

    return open_reader()


def _facts() -> Iterator[tuple[str, str]]:
    import platform
    from importlib.metadata import version

    from pagetide import cpu
    from pagetide.cli.models import state
    from pagetide.models import MODELS
    from pagetide.settings import Settings, available_cores

    settings = Settings.from_environment()
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield "pagetide", f"{version('pagetide')}, {system}"
    yield "packages", ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    has = cpu.features()
    features = " ".join(name for name in CPU_FEATURES if name in has) or "none of note"
    yield "processor", f"{cpu.model_name()}: {features}"
    used = settings.threads or available_cores()
    yield "cores", f"{available_cores()} for this process, {used} for the engine"
    yield "cache", str(settings.cache_folder or "off")
    yield "models", ", ".join(f"{name} {state(name)}" for name in MODELS)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _self_test(open_reader: Callable[[], Reader]) -> Iterator[tuple[str, str, bool]]:
    """What the reading of the bundled picture gave: title, text, and whether it is good."""
    wanted = SELF_TEST.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    start = time.monotonic()
    with open_reader() as reader:
        document = reader.read(SELF_TEST)
    seconds = time.monotonic() - start
    yield "runtime", document.model.runtime, True
    got = _lines(document)
    missed = [line for line in wanted if line not in got]
    right = len(wanted) - len(missed)
    yield "self-test", f"{right} of {len(wanted)} lines right in {seconds:.1f} s", not missed
    for line in missed:
        yield "", f"not found: {line}", False


def _lines(document: Document) -> set[str]:
    return {line.text for page in document.pages for line in page.lines}
