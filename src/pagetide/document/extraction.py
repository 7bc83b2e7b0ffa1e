"""What a model server found in a document for a schema, and where each of it stands."""

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
    """A line that a value rests on.

    Attributes:
        id: As the server was told it, such as `p1l4`.
        page: The page's number.
        line: Its place in that page's `lines`; None of a table's cell or a block that the
            model read without lines.
        polygon: Where the value stands in it, in that page's pixels.
    """

    id: str
    page: int
    line: int | None
    polygon: Polygon


class ExtractedLeaf(Struct, frozen=True, kw_only=True, gc=False):
    """A single value of an extraction.

    Attributes:
        path: Where it stands in `Extraction.value`, as a JSON pointer: `/items/0/price`.
        value: As `Extraction.value` has it; None where nothing is returned.
        standing: `grounded`: it stands in the lines that the server named; `elsewhere`: not
            in those, but in the ones given here; `inferred`: it cannot stand there as it is
            (a yes or no, one of several names, a date or a number that may be read in two
            ways), and rests on the lines given; `ungrounded`: it stands nowhere, and is not
            returned; `absent`: the server found none.
        text: What stands there, as the page has it.
        lines: What it rests on.
        confidence: The least of what was read, 0–1; None of a text layer.
        refused: Of an ungrounded one, what the server said. It is not the document's.
    """

    path: str
    value: Any = None
    standing: Standing = "absent"
    text: str = ""
    lines: tuple[LinePlace, ...] = ()
    confidence: float | None = None
    refused: Any = None


class Conflict(Struct, frozen=True, kw_only=True, gc=False):
    """Parts of a long document that say different things of one value.

    Attributes:
        path: Of the value, as a JSON pointer.
        leaves: All that was found; the first is the one that was taken.
    """

    path: str
    leaves: tuple[ExtractedLeaf, ...]


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """What was asked of the server; its own count of tokens, 0 where it gives none."""

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
    """What a server found in a document, each value with where it stands.

    Attributes:
        value: Of the schema's form, with null for what is not there or not proven.
        leaves: Each single value, in the schema's order.
        conflicts: What parts of a long document do not agree on.
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
            pydantic.ValidationError: What the class needs is null here.
        """
        return model.model_validate(self.value)


class FigureDescription(Struct, frozen=True, kw_only=True, gc=False):
    """What a model server says that a figure, chart or seal shows.

    Attributes:
        page: The page's number.
        order: The block's `order` there.
        text: In the model's words, which stand on no page; empty where there is an `error`.
        error: Why there is none.
    """

    page: int
    order: int
    kind: BlockKind
    polygon: Polygon
    text: str = ""
    error: Failure | None = None


class Descriptions(Struct, frozen=True, kw_only=True, gc=False):
    """What a document's figures show, in its order, as a model says.

    Attributes:
        usage: Calls and tokens.
        warnings: What was left out.
        source: The document's name.
    """

    figures: tuple[FigureDescription, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    source: str = ""
