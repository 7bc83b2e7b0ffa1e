"""The commands of the documentation, taken apart as a shell would.

They are those of fenced blocks (`sh`: every line, `console`: what is behind `$`), and those in
prose that begin with a program and go on, as `make bench` does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
PROSE = "make|pagetide|pip|python|docker|kubectl|helm|aws|az|systemctl|sudo|curl|locust|npm"
TOP = PurePosixPath()
_BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.M | re.S)
_INLINE = re.compile(
    rf"(?<!`)`((?:\w+=(?:'[^']*'|[^\s`]+) )*(?:(?:/opt|\.venv)/\S*/)?(?:{PROSE}) [^`]+)`(?!`)",
    re.S,
)
_VARIABLE = re.compile(r"^([A-Za-z_]\w*)=(.*)", re.S)
_INNER = re.compile(r"\$\(([^()]+)\)")
_FUNCTION = re.compile(r"^\w+\(\) \{ (.*); \}$")
_KEYWORDS = {"do", "then", "else", "!", "{"}  # a command may follow in the same breath


@dataclass(frozen=True)
class Command:
    """One command of a page.

    Attributes:
        page: Where it stands, from the root of the repository.
        words: The program and its arguments, without quotes and what is redirected.
        variables: What is set for it, or by it where it has no words.
        folder: Where it runs, from the root, by the `cd` before it.
        whole: Whether it can be typed as it is; one in prose may leave arguments out.
    """

    page: str
    words: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict, hash=False)
    folder: PurePosixPath = TOP
    whole: bool = True

    @property
    def program(self) -> str:
        """The program's name without its folder; empty where variables are only set."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words or self.variables)}"


def pages() -> list[Path]:
    """Every page that may show commands."""
    return [
        ROOT / "README.md",
        ROOT / "deploy" / "README.md",
        *sorted(ROOT.glob("docs/**/*.md")),
    ]


def commands() -> Iterator[Command]:
    """Every command of every page, in their order."""
    for path in pages():
        text, page = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        folder = TOP
        for _, kind, block in _BLOCK.findall(text):
            for line in lines(kind, block):
                for command in parsed(page, line, folder):
                    yield command
                    if command.program == "cd":
                        folder = _entered(folder, command.words[1])
        prose = _BLOCK.sub("", text)
        for shown in _INLINE.findall(prose):
            for command in parsed(page, " ".join(shown.split())):
                yield replace(command, whole=False)


def blocks() -> Iterator[tuple[str, str, str]]:
    """The page, the language and the text of every fenced block."""
    for path in pages():
        for _, kind, block in _BLOCK.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), kind, block


def lines(kind: str, block: str) -> list[str]:
    """The command lines of a block, those that go on put together; none of other blocks."""
    if kind not in ("sh", "console"):
        return []
    whole = [line.strip() for line in re.sub(r" *\\\n *", " ", block).splitlines()]
    if kind == "console":
        whole = [line.removeprefix("$ ") for line in whole if line.startswith("$ ")]
    return [line for line in (re.sub(r"(^|\s)#.*", "", each) for each in whole) if line]


def parsed(page: str, line: str, folder: PurePosixPath = TOP) -> Iterator[Command]:
    """The commands of a line, those in `$(…)` first."""
    for inner in _INNER.findall(line):
        yield from parsed(page, inner, folder)
    line = _FUNCTION.sub(r"\1", _INNER.sub("INNER", line))
    words: list[str] = []
    redirected = False
    for word in (*_words(line), ";"):
        if redirected:
            redirected = False
        elif set(word) <= set("<>"):
            redirected = True
        elif set(word) <= set("();|&"):
            if words:
                yield _command(page, words, folder)
            words = []
        elif words or word not in _KEYWORDS:
            words.append(word)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _command(page: str, words: list[str], folder: PurePosixPath) -> Command:
    left = words[1:] if words[0] == "export" else words
    if left[0] == "sudo":
        left = left[3:] if left[1] == "-u" else left[1:]
    if left[0] == "env":
        left = left[1:]
    variables: dict[str, str] = {}
    while left and (found := _VARIABLE.match(left[0])):
        variables[found[1]] = found[2]
        left = left[1:]
    return Command(page, tuple(left), variables, folder)


def _entered(folder: PurePosixPath, name: str) -> PurePosixPath:
    """The folder that `cd` leads to; a clone's is the root."""
    return TOP if name == "pagetide" else folder / name
