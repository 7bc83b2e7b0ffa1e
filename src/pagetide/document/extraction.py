"""The values that a model server found in a document for a schema, with their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct

from pagetide.document.how_read import Failure, Notice
from pagetide.document.kinds import BlockKind
from pagetide.geometry import Polygon

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

Standing = Literal["grounded", "elsewhere", "inferred", "ungrounded", "absent"]


class LinePlace(Struct, frozen=True, kw_only=True, gc=False):
    """A line that a value is based on.

    Attributes:
        id: As sent to the server, such as `p1l4`.
        page: The page's number.
        line: Its position in that page's `lines`; None for a table's cell or a block that the
            model read without lines.
        polygon: Position of the value in it, in that page's pixels.
    """

    id: str
    page: int
    line: int | None
    polygon: Polygon


class ExtractedLeaf(Struct, frozen=True, kw_only=True, gc=False):
    """A single value of an extraction.

    Attributes:
        path: Its position in `Extraction.value`, as a JSON pointer: `/items/0/price`.
        value: As in `Extraction.value`; None if nothing is returned.
        standing: `grounded`: it is in the lines that the server named; `elsewhere`: not in
            those, but in the lines given here; `inferred`: it cannot be in the text as such (a
            yes or no, one of several names, a date or number with two readings), and is based
            on the given lines; `ungrounded`: it is nowhere, and is not returned; `absent`: the
            server found none.
        text: The text on the page.
        lines: The lines it is based on.
        confidence: The lowest of the lines, 0–1; None for a text layer.
        refused: For an ungrounded value, the server's answer. It is not from the document.
    """

    path: str
    value: Any = None
    standing: Standing = "absent"
    text: str = ""
    lines: tuple[LinePlace, ...] = ()
    confidence: float | None = None
    refused: Any = None


class Conflict(Struct, frozen=True, kw_only=True, gc=False):
    """Conflicting values for one position from parts of a long document.

    Attributes:
        path: Of the value, as a JSON pointer.
        leaves: All that was found; the first is the one that was used.
    """

    path: str
    leaves: tuple[ExtractedLeaf, ...]


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """Calls to the server; its own count of tokens, 0 if it gives none."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class Extraction(Struct, frozen=True, kw_only=True, gc=False):
    """The values that a server found in a document, each with its position.

    Attributes:
        value: In the schema's form, with null for values that are missing or not proven.
        leaves: Each single value, in the schema's order.
        conflicts: Values on which parts of a long document disagree.
        usage: Calls and tokens.
        warnings: What was left out or dropped.
        source: The document's name.
    """

    value: dict[str, Any]
    leaves: tuple[ExtractedLeaf, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    source: str = ""

    def to(self, model: type[Model]) -> Model:
        """The value as an instance of a Pydantic class.

        Raises:
            pydantic.ValidationError: A required value is null.
        """
        return model.model_validate(self.value)


class FigureDescription(Struct, frozen=True, kw_only=True, gc=False):
    """A model server's description of a figure, chart or seal.

    Attributes:
        page: The page's number.
        order: The block's `order` there.
        text: In the model's words, which are on no page; empty if there is an `error`.
        error: Why there is no description.
    """

    page: int
    order: int
    kind: BlockKind
    polygon: Polygon
    text: str = ""
    error: Failure | None = None


class Descriptions(Struct, frozen=True, kw_only=True, gc=False):
    """A model's descriptions of a document's figures, in order.

    Attributes:
        usage: Calls and tokens.
        warnings: What was left out.
        source: The document's name.
    """

    figures: tuple[FigureDescription, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    source: str = ""
