"""What the documentation says of pinned networks is what the registry holds."""

from __future__ import annotations

import re
from pathlib import Path

from pagetide.engines.models.registry import registry

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "models.md"


def test_the_number_of_pinned_networks_is_told() -> None:
    models = registry().models.values()
    pinned = [one for one in models if one.pinned]
    told = re.search(
        r"Of the (\d+) networks (\d+) are pinned", PAGE.read_text(encoding="utf-8")
    )
    assert told
    assert (int(told[1]), int(told[2])) == (len(models), len(pinned))
    assert f"the other {len(models) - len(pinned)}," in PAGE.read_text(encoding="utf-8")


def test_all_that_our_own_engines_run_is_pinned() -> None:
    ours = ("package:", "modelscope:")
    assert [
        one.name
        for one in registry().models.values()
        if one.source.startswith(ours) and not one.pinned
    ] == []
