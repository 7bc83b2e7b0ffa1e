"""Networks on OpenVINO that take a picture's bytes: normalisation is part of the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetide.engines.networks.quiet_openvino import op, ov

CENTRE = (127.5,)  # PP-OCR's normalisation: bytes to -1…1
SCALE = (1 / 127.5,)


def taking_pixels(
    model: ov.Model, centre: Sequence[float] = CENTRE, scale: Sequence[float] = SCALE
) -> ov.Model:
    """The model with an input of bytes: N × height × width × 3, blue-green-red.

    The transposition is written out because it then folds into the first convolution's own
    layout; the library's preprocessing stage costs 38 ms a page for the same.

    Args:
        model: Its only input is N × 3 × height × width.
        centre: What is taken off each channel's bytes: one number, or three.
        scale: What they are then multiplied by, likewise.
    """
    old = model.get_parameters()[0]
    _, _, height, width = old.get_partial_shape()
    pixels = op.parameter(ov.PartialShape([-1, height, width, 3]), np.uint8, name="pixels")
    centred = op.subtract(op.convert(pixels, "f32"), _numbers(centre))
    order = op.constant(np.array([0, 3, 1, 2], np.int64))
    planes = op.transpose(op.multiply(centred, _numbers(scale)), order)
    replace(old.output(0), planes.output(0))
    return ov.Model(model.get_results(), [pixels])


def replace(old: ov.Output, new: ov.Output) -> None:
    """Let everything that took the old value take the new one."""
    for taker in list(old.get_target_inputs()):
        taker.replace_source_output(new)


def _numbers(values: Sequence[float]) -> ov.Node:
    return op.constant(np.squeeze(np.array(values, np.float32)))
