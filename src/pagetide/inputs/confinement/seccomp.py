"""Seccomp: a filter of system calls, in the kernel's BPF.

Calls that reading needs are allowed, the others fail as on a kernel without them. They fail
rather than kill: libraries probe for calls and go on without, and a document must not end as
"damaged" because a new libc asks for something. A call by another machine's table, which has
other numbers, kills: no library of ours makes one.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from dataclasses import dataclass

from pagetide.inputs.confinement import calls
from pagetide.inputs.confinement.libc import PR_SET_SECCOMP, machine, prctl

_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # x86-64's third table: numbers with this bit

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _TABLE, _ARGUMENTS = 0, 4, 16  # where the kernel puts the call's data
_FILTER_MODE = 2

_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_THREAD = 0x00010000
_TERMINAL_AND_CLOEXEC = (0x5401, 0x5450, 0x5451)  # what Python's `open` requests of a file
# To copy a descriptor, to get and set its flags; none that sends signals to an owner.
_DESCRIPTOR = (0, 1, 2, 3, 4, 1030)
_NAMES = (15, 0x53564D41)  # of a thread, of a memory area

_Code = list[tuple[int, int, int, int]]


@dataclass(frozen=True)
class _Program:
    """The filter, in the kernel's format."""

    code: _Code

    def install(self) -> None:
        content = b"".join(struct.pack("=HBBI", *each) for each in self.code)
        buffer = ctypes.create_string_buffer(content, len(content))
        head = struct.pack("@HP", len(self.code), ctypes.addressof(buffer))
        prctl(PR_SET_SECCOMP, _FILTER_MODE, ctypes.c_char_p(head))


def confine() -> list[str]:
    """Install the filter, for this thread and those it starts from then on.

    Raises:
        OSError: The kernel or a container forbids it, or the machine has no table here.
    """
    if machine() not in _ARCHITECTURE:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    _Program(program(machine(), os.getpid())).install()
    return ["seccomp"]


def program(architecture: str, own_pid: int) -> _Code:
    """The filter's instructions: code, jumps if true and if false, operand.

    Args:
        architecture: `x86_64` or `aarch64`.
        own_pid: The one process that may be sent signals.
    """
    code = [
        (_LOAD, 0, 0, _TABLE),
        (_EQUAL, 1, 0, _ARCHITECTURE[architecture]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for number in calls.allowed(architecture):
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for name, number in calls.looked_at(architecture).items():
        look = _look(name, own_pid)
        code += [(_EQUAL, 0, len(look), number), *look]
    return [*code, (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]


def _look(name: str, own_pid: int) -> _Code:
    """Instructions that end the filter for a call by its arguments."""
    match name:
        case "open":
            return _without(1, _WRITING, errno.EACCES)
        case "openat":
            return _without(2, _WRITING, errno.EACCES)
        case "clone":
            allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERROR | errno.EPERM)
            return [_argument(0), (_ANY_BIT, 0, 1, _THREAD), allow, refuse]
        case "kill" | "tgkill":
            return _one_of(0, (own_pid,), errno.EPERM)
        case "prlimit64":  # asking, not setting: no new limits are given
            return _asking(2)
        case "ioctl":
            return _one_of(1, _TERMINAL_AND_CLOEXEC, errno.ENOTTY)
        case "fcntl":
            return _one_of(1, _DESCRIPTOR, errno.EPERM)
        case _:
            return _one_of(0, _NAMES, errno.EPERM)


def _argument(index: int, half: int = 0) -> tuple[int, int, int, int]:
    """Load an argument's lower or upper 32 bits; both machines have the lower ones first."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index + 4 * half)


def _one_of(index: int, values: tuple[int, ...], error: int) -> _Code:
    code = [_argument(index)]
    for value in values:
        code += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*code, (_RETURN, 0, 0, _ERROR | error)]


def _without(index: int, bits: int, error: int) -> _Code:
    refuse, allow = (_RETURN, 0, 0, _ERROR | error), (_RETURN, 0, 0, _ALLOW)
    return [_argument(index), (_ANY_BIT, 0, 1, bits), refuse, allow]


def _asking(index: int) -> _Code:
    refuse, allow = (_RETURN, 0, 0, _ERROR | errno.EPERM), (_RETURN, 0, 0, _ALLOW)
    lower, upper = _argument(index), _argument(index, 1)
    return [lower, (_EQUAL, 0, 2, 0), upper, (_EQUAL, 1, 0, 0), refuse, allow]
