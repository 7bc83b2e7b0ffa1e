"""Charts, formulas and seals: which of them a model of ours reads, and what is said if not.

PaddleOCR's clients ask for them whatever the document. So that is taken of any model, and
the answer says what was not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl

from pagetide.document import Block, Notice, Page
from pagetide.engines.catalogue import VL
from pagetide.server.compat.raw_pages import UPSTREAM

KINDS = ("chart", "formula", "seal")  # of blocks, and what is asked for by them
NOT_RECOGNISED = "not_recognised"
_ON = frozenset({"yes", "true", "1", "on"})


def done(model: str) -> dict[str, bool]:
    """The kinds of blocks whose content a model of ours reads, beyond their text."""
    name, _, query = model.partition("?")
    if name != VL:
        return dict.fromkeys(KINDS, False)
    options = dict(parse_qsl(query))
    on = {kind: options.get(f"{kind}s", "no").lower() in _ON for kind in ("chart", "seal")}
    return {"chart": on["chart"], "formula": True, "seal": on["seal"]}


def settings(model: str) -> dict[str, bool]:
    """The same in the words of PaddleOCR's `model_settings`."""
    return {f"use_{kind}_recognition": is_done for kind, is_done in done(model).items()}


def missed(page: Page, model: str) -> Iterator[Notice]:
    """A page's blocks that its model could not read, beyond their text."""
    known = done(page.model.name if page.model else model)
    return (_missed(block) for block in page.blocks if not known.get(block.kind, True))


def not_had(model: str, kinds: Iterable[str]) -> Iterator[Notice]:
    """What was asked for of all pages, and the model cannot do.

    Args:
        model: Ours. PaddleOCR's own pipelines refuse by themselves what they cannot.
        kinds: Kinds of blocks.
    """
    known = {} if model.partition("?")[0] in UPSTREAM else done(model)
    for kind in kinds:
        if not known.get(kind, True):
            option = f"`use{kind.title()}Recognition`"
            message = f"{option} was asked for; the model {model} does not read {kind}s."
            yield Notice(code=NOT_RECOGNISED, message=message)


def _missed(block: Block) -> Notice:
    message = f"Block {block.order} is a {block.kind}, which this model does not read."
    return Notice(code=NOT_RECOGNISED, message=message)
