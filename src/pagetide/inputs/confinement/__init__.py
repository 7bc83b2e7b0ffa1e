"""What the child that opens untrusted bytes cannot do: layers, each where the kernel has it.

Any one may be missing: a container's own filter can forbid namespaces, a kernel can be without
Landlock. The child says which it has, and its parent whether they suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from pagetide.inputs.confinement import landlock, limits, namespaces, seccomp
from pagetide.inputs.confinement.libc import PR_SET_NO_NEW_PRIVS, prctl

# What `require` asks for. Namespaces are a second lock on the same doors, and many
# containers have none to give.
NEEDED = frozenset({"limits", "no-new-privileges", "landlock-files", "seccomp"})
ALL = (
    "limits",
    "namespaces",
    "no-new-privileges",
    "landlock-files",
    "landlock-tcp",
    "landlock-signals",
    "seccomp",
)


def confine(memory_mb: int) -> list[str]:
    """Confine this process, for good; which layers now hold, of `ALL`.

    Threads that run already are not held: call it before any is started.

    Args:
        memory_mb: Memory it may take beside what is mapped now.
    """
    steps: tuple[Callable[[], list[str]], ...] = (
        lambda: limits.confine(memory_mb),
        namespaces.confine,
        _no_new_privileges,
        landlock.confine,
        seccomp.confine,  # the last: it takes away the calls that the others need
    )
    layers = []
    for step in steps:
        with suppress(OSError):
            layers += step()
    return layers


def missing(layers: Collection[str]) -> list[str]:
    """Which of `NEEDED` a child has not got."""
    return sorted(NEEDED - set(layers))


def _no_new_privileges() -> list[str]:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    return ["no-new-privileges"]
