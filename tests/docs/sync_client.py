"""The client for threads, out of that for event loops: `python -m tests.docs.sync_client`.

Words are replaced, as httpcore does it; ruff then folds what has become shorter.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[2] / "src" / "pagetide" / "client"
SOURCES, TARGETS = CLIENT / "asynchronous", CLIENT / "synchronous"
NOTE = "# Written by `make sync-client` from {}: change that, not this.\n"
WORDS = {
    r"async (?=def|with|for)": "",
    r"await ": "",
    r"Async(?=[A-Z])": "",
    r"__a(?=enter__|exit__)": "__",
    r"a(?=(close|closing|read|iter_bytes)\b)": "",
    r"asynchronous\b": "synchronous",
    r"number of tasks\b": "number of threads",
    r"from anyio import sleep\b": "from time import sleep",
    r"from anyio.to_thread import run_sync\b": "from operator import call",
    r"run_sync\(": "call(",
}


def written() -> dict[Path, str]:
    """Each module of the client for threads, and what it holds."""
    return {TARGETS / source.name: _sync(source) for source in sorted(SOURCES.glob("*.py"))}


def _sync(source: Path) -> str:
    code = source.read_text()
    for word, instead in WORDS.items():
        code = re.sub(rf"\b{word}", instead, code)
    code = NOTE.format(f"{source.parent.name}/{source.name}") + code
    for command in ("check --select I,SIM117,UP028 --fix-only --unsafe-fixes", "format"):
        ruff = [sys.executable, "-m", "ruff", *command.split(), "--quiet"]
        ruff += ["--stdin-filename", str(TARGETS / source.name), "-"]
        done = subprocess.run(ruff, input=code, capture_output=True, text=True, check=True)
        code = done.stdout
    return code


if __name__ == "__main__":
    for path, code in written().items():
        path.write_text(code)
