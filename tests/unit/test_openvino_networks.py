"""What OpenVINO must not do to the process that it runs in."""

from __future__ import annotations

import subprocess
import sys

# A network is opened here, let go by another thread, and then Ctrl-C is pressed.
PROGRAM = """
import gc, os, queue, signal, sys, threading
import numpy as np
from openvino import opset13 as ops
from pagetide.engines.networks.quiet_openvino import ov
from pagetide.engines.networks.openvino_networks import Networks

def model():
    given = ops.parameter([1, 4], np.float32)
    return ov.Model([ops.relu(given)], [given])

networks = Networks(1, bf16=False, cache_folder=None, made_from=())
network = networks.network("relu", model, 1)
network.infer(np.zeros((1, 4), np.float32))
handed = queue.SimpleQueue()
handed.put((networks, network))
del networks, network
closing = threading.Thread(target=lambda: (handed.get(), gc.collect()))
closing.start()
closing.join()
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_after_an_engine_was_closed_by_another_thread_ends_nothing() -> None:
    """OpenVINO leaves a thread's signals a stack that is unmapped with the engine."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n"), ended.stderr
