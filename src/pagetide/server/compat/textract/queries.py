"""Questions as Textract takes them, and answers as it gives them: each stands on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from pagetide.document import Page
from pagetide.document.extraction import ExtractedLeaf, Extraction
from pagetide.errors import BadOption
from pagetide.server.compat.textract import fields
from pagetide.server.compat.textract.blocks import CERTAIN, PageBlocks, percent, related
from pagetide.server.compat.textract.wire import Query

QUERIES = "QUERIES"
MOST = 30
_LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class Answered:
    """Questions with what was found for each, in the same order."""

    queries: Sequence[Query]
    found: Extraction


def queries_of(given: fields.Members, features: Sequence[str]) -> tuple[Query, ...]:
    """The questions of a request.

    Raises:
        BadOption: There are none though they are asked for, or some though they are not, or
            one is not of the form that it must have.
    """
    config = given.get("QueriesConfig")
    if (config is None) == (QUERIES in features):
        raise BadOption("`QueriesConfig` goes with the feature QUERIES, and it with that.")
    if config is None:
        return ()
    listed = fields.members(config, "QueriesConfig", ("Queries",)).get("Queries")
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST:
        raise BadOption(f"`Queries` must be 1 to {MOST} questions.")
    return tuple(map(_query, cast("list[object]", listed)))


def put_queries(
    blocks: PageBlocks, page: Page, answered: Answered, *, is_first: bool
) -> Iterator[str]:
    """Add the questions whose answers stand on a page, to the first page those without one.

    Yields:
        The ids of the questions' blocks.
    """
    for query, leaf in zip(answered.queries, answered.found.leaves, strict=True):
        at = leaf.lines[0].page if leaf.lines else None
        if at == page.number or (at is None and is_first):
            yield _put(blocks, query, leaf)


def _put(blocks: PageBlocks, query: Query, leaf: ExtractedLeaf) -> str:
    whole = blocks.whole
    if not leaf.lines:
        return blocks.put("QUERY", whole, query=query)
    sure = CERTAIN if leaf.confidence is None else percent(leaf.confidence)
    answer = blocks.put("QUERY_RESULT", leaf.lines[0].polygon, text=leaf.text, confidence=sure)
    relationships = related("ANSWER", (answer,))
    return blocks.put("QUERY", whole, query=query, relationships=relationships)


def _query(value: object) -> Query:
    given = fields.members(value, "Query", ("Text", "Alias", "Pages"))
    if given.get("Pages") not in (None, ["*"]):
        raise BadOption("`Pages` of a query can only be * here: all pages are looked at.")
    text = fields.text(given, "Text", most=_LONGEST)
    if not text:
        raise BadOption("`Text` of a query is not of the form that it must have.")
    return Query(text=text, alias=fields.text(given, "Alias", most=_LONGEST) or None)
