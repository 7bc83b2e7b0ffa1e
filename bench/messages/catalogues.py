"""Sentences of the machine's message catalogues (`/usr/share/locale`), by language."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

LOCALE = Path("/usr/share/locale")
LEAST, SHORTEST = 60, 25  # letters of a sentence; sentences of a language
UNSPACED = ("ja", "zh_CN")
# Placeholders, options and markup, which no prose has.
_NO_PROSE = re.compile(r"%[-\d.]*[sdlu]|--\w|\\|\{|\$|<[a-z]")
_ENDED = re.compile(r"[.!?。]$")


@cache
def sentences(language: str) -> tuple[str, ...]:
    """A language's messages of one or more sentences, each once, in a fixed order."""
    found: dict[str, None] = {}
    for file in sorted(LOCALE.glob(f"{language}/LC_MESSAGES/*.mo")):
        for paragraph in _paragraphs(file):
            text = " ".join(paragraph.split())
            if len(text) >= LEAST and _ENDED.search(text) and not _NO_PROSE.search(text):
                found[text] = None
    return tuple(text for text in found if text[0].isalpha())


def _paragraphs(file: Path) -> Iterator[str]:
    try:
        with file.open("rb") as read:
            catalogue = gettext.GNUTranslations(read)._catalog  # type: ignore[attr-defined]
    except (OSError, ValueError, UnicodeDecodeError):
        return
    for key, text in catalogue.items():
        if isinstance(key, str) and isinstance(text, str):
            yield from re.split(r"\n\s*\n", text)


class Texts:
    """Texts drawn from a language's messages, none twice before all are used."""

    def __init__(self, language: str, seed: str) -> None:
        """Shuffle them.

        Raises:
            ValueError: The machine has too few in this language.
        """
        self.chance = Random(f"{language} {seed}")  # noqa: S311 - drawn again by its seed
        self._joint = "" if language in UNSPACED else " "
        self._left = list(sentences(language))
        if len(self._left) < SHORTEST:
            message = f"{language}: {len(self._left)} messages under {LOCALE}"
            raise ValueError(message)
        self.chance.shuffle(self._left)
        self._next = 0

    def sentence(self, most: int = 10**6) -> str:
        """The next message, or its start of at most so many letters."""
        self._next += 1
        return self._left[self._next % len(self._left)][:most]

    def paragraph(self, counts: Sequence[int] = (1, 1, 2, 2, 3, 4)) -> str:
        """One message or several."""
        return self._joint.join(self.sentence() for _ in range(self.chance.choice(counts)))

    def words(self, least: int, most: int) -> str:
        """The first words of a message, or as many letters times three without spaces."""
        count = self.chance.randint(least, most)
        if not self._joint:
            return re.sub(r"\W", "", self.sentence())[: 3 * count]
        words = (word.strip('.,:;()"“”«»') for word in self.sentence().split())
        return " ".join([word for word in words if word][:count]).rstrip(".,:;")
