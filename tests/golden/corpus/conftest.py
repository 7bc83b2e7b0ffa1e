"""Tests that read other people's documents, which stand beside the checkout or do not.

Where they do not, one test says so and the others are not collected: all that these hold is
held elsewhere too, of documents that are drawn by the tests.
"""

from __future__ import annotations

from pathlib import Path

from tests.conftest import CORPUS

_ALL = {path.name for path in Path(__file__).parent.glob("test_*.py")}

collect_ignore = [] if CORPUS.exists() else sorted(_ALL - {"test_corpus.py"})
