"""Types are made ready before several threads read by them; see `system.ready_types`.

A type is ready, too, where its own module makes a decoder of it as it is imported.
"""

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


def decoders_beside_types(tree: ast.Module) -> set[ast.expr]:
    """The types of a module's own that it makes decoders of, outside of any function."""
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    made = (node for node in tree.body if isinstance(node, ast.Assign))
    return {kind for node in made for kind in kinds(node) if named(kind) <= own | {"list"}}


def named(kind: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(kind) if isinstance(node, ast.Name)}


def of_structs(kind: ast.expr) -> bool:
    return any(name[:1].isupper() or name.startswith("_") for name in named(kind) - PLAIN)


def is_ready(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Call) and ast.unparse(kind.func) == "ready"


def test_every_struct_is_read_by_a_ready_type() -> None:
    ready, others = 0, []
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        beside = decoders_beside_types(tree)
        for kind in kinds(tree):
            if is_ready(kind) or kind in beside:
                ready += 1
            elif of_structs(kind):
                others.append(f"{path.relative_to(PACKAGE)}:{kind.lineno}: {ast.unparse(kind)}")
    assert ready > 30
    assert others == []


def test_a_decoder_is_ready_beside_its_type_alone() -> None:
    struct = "class Own(Struct): ...\n"
    decoder = "msgspec.json.Decoder(Own)"
    assert len(decoders_beside_types(ast.parse(f"{struct}read = {decoder}.decode"))) == 1
    assert not decoders_beside_types(ast.parse(f"read = {decoder}.decode"))
    assert not decoders_beside_types(ast.parse(f"{struct}def read(): own = {decoder}"))
