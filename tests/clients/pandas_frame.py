"""What `Table.to_pandas` makes of a table that comes as JSON on the standard input.

Arguments: folders to import from, behind this Python's own.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    sys.path += sys.argv[1:]
    import msgspec

    from pagetide.document import Table

    frame = msgspec.json.decode(sys.stdin.buffer.read(), type=Table).to_pandas()
    json.dump([list(frame.columns), frame.to_numpy().tolist()], sys.stdout)


if __name__ == "__main__":
    main()
