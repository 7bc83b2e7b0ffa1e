"""Options that several commands take, and what is checked of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from pagetide.cli.completion import files, models

Command = TypeVar("Command", bound=Callable[..., Any])


def pairs(
    context: click.Context, option: click.Parameter, values: Iterable[str]
) -> dict[str, str]:
    """What was given as `NAME=VALUE`, by name."""
    parted = [value.partition("=") for value in values]
    for name, sign, _ in parted:
        if not (name and sign):
            raise click.BadParameter("write NAME=VALUE.")
    return {name: value for name, _, value in parted}


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order in the help."""

    def added(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return added


text_layer = click.option(
    "--text-layer",
    type=click.Choice(["auto", "never", "only"]),
    default="auto",
    show_default=True,
    help="Use a page's own text: where it can be trusted, never, or only this text.",
)
dpi = click.option(
    "--dpi",
    type=click.FloatRange(72, 600),
    default=144,
    show_default=True,
    help="Resolution for rendering PDF pages, in pixels per inch.",
)
# How a document is read.
reading = together(
    click.option("--pages", metavar="RANGE", help='Such as "1-3,7,-1", "5-" or "-3-".'),
    click.option(
        "--lang",
        "language",
        metavar="CODE",
        default="auto",
        show_default=True,
        help="The language, such as en, de, zh or ja;"
        " `pagetide models --languages` lists them.",
    ),
    click.option(
        "--model",
        default="structure-lite",
        show_default=True,
        shell_complete=models,
        help="Model that reads pictures.",
    ),
    click.option(
        "--option",
        "model_options",
        metavar="NAME=VALUE",
        multiple=True,
        callback=pairs,
        help="An option of the model, such as use_seal_recognition=true; can be repeated.",
    ),
    text_layer,
    click.option(
        "--barcodes", is_flag=True, help="Find bar codes and QR codes; they are in the JSON."
    ),
    click.option(
        "--password",
        metavar="TEXT",
        help="Password for encrypted PDFs. Other users can see it here.",
    ),
    click.option(
        "--password-file",
        type=click.File(encoding="utf-8"),
        help="A file whose first line is the password; - reads standard input.",
    ),
    click.option("--ask-password", is_flag=True, help="Prompt for the password."),
    dpi,
)
line_breaks = click.option(
    "--line-breaks",
    type=click.Choice(["join", "keep"]),
    default="join",
    show_default=True,
    help="Whether md, txt and html join the lines of a paragraph or keep them.",
)
chunking = together(
    click.option(
        "--chunk-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        default=512,
        show_default=True,
        help="For the format chunks: maximum words per chunk, including its headings.",
    ),
    click.option(
        "--chunk-overlap",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="For the format chunks: words repeated from the end of the previous chunk.",
    ),
)
# When a person is to look at a result; not given means as the server is set.
review = together(
    click.option(
        "--review-below",
        type=click.FloatRange(0, 1),
        metavar="0-1",
        help="A person reviews results that have a line with lower confidence; 0 turns"
        " this off.",
    ),
    click.option(
        "--review-sums/--no-review-sums",
        default=None,
        help="Whether a person reviews bills whose sums do not add up.",
    ),
    click.option(
        "--review-sample",
        type=click.FloatRange(0, 1),
        metavar="0-1",
        help="A person reviews this share of all results.",
    ),
)
server = together(
    click.option("--server", metavar="URL", help="The server. [default: PAGETIDE_SERVER]"),
    click.option(
        "--key",
        metavar="KEY",
        help="An API key. Other users can see it here, but not in PAGETIDE_KEY.",
    ),
)


def sources(metavar: str) -> Callable[[Command], Command]:
    """What is to be read."""
    return click.argument(
        "sources", nargs=-1, required=True, metavar=metavar, shell_complete=files
    )


def formats(known: Sequence[str], default: str) -> Callable[[Command], Command]:
    """What results are written in, as a tuple of names."""

    def names(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
        chosen = tuple(dict.fromkeys(part.strip().lower() for part in value.split(",")))
        for name in chosen:
            if name not in known:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(known)}.")
        return chosen

    def completed(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known if name.startswith(last)]

    return click.option(
        "-f",
        "--format",
        "formats",
        metavar="LIST",
        default=default,
        show_default=True,
        callback=names,
        shell_complete=completed,
        help=f"One or more of {', '.join(known)}.",
    )


def passwords_in_one(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the password, in whichever way it was given, as `password`.

    Raises:
        UsageError: It was given in several ways.
    """
    file, ask = options.pop("password_file"), options.pop("ask_password")
    if sum([options["password"] is not None, file is not None, ask]) > 1:
        raise click.UsageError("Give the password in one way only.")
    if file is not None:
        options["password"] = file.readline().rstrip("\r\n")
    if ask:
        options["password"] = click.prompt("Password", hide_input=True, err=True)
    return options


def stdin() -> bytes:
    """What the standard input holds, and no more than shows that it is too much."""
    from pagetide.settings import Settings

    # One byte past the limit is enough to be refused, however much there is.
    content: bytes = sys.stdin.buffer.read(Settings.from_environment().max_bytes + 1)
    return content
