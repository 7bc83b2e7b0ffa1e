"""`pagetide completion`: a shell that completes commands, options and their values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What the start-up file says, where the shell does not find the script by itself.
_LOADED = {
    "bash": "source {script}",
    "zsh": "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; };"
    " source {script}",
}


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option(
    "--install",
    is_flag=True,
    help="Install the script so that SHELL loads it, instead of printing it.",
)
@click.pass_context
def completion(context: click.Context, /, shell: str, install: bool) -> None:
    """Print the completion script for SHELL: commands, options and their values.

    With --install the script is written below the home folder. For bash and zsh one line is
    added to .bashrc or .zshrc. The names of the files are printed.
    """
    script = _script(context.find_root().command, shell)
    if not install:
        click.echo(script)
        return
    for path in _installed(shell, script, Path.home()):
        click.echo(str(path))


def files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Have the shell complete a file's name."""
    return _of_kind(incomplete, "file")


def folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Have the shell complete a folder's name."""
    return _of_kind(incomplete, "dir")


def models(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The models whose names begin so."""
    from pagetide.engines.catalogue import offered

    return [name for name in offered() if name.startswith(incomplete)]


def _of_kind(incomplete: str, kind: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]


def _script(program: click.Command, shell: str) -> str:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind  # noqa: S101  # click knows these three
    complete = kind(program, {}, "pagetide", "_PAGETIDE_COMPLETE")
    return complete.source_template % complete.source_vars()


def _installed(shell: str, script: str, home: Path) -> Iterator[Path]:
    """Put the script where the shell finds it; the files that were written."""
    from pagetide.system.part_file import part_file

    place = home / ".local" / "share" / "pagetide" / f"completion.{shell}"
    if shell == "fish":
        place = home / ".config" / "fish" / "completions" / "pagetide.fish"
    with part_file(place) as file:
        file.write(script.encode())
    yield place
    if shell in _LOADED and _add_line(home / f".{shell}rc", _line(shell, place)):
        yield home / f".{shell}rc"


def _line(shell: str, script: Path) -> str:
    import shlex

    return _LOADED[shell].replace("{script}", shlex.quote(str(script)))


def _add_line(file: Path, line: str) -> bool:
    """Add a line to a file that lacks it; whether it did.

    Raises:
        CannotWrite: The file cannot be read or written.
    """
    from pagetide.errors import CannotWrite

    try:
        there = file.read_bytes() if file.exists() else b""
        if line.encode() in there.splitlines():
            return False
        with file.open("ab") as opened:
            opened.write(b"\n" * (not there.endswith(b"\n") and bool(there)))
            opened.write(f"{line}\n".encode())
    except OSError as error:
        reason = error.strerror or "it fails"
        raise CannotWrite(f"{file} cannot be written: {reason}.") from None
    return True
