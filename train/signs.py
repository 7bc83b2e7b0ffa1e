"""The alphabets of mathematics: which sign shows a letter in which style (Unicode)."""

from __future__ import annotations

from train.formulas import DOUBLE, GREEK, ITALIC, SCRIPT

# Where the blocks of mathematics have holes, since these letters had a code before.
_KNOWN = {
    DOUBLE: dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    SCRIPT: dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True)),
    ITALIC: {"h": "ℎ"},
    GREEK: {"ϵ": "\U0001d716", "ϑ": "\U0001d717", "ϕ": "\U0001d719"},
}
_CAPITALS = {DOUBLE: 0x1D538, SCRIPT: 0x1D49C, ITALIC: 0x1D434}
_SMALL = {DOUBLE: 0x1D552, SCRIPT: 0x1D4B6, ITALIC: 0x1D44E}
_ALPHA = 0x1D6FC


def shown(letter: str, style: str) -> str:
    """The sign of a letter in an alphabet of mathematics; itself where it has none."""
    if letter in _KNOWN.get(style, {}):
        return _KNOWN[style][letter]
    if style == GREEK and "α" <= letter <= "ω":
        return chr(_ALPHA + ord(letter) - ord("α"))
    if style in _CAPITALS and "A" <= letter <= "Z":
        return chr(_CAPITALS[style] + ord(letter) - ord("A"))
    if style in _SMALL and "a" <= letter <= "z":
        return chr(_SMALL[style] + ord(letter) - ord("a"))
    return letter
