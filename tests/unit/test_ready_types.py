"""Several threads that read the first JSON of a type at once."""

from __future__ import annotations

import subprocess
import sys

# The inner type is worked out while the outer one is known but half done: then `slow` lets the
# other thread come.
PROGRAM = """
import threading
import msgspec
from pagetide.system.ready_types import ready

inside, read, values = threading.Event(), threading.Event(), []

def slow():
    inside.set()
    read.wait(0.3)
    return int

class Inner(msgspec.Struct):
    a: "slow()"

class Outer(msgspec.Struct):
    inner: Inner

def reading():
    found = msgspec.json.decode(b'{"inner": {"a": 3}}', type=ready(Outer))
    values.append(found.inner.a)

first = threading.Thread(target=reading)
first.start()
inside.wait()
reading()
read.set()
first.join()
print(values)
"""


def test_a_type_is_whole_before_a_second_thread_reads_by_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"[3, 3]\n")
