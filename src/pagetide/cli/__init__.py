"""The command line. Only click is imported until a command runs, so that help comes fast."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress

import click

from pagetide.cli.completion import completion
from pagetide.cli.doctor import doctor
from pagetide.cli.ending import Program, version
from pagetide.cli.reading.extract import extract
from pagetide.cli.reading.models import models
from pagetide.cli.reading.read import read
from pagetide.cli.scaling.autoscaler import autoscaler
from pagetide.cli.scaling.scaler import scaler
from pagetide.cli.scaling.simulate import simulate
from pagetide.cli.serving.batch_run import batch
from pagetide.cli.serving.jobs import jobs
from pagetide.cli.serving.keys import keys
from pagetide.cli.serving.mcp import mcp
from pagetide.cli.serving.migrate import migrate
from pagetide.cli.serving.processes import sweep, worker
from pagetide.cli.serving.serve import api, serve
from pagetide.cli.serving.submit import submit
from pagetide.cli.serving.watch import watch


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, callback=version, expose_value=False, is_eager=True)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def program(debug: bool) -> None:
    """Read documents: PDFs and pictures to text, boxes and reading order."""


program.add_command(read)
program.add_command(extract)
program.add_command(submit)
program.add_command(watch)
program.add_command(batch)
program.add_command(jobs)
program.add_command(keys)
program.add_command(models)
program.add_command(doctor)
program.add_command(completion)
program.add_command(serve)
program.add_command(api)
program.add_command(mcp)
program.add_command(worker)
program.add_command(sweep)
program.add_command(scaler)
program.add_command(autoscaler)
program.add_command(simulate)
program.add_command(migrate)


def main() -> None:
    """Run the program and end the process with its exit code."""
    # A long document is millions of small tuples and hardly a cycle: with the usual thresholds
    # the collector took a tenth of the 10-K's time.
    gc.set_threshold(100_000, 50, 100)
    try:
        program(prog_name="pagetide")
    except SystemExit as ended:
        if sys.argv[1:2] == ["read"] and isinstance(ended.code, int):
            _leave(ended.code)
        raise


def _leave(exit_code: int) -> None:
    """End at once: to take a reader's networks apart on the way out takes Python 0.15 s."""
    with suppress(OSError):  # then Python tells of it, as it does
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(exit_code)
