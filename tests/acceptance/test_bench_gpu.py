"""The GPU's benchmark, started as it is, on the CPU: processes, callers, the table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.corpus import PROJECT


def test_it_prints_its_rows(tmp_path: Path) -> None:
    (tmp_path / "forms").mkdir()
    for name in ("receipt.jpg", "table.png"):
        shutil.copy(PROJECT / "samples" / name, tmp_path / "forms")
    words = ["-m", "bench.gpu", str(tmp_path), "--runtime", "onnxruntime", "--sets", "forms"]
    words += ["--models", "pp-ocrv6", "--processes", "2", "--seconds", "0.1", "--no-errors"]
    done = subprocess.run(
        [sys.executable, *words], cwd=PROJECT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:] for line in done.stdout.splitlines() if "forms:" in line]
    assert [row[0].strip() for row in rows[-2:]] == [
        "pp-ocrv6, forms: one caller, warm, decoding and all",
        "pp-ocrv6, forms: 16 callers, 2 processes",
    ]
    assert float(rows[-1][1].split()[0]) >= 0
    assert "for the first time" in rows[-2][3]
