"""`pagetide models`: what can be asked for, and whether it is here."""

from __future__ import annotations

import click


@click.command()
@click.option("--languages", "list_languages", is_flag=True, help="List the languages.")
def models(list_languages: bool) -> None:
    """List the models and whether they are installed."""
    lines = _languages() if list_languages else _models()
    click.echo("\n".join(lines))


def _models() -> list[str]:
    from pagetide.wiring import MODELS

    return [f"{name:<12} {state(name):<8} {entry.summary}" for name, entry in MODELS.items()]


def state(model: str) -> str:
    """`here`, or `missing` where the model's files are not installed."""
    from pagetide.engines.ppocr.weights import bundled
    from pagetide.errors import ModelUnavailable

    if model == "pp-ocrv6":
        try:
            bundled()
        except ModelUnavailable:
            return "missing"
    return "here"


def _languages() -> list[str]:
    from pagetide.languages import languages

    return [
        f"{one.code:<12} {one.name:<28} {one.script:<11} "
        + (one.model if one.bundled else f"needs {one.model}")
        + (f", which lacks {len(one.missing_letters)} letters" if one.missing_letters else "")
        for one in languages()
    ]
