"""A stand-in for podman: keeps containers as files, and every call in a log.

A container is a file that holds its state; a test changes it as the container's
program would. `run` fails while a file `broken` exists; `stop` leaves a busy container
running.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


class Tool:
    """The stand-in as a test sees it.

    Attributes:
        path: The program.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tool"
        (self.folder / "containers").mkdir(parents=True)
        self.path = self.folder / "podman"
        self.path.write_text(
            f"#!{sys.executable} -I\nimport runpy, sys\n"
            f"sys.argv.insert(1, {str(self.folder)!r})\n"
            f"runpy.run_path({__file__!r}, run_name='__main__')\n"
        )
        self.path.chmod(0o755)

    @property
    def calls(self) -> list[list[str]]:
        """All calls it received."""
        log = self.folder / "calls"
        return (
            [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        )

    def called(self, verb: str) -> list[list[str]]:
        """The calls of one kind."""
        return [call for call in self.calls if call[0] == verb]

    @property
    def states(self) -> dict[str, str]:
        """The containers, by name."""
        found = {}
        for place in sorted((self.folder / "containers").iterdir()):
            with suppress(FileNotFoundError):  # it has just been removed
                found[place.name] = json.loads(place.read_text())["state"]
        return found

    def become(self, name: str, state: str) -> None:
        """Set a container's state: `running`, `busy`, `exited 0`."""
        place = self.folder / "containers" / name
        _keep(place, {**json.loads(place.read_text()), "state": state})

    def break_down(self, broken: bool = True) -> None:
        """Make every call fail, or work again."""
        place = self.folder / "broken"
        place.touch() if broken else place.unlink()


def _serve(folder: Path, words: Sequence[str]) -> int:
    broken = (folder / "broken").exists()  # before anybody may read of the call
    with (folder / "calls").open("a") as log:
        log.write(json.dumps(words) + "\n")
    if broken:
        return 125
    places, verb = folder / "containers", words[0]
    if verb == "ps":
        _list(places, words)
        return 0
    if verb == "run":
        name, label = (_option(words, option) for option in ("--name", "--label"))
        _keep(places / name, {"label": label, "state": "running"})
        return 0
    place = places / words[-1]
    if not place.exists():
        return 1
    held = json.loads(place.read_text())
    if verb == "rm":
        place.unlink()
    elif verb == "kill":
        _keep(place, {**held, "state": "exited 137"})
    elif verb == "stop" and held["state"] == "running":
        _keep(place, {**held, "state": "exited 0"})
    return 0


def _keep(place: Path, held: dict[str, str]) -> None:
    """Write it atomically."""
    whole = place.parents[1] / f"{place.name}-{os.getpid()}"
    whole.write_text(json.dumps(held))
    whole.replace(place)


def _list(places: Path, words: Sequence[str]) -> None:
    wanted = _option(words, "--filter").removeprefix("label=")
    for place in sorted(places.iterdir()):
        try:
            held = json.loads(place.read_text())
        except FileNotFoundError:  # it has just been removed
            continue
        code = held["state"].partition(" ")[2]
        if held["label"] == wanted:
            status = f"Exited ({code}) 3 seconds ago" if code else "Up 3 seconds"
            sys.stdout.write(f"{place.name}\t{status}\n")


def _option(words: Sequence[str], name: str) -> str:
    return next(word for word in words if word.startswith(f"{name}=")).partition("=")[2]


if __name__ == "__main__":
    sys.exit(_serve(Path(sys.argv[1]), sys.argv[2:]))
