"""Which package imports which: `python -m tests.docs.dependencies` lists every pair.

Packages are those at the top of `pagetide`, modules beside them included, and likewise those of
`pagetide.server`. Imports for type checking alone do not count: nor do they in the contracts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import grimp

UNDER_ALL = {"document", "engine", "errors", "geometry"}  # the words that all packages share

Pairs = Mapping[tuple[str, str], set[str]]


def pairs() -> Pairs:
    """The modules of one package that import another, by importing and imported package."""
    graph = grimp.build_graph("pagetide", exclude_type_checking_imports=True, cache_dir=None)
    found = defaultdict[tuple[str, str], set[str]](set)
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            importing, other = package_of(module), package_of(imported)
            if importing != other:
                found[importing, other].add(module)
    return found


def package_of(module: str) -> str:
    """The package that a module is counted to."""
    _, *path = module.split(".")
    return ".".join(path[: 2 if path[:1] == ["server"] else 1]) or "pagetide"


def report(found: Pairs) -> str:
    """Every pair with how many modules import, those of one module with its name."""
    lines = []
    for (importing, imported), modules in sorted(found.items()):
        where = f"  {min(modules)}" if len(modules) == 1 else ""
        lines.append(f"{len(modules):4}  {importing} -> {imported}{where}")
    apart = sum(imported not in UNDER_ALL for _, imported in found)
    lines.append(f"{len(found)} pairs, {apart} without {', '.join(sorted(UNDER_ALL))}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report(pairs()))  # noqa: T201 - it is what the command is for
