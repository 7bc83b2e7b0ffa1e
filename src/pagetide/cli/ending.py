"""How the program ends: one line on the error stream and an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from pagetide.errors import CannotWrite, PagetideError

USAGE, INTERRUPTED, READER_GONE = 64, 130, 141


class ReaderGone(Exception):
    """Who read our output has stopped reading."""


class Interrupted(Exception):
    """The user wants it to end."""


class Program(click.Group):
    """A click group that turns every error into one line and its exit code."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command and exit; see `click.Group.main`."""
        extra["standalone_mode"] = False
        given = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(given, *rest, **extra)
        except Exception as error:
            if "--debug" in given:
                traceback.print_exc()
            code = _show(error)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; see `click.Group.invoke`."""
        try:
            with _interrupts_noted():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None


_interrupted = threading.Event()


@contextmanager
def _interrupts_noted() -> Iterator[None]:
    """Note an interrupt as well as raise it, where Python's own handler would raise it."""

    def noted(*_: object) -> None:
        _interrupted.set()
        raise KeyboardInterrupt

    _interrupted.clear()
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    told = sys.unraisablehook
    sys.unraisablehook = lambda lost: lost.exc_type is KeyboardInterrupt or told(lost)
    signal.signal(signal.SIGINT, noted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = told


def heed_interrupt() -> None:
    """Raise an interrupt that was lost.

    What is raised while Python tidies up, as where the threads of a document that is read
    go, ends nowhere; Python alone would print that it ignored it, and go on.

    Raises:
        KeyboardInterrupt: There was one.
    """
    if _interrupted.is_set():
        raise KeyboardInterrupt


def version(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the version and exit, where asked to."""
    if wanted:
        from importlib.metadata import version as installed

        click.echo(f"pagetide {installed('pagetide')}")
        context.exit()


def complain(message: str) -> None:
    """Write one line on the error stream."""
    click.echo("pagetide: " + printable(" ".join(message.split())), err=True)


def printable(text: str) -> str:
    """A line for a terminal: what a file's name could command it to do is spelt out."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def emit(content: bytes) -> None:
    """Write to the standard output at once.

    Raises:
        ReaderGone: Nobody reads it any more.
        CannotWrite: It takes no more, such as a full disk.
    """
    out, rest = sys.stdout.buffer, memoryview(content)
    try:
        while rest:
            # With PYTHONUNBUFFERED this is a bare file, which may take a part only.
            rest = rest[out.write(rest) :]
        out.flush()
    except BrokenPipeError:
        # Python would try to write the rest at exit, and complain.
        _leave(out)
        raise ReaderGone from None
    except OSError as error:
        _leave(out)
        raise CannotWrite(f"The standard output cannot be written: {error.strerror}.") from None


def _leave(out: BinaryIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _show(error: Exception) -> int:
    """Tell the user about the error; the exit code."""
    if isinstance(error, PagetideError):
        complain(error.message)
        return error.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return USAGE
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "pagetide"
        complain(f"{error.format_message()} Try '{command} --help'.")
        return USAGE
    if isinstance(error, Interrupted | click.Abort):
        complain("Interrupted.")
        return INTERRUPTED
    if isinstance(error, ReaderGone):
        return READER_GONE
    complain(f"Internal error: {_place(error)}; --debug shows more.")
    return PagetideError.exit_code


def _place(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
