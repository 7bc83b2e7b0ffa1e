"""Values for pictures by a schema: a model's own, without proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pagetide.errors import PagetideError
from pagetide.reading.extraction.asking.model_server import ModelServer
from pagetide.reading.extraction.asking.prompts import Prompt
from pagetide.reading.extraction.asking.questions import Asking
from pagetide.reading.extraction.forms.answers_read import LeafAnswer, ReadAnswer, Tree
from pagetide.reading.extraction.forms.filling import filled
from pagetide.reading.extraction.forms.schema import form_of


def annotate(
    pictures: Sequence[bytes], schema: object, server: ModelServer
) -> list[dict[str, Any] | PagetideError]:
    """The values that a model server sees in each picture, or its error.

    Args:
        pictures: PNG files.
        schema: As `extract` takes it; a value that is not of it is null.
        server: One whose model sees.

    Raises:
        BadSchema: The schema cannot be filled in.
        AnswerUnusable: All of it takes too long.
    """
    form = form_of(schema)
    answers = filled(Asking(server), form, [Prompt.of_picture(form, each) for each in pictures])
    return [_plain(each.tree) if isinstance(each, ReadAnswer) else each for each in answers]


def _plain(tree: Tree) -> Any:
    """The values alone."""
    if isinstance(tree, LeafAnswer):
        return tree.value if tree.fits else None
    if isinstance(tree, dict):
        return {name: _plain(each) for name, each in tree.items()}
    return [_plain(each) for each in tree]
