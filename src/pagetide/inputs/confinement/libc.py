"""Kernel calls that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22


def checked(result: int) -> int:
    """What a call returned.

    Raises:
        OSError: It failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def syscall(number: int, *args: Any) -> int:
    """A call by its number; see `checked`."""
    return checked(_LIBC.syscall(ctypes.c_long(number), *args))


def prctl(option: int, *args: Any) -> int:
    """`prctl`; see `checked`."""
    given = [ctypes.c_ulong(each) if isinstance(each, int) else each for each in args]
    given += [ctypes.c_ulong(0)] * (4 - len(given))
    return checked(_LIBC.prctl(option, *given))


def unshare(flags: int) -> None:
    """`unshare`; see `checked`."""
    checked(_LIBC.unshare(flags))


def machine() -> str:
    """`x86_64`, `aarch64`, or what else it is; of this process, not of the kernel."""
    name = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(name, name)
