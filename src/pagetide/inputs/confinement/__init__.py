"""Restrictions of the child that opens untrusted bytes: layers, each if the kernel has it.

Any one may be missing: a container's own filter can forbid namespaces, a kernel can lack
Landlock. The child reports which it has, and its parent decides whether they suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from pagetide.inputs.confinement import landlock, limits, namespaces, seccomp
from pagetide.inputs.confinement.libc import PR_SET_NO_NEW_PRIVS, prctl

# What `require` demands. Namespaces are a second lock on the same doors, and many containers
# have none.
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
    """Confine this process permanently; returns the layers that now hold, of `ALL`.

    Threads already running are not confined: call it before any is started.

    Args:
        memory_mb: Memory it may take beside what is mapped now.
    """
    steps: tuple[Callable[[], list[str]], ...] = (
        lambda: limits.confine(memory_mb),
        namespaces.confine,
        _no_new_privileges,
        landlock.confine,
        seccomp.confine,  # the last: it removes the calls that the others need
    )
    layers = []
    for step in steps:
        with suppress(OSError):
            layers += step()
    return layers


def missing(layers: Collection[str]) -> list[str]:
    """Which of `NEEDED` a child lacks."""
    return sorted(NEEDED - set(layers))


def _no_new_privileges() -> list[str]:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    return ["no-new-privileges"]
