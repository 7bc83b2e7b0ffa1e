"""Types are made ready before several threads read by them; see `system.ready_types`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pagetide

READERS = {"msgspec.json.decode", "msgspec.msgpack.decode", "msgspec.convert"}
PLAIN = {"Raw", "Any", "Json"}  # nothing to work out


def test_every_struct_is_read_by_a_ready_type() -> None:
    ready, others = 0, []
    for path in sorted(Path(pagetide.__file__).parent.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) not in READERS:
                continue
            named = [given.value for given in call.keywords if given.arg == "type"]
            for kind in map(ast.unparse, named + call.args[1:]):
                if kind.startswith("ready("):
                    ready += 1
                elif set(re.findall(r"\b_?[A-Z]\w*", kind)) - PLAIN:
                    others.append(f"{path.name}:{call.lineno}: {kind}")
    assert ready > 30
    assert others == []
