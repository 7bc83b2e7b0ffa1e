"""Types are made ready before several threads read by them; see `system.ready_types`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pagetide

PACKAGE = Path(pagetide.__file__).parent
PLAIN = {"Raw", "Any", "Json"}  # nothing to work out
READERS = {"decode": None, "Decoder": 0, "convert": 1}  # where the type stands without a name


def kinds(tree: ast.AST) -> Iterator[ast.expr]:
    """The types that a module asks msgspec to read by."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr not in READERS or "msgspec" not in ast.unparse(call.func):
            continue
        place = READERS[call.func.attr]
        if place is not None and len(call.args) > place:
            yield call.args[place]
        yield from (given.value for given in call.keywords if given.arg == "type")


def of_structs(kind: ast.expr) -> bool:
    names = {node.id for node in ast.walk(kind) if isinstance(node, ast.Name)}
    return any(name[:1].isupper() or name.startswith("_") for name in names - PLAIN)


def is_ready(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Call) and ast.unparse(kind.func) == "ready"


def test_every_struct_is_read_by_a_ready_type() -> None:
    asked = [
        (path.relative_to(PACKAGE), kind)
        for path in sorted(PACKAGE.rglob("*.py"))
        for kind in kinds(ast.parse(path.read_text()))
    ]
    assert sum(is_ready(kind) for _, kind in asked) > 30
    assert [
        f"{path}:{kind.lineno}: {ast.unparse(kind)}"
        for path, kind in asked
        if of_structs(kind) and not is_ready(kind)
    ] == []
