"""The Python that has PaddleOCR: which packages it has, and how a program of it is started."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

from pagetide.errors import ModelUnavailable, installing
from pagetide.settings import Settings

RUNNER = Path(__file__).with_name("runner.py")
_PROBE_S = 30.0  # only reads the packages' metadata; a cold disk and busy cores


def not_installed(python: str, missing: str = "paddleocr") -> ModelUnavailable:
    """The error of a Python that has no PaddleOCR."""
    ours = python == sys.executable
    where = "this Python" if ours else f"the Python of PAGETIDE_PADDLE_PYTHON ({python})"
    return ModelUnavailable(
        f"PaddleOCR is not installed in {where} ({missing or 'paddleocr'} is missing): make "
        'an environment for it with `pip install "paddleocr>=3.7,<3.8" "paddlex[ocr]" '
        "onnxruntime`, and set PAGETIDE_PADDLE_PYTHON to its Python; or "
        f"{installing('paddle')}."
    )


@lru_cache(maxsize=8)
def installed(python: str) -> dict[str, str]:
    """Versions of what a Python has that matters here; `paddleocr` is among it.

    Nothing of it is imported: this takes a tenth of a second.

    Raises:
        ModelUnavailable: There is no such Python, or it has no PaddleOCR.
    """
    try:
        output = subprocess.run(  # noqa: S603  # our own program
            command(python, "", "versions"),
            capture_output=True,
            timeout=_PROBE_S,
            check=True,
        ).stdout
        found: dict[str, str] = json.loads(output)
    except (OSError, subprocess.SubprocessError, ValueError):
        raise ModelUnavailable(
            f"PAGETIDE_PADDLE_PYTHON ({python}) is not a working Python."
        ) from None
    if "paddleocr" not in found:
        raise not_installed(python)
    return found


def command(python: str, home: str, *arguments: str) -> list[str]:
    """What starts `runner.py` with other variables than ours, by the program `env`.

    PaddleX reads its variables when it is imported, so they must be there before. Ours are
    taken out: they hold secrets, and nothing in that process asks for them. Its folder of
    networks is an empty one: whatever is not named to it is not there.
    """
    given = {
        "PADDLE_PDX_CACHE_HOME": home,
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
        "PYTHONUNBUFFERED": "1",
    }
    ours = [f"PAGETIDE_{field.name.upper()}" for field in fields(Settings)]
    if python != sys.executable:  # what leads this Python would lead another astray
        ours += ["PYTHONHOME", "PYTHONPATH"]
    unset = [word for name in ours for word in ("-u", name)]
    program = shutil.which("env") or "/usr/bin/env"
    variables = [f"{name}={value}" for name, value in given.items()]
    return [program, *unset, *variables, python, str(RUNNER), *arguments]
