"""The output forms of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pagetide.document.answers import answers

if TYPE_CHECKING:
    from pandas import DataFrame


class Tabular:
    """The forms of a `Table`; the examples are those of `Written`."""

    __slots__ = ()

    def to_rows(self) -> list[list[str]]:
        """Rows of texts, all of one length.

        A cell that spans several positions has its text in the first, top left.

        >>> table.to_rows()[0]
        ['Day', 'High water', 'Height', 'Low water', 'Height', 'Range']
        """
        return answers().table_rows(self)

    def to_csv(self) -> str:
        """CSV (RFC 4180); what a spreadsheet would run as a formula gets an apostrophe.

        >>> table.to_csv().splitlines()[1]
        'Wed 1,01:14,4.61,07:32,1.38,3.23'
        """
        return answers().table_text(self, "csv")

    def to_markdown(self) -> str:
        """A pipe table; HTML, which Markdown allows, if cells span several positions.

        >>> table.to_markdown().splitlines()[2]
        '| Wed 1 | 01:14 | 4.61 | 07:32 | 1.38 | 3.23 |'
        """
        return answers().table_text(self, "md")

    def to_html(self) -> str:
        """An HTML element `table`, with spans and headers."""
        return answers().table_text(self, "html")

    def to_text(self) -> str:
        """A line for each row, tabs between the cells."""
        rows = answers().table_rows(self)
        return "\n".join("\t".join(" ".join(text.split()) for text in row) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers: the content of its JSON."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def to_pandas(self) -> DataFrame:
        """A data frame of texts; the table's header rows name its columns.

        Several header rows become one name, with spaces between; a table without a header has
        numbers as names, from 0.

        Raises:
            RuntimeUnavailable: pandas is not installed, the extra `pandas`.
        """
        frame: DataFrame = answers().frame_of(self)
        return frame

    def _repr_html_(self) -> str:
        """Its view in a notebook."""
        return answers().table_text(self, "html")
