"""Pages that were read before, made one document: what `/restructure-pages` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from pagetide.errors import BadOption
from pagetide.server.compat.paddle_results import Json
from pagetide.server.compat.paddlex import restructure
from pagetide.server.compat.paddlex.restructure_request import (
    RestructureRequest,
    restructure_request,
    results_of,
)


def remade(body: bytes, log_as: Callable[[object], None]) -> tuple[str, bytes]:
    """The log id of a request, and its result as JSON.

    Raises:
        PagetideError: It is refused.
    """
    request = restructure_request(body, log_as)
    return request.log_id, msgspec.json.encode({"layoutParsingResults": _results(request)})


def _results(request: RestructureRequest) -> list[Json]:
    pages = restructure.restructured(
        results_of(request),
        merge_tables=request.merge_tables,
        relevel_titles=request.relevel_titles,
    )
    images = [page.markdown_images or {} for page in request.pages]
    texts = [
        restructure.markdown(page, pictures, pretty=request.prettify_markdown)
        for page, pictures in zip(pages, images, strict=True)
    ]
    if request.concatenate_pages:
        _refuse_same_names(images)
        pages, texts = [restructure.concatenated(pages)], ["\n\n".join(filter(None, texts))]
        images = [{name: text for some in images for name, text in some.items()}]
    shown = [{"images": some} if request.return_markdown_images else {} for some in images]
    return [
        {"prunedResult": page, "markdown": {"text": text, **pictures}}
        for page, text, pictures in zip(pages, texts, shown, strict=True)
    ]


def _refuse_same_names(images: Sequence[Mapping[str, str]]) -> None:
    """Refuse different pictures of one name, of which only one could be kept.

    Raises:
        BadOption: There are such.
    """
    known: dict[str, str] = {}
    for name, picture in (pair for some in images for pair in some.items()):
        if known.setdefault(name, picture) != picture:
            raise BadOption(f"`pages` have different pictures of the name {name[:80]!r}.")
