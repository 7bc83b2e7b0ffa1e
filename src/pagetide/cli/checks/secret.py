"""The check of the secret that passwords are encrypted with."""

from __future__ import annotations

from pagetide.cli.checks.examination import Steps
from pagetide.errors import SecretMissing
from pagetide.server import wiring
from pagetide.settings import Settings


def check_secret(settings: Settings, steps: Steps) -> None:
    """Check that there is one; a file of this machine's own is looked at, but not made.

    Raises:
        PagetideError: It is too short, or cannot be read.
    """
    steps.doing = "it was looked for"
    cipher = wiring.open_cipher(settings)
    try:
        cipher.check()
    except SecretMissing:
        steps.warnings.append("none is set: documents with a password are refused")
        return
    if cipher.given:
        steps.notes.append(
            "set" if cipher.given == 1 else f"{cipher.given} set, the first encrypts"
        )
    elif cipher.made():
        steps.notes.append("the file `secret` in the data folder")
    else:
        steps.notes.append("the file `secret` in the data folder will be created on first use")
