"""Imported by the fork server: the API process that `pagetide serve` starts is forked, too."""

import sys
from pathlib import Path

from pagetide.scaling import box

CHECKOUT = str(Path(__file__).parents[2])
sys.path.append(CHECKOUT)
from tests.parts import forks  # noqa: E402 - it is found from here on

sys.path.remove(CHECKOUT)
vars(box)["subprocess"] = forks.SUBPROCESS
