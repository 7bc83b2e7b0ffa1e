"""The page's modules, put together when the server starts: one file for each view.

A browser asks for each module on its own: eighty took a slow line two seconds. Each stays as
it is written, in a function of its own, so that names do not meet. What the shell holds a view
takes from the shell, so that there is one of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

IMPORT = re.compile(r"^import (?:\* as (\w+)|(\{[^}]*\})) from '(\.[^']+)';$", re.M)
EXPORT = re.compile(
    r"^export (?:\{ ([\w, ]+) \};|(?=(?:async )?(?:function\*?|class|const) (\w+)))", re.M
)
_LATER = re.compile(r"\bimport\('(\.[^']+)'\)")


def joined(sources: Mapping[str, str], roots: Iterable[str]) -> dict[str, str]:
    """The files that a browser asks for, by their path.

    Args:
        sources: Every module by its path.
        roots: The modules that HTML names. What one imports when it is used, as the shell does
            its views, becomes a file of its own.
    """
    files = {}
    for root in roots:
        held = list(_needed(sources, root))
        files[root] = "\n".join(
            (*_scopes(sources, held, root), f"export {{ {_names(held)} }};")
        )
        for view in _views(sources, held):
            files[view] = _view(sources, view, root, held)
    return files


def _view(sources: Mapping[str, str], view: str, root: str, held: list[str]) -> str:
    needed = list(_needed(sources, view))
    own = [path for path in needed if path not in held]
    taken = _names(path for path in needed if path in held)
    shell = posixpath.relpath(root, posixpath.dirname(view))
    return "\n".join(
        (
            f"import {{ {taken} }} from './{shell}';",
            *_scopes(sources, own, view),
            f"export const {{ {', '.join(exports(sources[view]))} }} = {_name(view)};",
        )
    )


def exports(source: str) -> list[str]:
    """The names that a module exports, in their order."""
    return [name for some, one in EXPORT.findall(source) for name in (one or some).split(", ")]


def _needed(
    sources: Mapping[str, str], path: str, seen: set[str] | None = None
) -> Iterator[str]:
    """A module's imports, direct or not, and itself: each after what it imports itself."""
    seen = set() if seen is None else seen
    seen.add(path)
    for *_, where in IMPORT.findall(sources[path]):
        if (other := _beside(path, where)) not in seen:
            yield from _needed(sources, other, seen)
    yield path


def _views(sources: Mapping[str, str], held: Iterable[str]) -> Iterator[str]:
    for path in held:
        yield from (_beside(path, where) for where in _LATER.findall(sources[path]))


def _scopes(sources: Mapping[str, str], paths: Iterable[str], file: str) -> Iterator[str]:
    for path in paths:
        text = IMPORT.sub(partial(_taken, path), sources[path])
        address = posixpath.relpath(path, posixpath.dirname(file))
        text = text.replace("import.meta.url", f"new URL('{address}', import.meta.url)")
        given = ", ".join(exports(text))
        yield f"// {path}\nconst {_name(path)} = (() => {{\n{EXPORT.sub('', text)}"
        yield f"return {{ {given} }};\n}})();"


def _taken(path: str, found: re.Match[str]) -> str:
    whole, some, where = found.groups()
    return f"const {whole or some.replace(' as ', ': ')} = {_name(_beside(path, where))};"


def _beside(path: str, where: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), where))


def _name(path: str) -> str:
    return "$" + path.removesuffix(".js").replace("/", "$")


def _names(paths: Iterable[str]) -> str:
    return ", ".join(map(_name, paths))
