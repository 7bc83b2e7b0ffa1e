"""How `pagetide doctor` tells what it found: to people, and to programs."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from pagetide.cli.checks.examination import Finding


class Words:
    """Tells people, line by line."""

    wrong = False

    def fact(self, title: str, text: str) -> None:
        """What is installed here."""
        click.echo(f"{title:<10} {text}")

    def finding(self, finding: Finding) -> None:
        """What a check found."""
        at = " ".join(filter(None, (finding.status, finding.place)))
        click.echo(f"{finding.part:<10} {at}, {finding.ms:.0f} ms: {finding.text}")
        if finding.hint:
            click.echo(f"{'':<10} {finding.hint}")
        self.wrong |= finding.status == "wrong"

    def test(self, title: str, text: str, good: bool | None) -> None:
        """What the self-test gave; None where it was left out."""
        click.echo(f"{title:<10} {text}")
        self.wrong |= good is False

    def end(self) -> None:
        """All is told already."""


class Json(Words):
    """Tells programs, at the end."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._parts: list[Finding] = []
        self._tests: list[str] = []
        self._tested: bool | None = None

    def fact(self, title: str, text: str) -> None:
        """See `Words`."""
        self._facts[title] = text

    def finding(self, finding: Finding) -> None:
        """See `Words`."""
        self._parts.append(finding)
        self.wrong |= finding.status == "wrong"

    def test(self, title: str, text: str, good: bool | None) -> None:
        """See `Words`."""
        self._tests.append(text)
        if good is not None:
            self._tested = good and self._tested is not False
        self.wrong |= good is False

    def end(self) -> None:
        """Print the object."""
        told = {
            "ok": not self.wrong,
            "facts": self._facts,
            "parts": [asdict(finding) for finding in self._parts],
            "self_test": {"ok": self._tested, "said": self._tests},
        }
        click.echo(json.dumps(told, ensure_ascii=False))
