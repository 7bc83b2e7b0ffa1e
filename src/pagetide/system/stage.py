"""Files that take their places together, or are not there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pagetide.system.part_file import part_file


class Stage(ExitStack):
    """Holds files back until all of them are written; the first written is the last in place.

    Whoever sees that one so knows that all are there, whenever the process was killed.

    Attributes:
        written: The files, in order.
    """

    def __init__(self, may_write: Callable[[Path], bool]) -> None:
        """Begin.

        Args:
            may_write: Says of a path whether it is to be written; raises to end it all.
        """
        super().__init__()
        self.written: list[Path] = []
        self._may_write = may_write

    def write(self, path: Path, content: bytes) -> None:
        """Hold a file back, unless it is to be left as it is.

        Raises:
            CannotWrite: The folder or the file cannot be written.
        """
        if not self._may_write(path):
            return
        part = self.enter_context(part_file(path))
        part.write(content)
        part.close()  # there may be thousands
        self.written.append(path)
