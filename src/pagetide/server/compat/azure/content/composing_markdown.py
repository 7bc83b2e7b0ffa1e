"""A page as Markdown: headings, HTML for tables and figures, comments."""

from __future__ import annotations

from pagetide.document import Block, Cell, Table
from pagetide.exports.flow import Piece
from pagetide.exports.tables.cells import cells_by_row, header_rows
from pagetide.server.compat.azure.content import spelling
from pagetide.server.compat.azure.content.claiming import Target
from pagetide.server.compat.azure.content.composing import Composer
from pagetide.server.compat.azure.content.drafts import CellDraft
from pagetide.server.compat.azure.content.page_content import Place, Stretch

_AROUND = {
    "header": ('<!-- PageHeader="', '" -->'),
    "footer": ('<!-- PageFooter="', '" -->'),
    "page_number": ('<!-- PageNumber="', '" -->'),
    "formula": ("$$ ", " $$"),
}


class MarkdownComposer(Composer):
    """Tells a page as Markdown: headings, HTML for tables and figures, comments."""

    between = "\n\n"

    def around(self, block: Block, text: str) -> Stretch:
        """Write a block's text with what stands around it."""
        kind = block.kind
        if kind in ("title", "heading"):
            level = 1 if kind == "title" else min((block.level or 1) + 1, 6)
            opening, closing = f"{'#' * level} ", ""
        elif kind in ("code", "table"):
            fence = _fence(text)
            opening, closing = f"{fence}\n", f"\n{fence}"
        else:
            opening, closing = _AROUND.get(kind, ("", ""))
        self.written.mark(opening)
        stretch = self.written.read(spelling.tidied(kind, text), spelling.spelling_of(kind))
        self.written.mark(closing)
        return stretch

    def loose(self, text: str) -> Stretch:
        """Write the text of a line that is in no block."""
        return self.written.read(spelling.clean_lines(text), spelling.prose)

    def _figure_body(self, piece: Piece) -> tuple[tuple[int, ...], Place]:
        self.begin()
        start = self.written.length
        self.written.mark("<figure>")
        captions = self._named(piece, "\n<figcaption>", "</figcaption>")
        self._within_figure(piece.block)
        self.written.mark("\n\n</figure>")
        return captions, (start, self.written.length)

    def _table_body(
        self, piece: Piece, table: Table, targets: list[Target]
    ) -> tuple[tuple[int, ...], Place, tuple[CellDraft, ...]]:
        self.begin()
        start = self.written.length
        self.written.mark("<table>\n")
        captions = self._named(piece, "<caption>", "</caption>\n")
        head, cells = header_rows(table), []
        for row in cells_by_row(table):
            self.written.mark("<tr>\n")
            cells += [self._html_cell(cell, head, targets) for cell in row]
            self.written.mark("</tr>\n")
        self.written.mark("</table>")
        found = tuple(cell for cell in cells if cell is not None)
        return captions, (start, self.written.length), found

    def _html_cell(
        self, cell: Cell | None, head: int, targets: list[Target]
    ) -> CellDraft | None:
        if cell is None:
            self.written.mark("<td></td>\n")
            return None
        tag = "th" if cell.header else "td"
        spans = (("rowspan", cell.row_span), ("colspan", cell.column_span))
        attributes = "".join(f' {name}="{count}"' for name, count in spans if count > 1)
        self.written.mark(f"<{tag}{attributes}>")
        draft = self._cell(cell, cell.row < head, targets, spelling.in_html)
        self.written.mark(f"</{tag}>\n")
        return draft

    def _named(self, piece: Piece, opening: str, closing: str) -> tuple[int, ...]:
        """The captions of a table or a figure, in their tags."""
        places: list[int] = []
        for caption in (*piece.above, *piece.below):
            if not caption.text.strip():
                continue
            self.written.mark("<br>" if places else opening)
            place = self._block(caption, outline=False, spell=spelling.in_html)
            assert place is not None  # noqa: S101 - it has text
            places.append(place)
        if places:
            self.written.mark(closing)
        return tuple(places)


def _fence(text: str) -> str:
    run = longest = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    return "`" * max(3, longest + 1)
