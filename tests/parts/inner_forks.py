"""Imported by the fork server: what a forked program starts of ours is forked, too.

That is the API process of `pagetide serve`, and the sandbox's.
"""

import sys
from pathlib import Path

from pagetide.inputs import sandbox
from pagetide.server.supervisor import api_process

CHECKOUT = str(Path(__file__).parents[2])
sys.path.append(CHECKOUT)
from tests.parts import forks  # noqa: E402 - it is found from here on

sys.path.remove(CHECKOUT)
for module in (api_process, sandbox):
    vars(module)["subprocess"] = forks.SUBPROCESS
