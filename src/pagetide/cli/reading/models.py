"""`pagetide models`: what can be asked for, whether it is here, and how more is had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pagetide.engines.models import Listed, Weights
    from pagetide.settings import Settings

_SHOWN = 8  # letters
_listed_languages = click.option(
    "--languages", "list_languages", is_flag=True, help="List the languages instead."
)


_listed_all = click.option(
    "--all", "list_all", is_flag=True, help="List every format of every network."
)


@click.group(invoke_without_command=True)
@_listed_languages
@_listed_all
@click.pass_context
def models(context: click.Context, /, list_languages: bool, list_all: bool) -> None:
    """List, pull, verify and locate models.

    Without a command it lists them.
    """
    if context.invoked_subcommand is None:
        _show(list_languages, list_all)


@models.command("list")
@_listed_languages
@_listed_all
def list_models(list_languages: bool, list_all: bool) -> None:
    """List the models and the networks they use."""
    _show(list_languages, list_all)


@models.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--lang", "language", metavar="CODE", help="Pull the networks for this language.")
@click.option(
    "--pool",
    "pools",
    metavar="NAME",
    multiple=True,
    help="Pull the networks for this pool of PAGETIDE_POOLS; can be repeated.",
)
@click.option(
    "--to",
    metavar="URL",
    help="Also copy them to this mirror, even if they were already here.",
)
@click.option(
    "--from",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look in this folder first.",
)
@click.option("--again", is_flag=True, help="Fetch again even if already here.")
@click.option(
    "--trust-first-use",
    "trust",
    is_flag=True,
    help="Accept networks without a known hash, and record the hash.",
)
@click.option(
    "--write-back/--no-write-back",
    default=None,
    help="Copy networks from the hub to the mirror, PAGETIDE_MODELS_MIRROR.",
)
def pull(
    names: tuple[str, ...],
    language: str | None,
    pools: tuple[str, ...],
    to: str | None,
    folder: Path | None,
    again: bool,
    trust: bool,
    write_back: bool | None,
) -> None:
    """Fetch networks from a folder, the mirror or the hub.

    NAME is a network, or a model such as pp-structurev3, which means all its networks. Prints
    the folder of each fetched network.
    """
    from pagetide.cli.ending import complain

    weights, settings = _weights()
    wanted = [one for name in names for one in weights.names_of(name)]
    if language:
        wanted.append(_reader_of(language))
    wanted += [name for pool in pools for name in _networks_of(settings, pool)]
    if not (wanted or pools):
        raise click.UsageError(
            "Name a network or a model, a language with --lang, or a pool with --pool."
        )
    trust = trust or settings.trust_first_use
    for name in dict.fromkeys(wanted):
        place = weights.pull(
            name, complain, folder=folder, again=again, write_back=write_back, trust=trust
        )
        click.echo(str(place))
        if to:
            weights.copy(name, to, complain)


@models.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
def verify(names: tuple[str, ...]) -> None:
    """Check that the files of networks are unchanged.

    Without NAME it checks all networks that are here.
    """
    from pagetide.cli.ending import complain
    from pagetide.errors import ModelUnavailable

    weights, _ = _weights()
    wanted = [one for name in names for one in weights.names_of(name)] or [
        one.name for one in weights.list() if one.state != "missing"
    ]
    wrong = []
    for name in wanted:
        try:
            faults = weights.verify(name)
        except ModelUnavailable as missing:
            faults = (missing.message.rstrip("."),)
        for fault in faults:
            complain(f"{name}: {fault}.")
        click.echo(f"{name:<36} {'wrong' if faults else 'good'}")
        wrong += [name] if faults else []
    if wrong:
        again = " ".join(wrong)
        raise ModelUnavailable(
            f"{len(wrong)} of {len(wanted)} are damaged; run `pagetide models pull"
            f" --again {again}`."
        )


@models.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the folder of a network, or its file if a package contains it."""
    weights, _ = _weights()
    click.echo(str(weights.path(name)))


def state(model: str) -> str:
    """`here`, or `missing` where something that the model needs is not."""
    from pagetide.engines.catalogue import entry_of
    from pagetide.errors import PagetideError

    _, settings = _weights()
    entry, parameters = entry_of(model)
    try:
        entry.vet(settings, parameters)
    except PagetideError:
        return "missing"
    return "here"


def trusted() -> str:
    """The networks here whose hashes were not known before they came."""
    return ", ".join(one.name for one in _weights()[0].list() if one.trusted)


def _weights() -> tuple[Weights, Settings]:
    from pagetide.engines.models import Weights
    from pagetide.settings import Settings

    settings = Settings.from_environment()
    return Weights(settings), settings


def _reader_of(language: str) -> str:
    """The network that reads a language."""
    from pagetide.engines.ppocr.inference.weights import Choice
    from pagetide.languages import find

    return Choice().recogniser_name(find(language))


def _networks_of(settings: Settings, pool: str) -> tuple[str, ...]:
    """What a pool's models need, in its languages.

    Raises:
        BadOption: The settings name no such pool.
    """
    from pagetide.engines.provision import networks
    from pagetide.errors import BadOption, nearest

    known = settings.pools
    if pool.partition("-")[0] not in known:
        raise BadOption(f"PAGETIDE_POOLS names no pool {pool!r}; {nearest(pool, known)}")
    return networks(settings, pool)


def _show(list_languages: bool, list_all: bool) -> None:
    lines = _languages() if list_languages else _models(list_all)
    click.echo("\n".join(lines))


def _models(list_all: bool) -> Iterator[str]:
    from pagetide.engines.catalogue import MODELS, offered

    yield "Models:"
    for name in offered():
        yield f"  {name:<16} {state(name):<8} {MODELS[name].summary}"
    weights, _ = _weights()
    yield ""
    yield "Networks:"
    listed = weights.list()
    shown = [one for one in listed if list_all or not _is_another_form(one)]
    for one in shown:
        known = one.known
        what = f"{known.purpose}: {known.reads}" if known and known.reads else ""
        purpose = what or (known.purpose if known else "your own")
        pinned = "" if known is None or known.pinned else ", not pinned"
        pinned = ", trusted on first use" if one.trusted else pinned
        size = f"{one.bytes / 1e6:.1f} MB" if one.bytes else ""
        yield f"  {one.name:<42} {one.state:<9} {size:>8}  {purpose}{pinned}"
    if len(shown) < len(listed):
        yield f"  and {len(listed) - len(shown)} in PaddlePaddle's own formats: --all"


def _is_another_form(one: Listed) -> bool:
    return one.state == "missing" and one.name.endswith(("_onnx", "_paddle"))


def _languages() -> Iterator[str]:
    from pagetide.languages import languages

    here = {one.name: one.state for one in _weights()[0].list()}
    for one in languages():
        state = "bundled" if one.bundled else here.get(one.model, "missing")
        lacks = f", lacks {_some(one.missing_letters)}" if one.missing_letters else ""
        better = f", better with {one.better_model}" if one.better_model else ""
        yield (
            f"{one.code:<12} {one.name:<34} {one.script:<11} {one.model:<30} {state}"
            f"{lacks}{better}"
        )


def _some(letters: str) -> str:
    rest = f" and {len(letters) - _SHOWN} more letters" if len(letters) > _SHOWN else ""
    return " ".join(letters[:_SHOWN]) + rest
