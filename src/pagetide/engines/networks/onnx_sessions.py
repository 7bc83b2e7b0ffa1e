"""Networks on ONNX Runtime: on the CPU, or on a CUDA device."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import onnxruntime as ort
from numpy.typing import NDArray

from pagetide.engines.networks.cuda_graphs import CudaGraphs, engine_failures, on_device
from pagetide.errors import RuntimeUnavailable

Run = Callable[..., list[NDArray[Any]]]
"""From a network's inputs, in their order, to its outputs. Raises `EngineFailed`."""

Opening = Callable[..., Run]
"""As `network`: opens one."""

_log = logging.getLogger(__name__)

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
AS_REQUESTED = 1  # ONNX Runtime's number: no twice as much whenever more is wanted


def network(model: bytes, *, cuda: bool, threads: int) -> Run:
    """A network, ready to run from any thread; see `session`."""
    if cuda:
        try:
            opened = partial(session, model, cuda=True, threads=threads, graphs=True)
            return CudaGraphs(opened).run
        except RuntimeUnavailable:
            raise
        except Exception:  # ONNX Runtime's own, which have no common base
            _log.warning(
                "a network cannot be captured as a CUDA graph: each shape takes seconds"
            )
    plain = session(model, cuda=cuda, threads=threads)
    names = [item.name for item in plain.get_inputs()]
    return lambda *given: run(plain, dict(zip(names, given, strict=True)))


def providers(*, cuda: bool, graphs: bool = False) -> list[str | tuple[str, dict[str, str]]]:
    """CUDA or nothing: a GPU asked for is never swapped for the CPU in silence.

    Raises:
        RuntimeUnavailable: The installed ONNX Runtime cannot use CUDA.
    """
    if not cuda:
        return [CPU]
    if CUDA not in ort.get_available_providers():
        raise RuntimeUnavailable(
            "The runtime 'cuda' needs onnxruntime-gpu and a CUDA device; "
            "the ONNX Runtime here has no CUDA provider."
        )
    # The default tries every algorithm for every shape; `DEFAULT` plans no sooner and is eight
    # times slower then. In float16 all of it took three quarters of the time that float32 with
    # TF32 takes on an H200, but the detector's map had holes of NaN.
    options = {"cudnn_conv_algo_search": "HEURISTIC", "enable_cuda_graph": str(int(graphs))}
    return [(CUDA, options), CPU]


def session(
    model: bytes | str, *, cuda: bool, threads: int, graphs: bool = False
) -> ort.InferenceSession:
    """A network ready to run.

    Args:
        model: The ONNX model, or the path of its file.
        cuda: Whether it runs on a CUDA device.
        threads: Cores that one run takes.
        graphs: Whether its runs are captured as CUDA graphs.

    Raises:
        RuntimeUnavailable: ONNX Runtime cannot use CUDA, or found no device.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads must not spin: the cores belong to other threads by then.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    opening = partial(
        ort.InferenceSession, model, options, providers=providers(cuda=cuda, graphs=graphs)
    )
    if cuda and on_device(_have_shared_memory):
        options.add_session_config_entry("session.use_env_allocators", "1")
        # Of its own: another session's graph writes over what lies in the shared memory.
        options.add_session_config_entry("session.use_device_allocator_for_initializers", "1")
    made = on_device(opening) if cuda else opening()
    # Without a device, its driver or one of CUDA's libraries ONNX Runtime takes the CPU, and
    # says so only on the error stream.
    if cuda and CUDA not in made.get_providers():
        raise RuntimeUnavailable(
            "The runtime 'cuda' found no CUDA device it can use: check that the"
            " driver and the libraries of CUDA 12 and cuDNN 9 are installed, and that"
            " this process may use the GPU."
        )
    return made


@cache
def _have_shared_memory() -> bool:
    """Whether what all sessions compute on the way has one arena on the device.

    They run one after another, so each may write over what another has left: on an H100 a
    process that has met 12 shapes takes 3.0 GiB, with an arena for each session 8.4.
    """
    place = ort.OrtMemoryInfo(
        "Cuda", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT
    )
    arena = ort.OrtArenaCfg({"arena_extend_strategy": AS_REQUESTED})
    try:
        ort.create_and_register_allocator_v2(CUDA, place, {"device_id": "0"}, arena)
    except RuntimeError as error:
        _log.warning("networks cannot share memory on the GPU and take more of it: %s", error)
        return False
    return True


def run(network: ort.InferenceSession, given: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """The network's outputs.

    Raises:
        EngineFailed: ONNX Runtime failed.
    """
    asked = partial(network.run, None, dict(given))
    with engine_failures():
        outputs: list[NDArray[Any]] = (
            on_device(asked) if CUDA in network.get_providers() else asked()
        )
    return outputs
