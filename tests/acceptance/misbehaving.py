"""What a document could make the sandbox's child do, for `test_sandbox`."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pagetide.errors import PasswordWrong
from pagetide.inputs.wire import Parcel


def echo(*values: object) -> list[object]:
    return list(values)


def pid() -> int:
    return os.getpid()


def large(size: int) -> bytes:
    return bytes(size)


def parts(count: int, size: int) -> Parcel:
    return Parcel({"count": count}, (bytes([n]) * size for n in range(count)), count * size)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(3)


def hang() -> None:
    signal.pause()


def hang_in_c() -> int:
    return sum(range(10**13))  # never lets another thread of Python's run


def take(megabytes: int) -> int:
    return len(b"x" * (megabytes << 20))


def abort(_: int) -> None:
    os.abort()  # as PDFium does when it is refused memory


def chatter() -> str:
    os.write(1, b"a library prints " * 100)
    return "said"


def refuse() -> None:
    raise PasswordWrong


def stumble() -> None:
    raise KeyError("a secret of the document")


def write_file(path: str) -> int:
    return Path(path).write_text("x" * 10)


def half_a_reply() -> Parcel:
    return Parcel(None, [b"half"], 1000)
