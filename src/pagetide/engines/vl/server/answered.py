"""What an answer means: text, LaTeX, a table; and where it went wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pagetide.document import Cell, Notice, Table
from pagetide.engines.vl import otsl
from pagetide.engines.vl.server.client import Answer
from pagetide.engines.vl.tasks import Task
from pagetide.structure.grids import table_text

TRUNCATED = Notice(code="block_truncated", message="The model's answer was cut at its limit.")
REPEATS = Notice(
    code="block_repeats", message="The model started to repeat itself; the repetition was cut."
)
NO_TABLE = Notice(
    code="block_without_cells", message="The model's answer is not a table; its text is kept."
)

LEAST_REPEATS = 8
LOOP_LENGTH = 200  # characters of a loop in an answer that ended by itself
LOOP_LENGTH_TABLE = 2_000  # a table may well have many rows that are alike
LOOP_LENGTH_CUT = 60  # in an answer that was cut at its limit
MOST_LOOKED_AT = 20_000  # characters from the end
_LEADERS = frozenset(" .·…_-–—=*\t\n")  # a printed line of these is no loop
_FORMULA_ENDS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a block holds.

    Attributes:
        text: As `document.Block` has it.
        table: Of a table, and of a chart that was read as one.
        notices: What went wrong.
    """

    text: str
    table: Table | None = None
    notices: tuple[Notice, ...] = ()


def meaning(answer: Answer, task: Task) -> Meaning:
    """What an answer to a task means.

    An answer that ends in a loop is cut after the loop's first round and marked; one that
    reached the longest allowed is marked.
    """
    was_cut = answer.finish_reason == "length"
    text, loops = unlooped(answer.text, _least_loop(task, was_cut))
    table = _table(text, task)
    notices = [TRUNCATED] * was_cut + [REPEATS] * loops
    if task.name == "table" and table is None and text.strip():
        notices.append(NO_TABLE)
    if table is not None:
        return Meaning(text=table_text(table), table=table, notices=tuple(notices))
    spoken = formula(text) if task.name == "formula" else _dollars(text.strip())
    return Meaning(text=spoken, notices=tuple(notices))


def formula(text: str) -> str:
    """LaTeX without what sets it off from text."""
    text = text.strip()
    for start, end in _FORMULA_ENDS:
        inner = text[len(start) : -len(end)]
        is_set_off = text.startswith(start) and text.endswith(end)
        if is_set_off and len(text) >= len(start) + len(end) and start not in inner:
            return inner.strip()
    return text


def unlooped(text: str, least: int) -> tuple[str, bool]:
    """The text up to the end of the first round of the loop it ends in, and whether it does.

    Args:
        text: Any.
        least: Characters that a loop takes in all; it has `LEAST_REPEATS` rounds at least.
    """
    backwards = text[: -MOST_LOOKED_AT - 1 : -1]
    borders = _borders(backwards)
    best, period = 0, 0
    for end, border in enumerate(borders, 1):
        length = end - border
        if end >= max(least, LEAST_REPEATS * length):
            best, period = end, length
    if not best or set(backwards[:period]) <= _LEADERS:
        return text, False
    return text[: len(text) - best + period].rstrip(), True


def _borders(text: str) -> list[int]:
    """For each beginning of the text, how long a shorter beginning it ends with.

    Source: the failure function of Knuth, Morris and Pratt, 1977; a beginning of length n
    repeats itself every n - border characters.
    """
    borders, border = [0] * len(text), 0
    for i in range(1, len(text)):
        while border and text[i] != text[border]:
            border = borders[border - 1]
        border += text[i] == text[border]
        borders[i] = border
    return borders


def _least_loop(task: Task, was_cut: bool) -> int:
    if was_cut:
        return LOOP_LENGTH_CUT
    return LOOP_LENGTH_TABLE if task.name == "table" else LOOP_LENGTH


def _table(text: str, task: Task) -> Table | None:
    if task.name == "table":
        return otsl.table_of(text)
    return _piped(text) if task.name == "chart" else None


def _piped(text: str) -> Table | None:
    """A chart's numbers, `a | b` in each row; None unless every row has as many columns."""
    lines = [line.strip().strip("|") for line in text.strip().splitlines() if line.strip()]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    rows = [row for row in rows if not all(re.fullmatch(r":?-{3,}:?", cell) for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return None
    cells = tuple(
        Cell(row=y, column=x, text=cell)
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
    )
    return Table(rows=len(rows), columns=len(rows[0]), cells=cells)


def _dollars(text: str) -> str:
    """Formulas in running text, set off by dollars as Markdown has them."""
    text = re.sub(r"\\\[\s*(.+?)\s*\\\]", r"$$\1$$", text, flags=re.DOTALL)
    return re.sub(r"\\\(\s*(.+?)\s*\\\)", r"$\1$", text, flags=re.DOTALL)
