"""The child that parses, renders and decodes: the only process that opens untrusted bytes.

`python -m pagetide.inputs.child MEMORY_MB SOCKET` answers calls on its standard input and
output until its parent exits; files arrive as descriptors over the socket. It never needs
NumPy, so it starts in a tenth of a second. Its restrictions are in `confinement`. For a long
PDF with text it also assembles the pages, alongside other children.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
import threading
from contextlib import suppress

import msgspec

from pagetide.errors import OutOfMemory, PagetideError
from pagetide.inputs.confinement import confine
from pagetide.inputs.wire import Answer, Call, Channel, Parcel
from pagetide.system.ready_types import ready

# The child kills itself if the parent is gone when a call runs away.
_GRACE_S = 1.0
_PARENT_CHECK_MS = 2000
_PRELOADED = ("pagetide.inputs.pictures.files", "pagetide.inputs.pdf.document")


def main() -> None:
    """Answer calls until the parent exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    channel = Channel(os.dup(0), _own_stdout(), limit_bytes=1 << 40)
    files = socket.socket(fileno=int(sys.argv[2]))
    sys.dont_write_bytecode = True
    gc.disable()  # a page makes thousands of tuples and no cycles: collecting took a fifth
    layers = confine(int(sys.argv[1]))
    threading.Thread(target=_die_with_parent, args=(os.getppid(),), daemon=True).start()
    channel.send(msgspec.msgpack.encode(Answer(msgspec.Raw(msgspec.msgpack.encode(layers)))))
    _preload()
    while True:
        try:
            message, _ = channel.receive()
        except EOFError:
            return
        call = msgspec.msgpack.decode(message, type=ready(Call))
        for place in call.files:
            call.args[place] = socket.recv_fds(files, 1, 1)[1][0]
        _answer(channel, call)


def _own_stdout() -> int:
    """The pipe to the parent, out of reach of anything a library prints."""
    pipe = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe


def _die_with_parent(parent: int) -> None:
    # Not PR_SET_PDEATHSIG: it fires when the thread that started the child ends. The pipe hangs
    # up when the parent dies, however it dies; a process the parent forked may still hold it,
    # so the parent's id is checked too.
    poll = select.poll()
    poll.register(0, 0)
    while not poll.poll(_PARENT_CHECK_MS) and os.getppid() == parent:
        pass
    os._exit(0)


def _preload() -> None:
    """Import the readers while no call is waiting."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    with suppress(ImportError):  # the call that needs it reports it by name
        for module in _PRELOADED:
            if not poll.poll(0):
                importlib.import_module(module)


def _answer(channel: Channel, call: Call) -> None:
    signal.setitimer(signal.ITIMER_REAL, call.timeout_s + _GRACE_S)
    parcel = Parcel(None)
    try:
        parcel = _run(call)
        answer = Answer(msgspec.Raw(msgspec.msgpack.encode(parcel.value)))
    except PagetideError as error:
        answer = Answer(error_code=error.code, error_message=error.message)
    except MemoryError:
        answer = Answer(error_code=OutOfMemory.code)
    except Exception as error:
        # Only the type of a foreign error is reported: its text may quote the document.
        message = f"Reading failed inside the sandbox ({type(error).__name__})."
        answer = Answer(error_code=PagetideError.code, error_message=message)
    channel.send(msgspec.msgpack.encode(answer), parcel.parts, parcel.size)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _run(call: Call) -> Parcel:
    module, _, name = call.function.partition(":")
    result = getattr(importlib.import_module(module), name)(*call.args)
    if isinstance(result, Parcel):
        return result
    if isinstance(result, bytes | bytearray | memoryview):
        return Parcel(None, [result], len(result))
    return Parcel(result)


if __name__ == "__main__":
    main()
