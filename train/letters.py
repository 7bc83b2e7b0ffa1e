"""The letters that the network reads; class 0 is the blank of the labelling."""

from __future__ import annotations

FOREIGN = "\ufffd"
"""What every other sign is to the network: something that a better one has to read."""

_PUNCTUATION = "¡£¥§©«®°±²³´·¹º»¼½¾¿ª¢×÷–—‘’“”„‚…•·‰€™→−≤≥µ"
SIGNS = (
    "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ∈∉∀∃⇒⇔←↔↦∂∇∞√∫≈≠≡∼∗∩∪⊂⊆∧∨⊕⊗∘"
    "■□▪▫●○◦▶►▲▼◆◇★☆☐☑☒✓✔✗‖†‡′″∅¬∑∏∥⟨⟩ϕϵℓ"
)
"""What stands between the letters of Latin text, and in the fonts of few."""
LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
"""One sign that shows several letters; the longest first."""
_LATIN_1 = "".join(chr(code) for code in range(0xC0, 0x100) if chr(code) not in "×÷")
_EXTENDED = (
    "".join(chr(code) for code in range(0x100, 0x180) if chr(code) not in "ŉĲĳĿŀſĸŁłŊŋŦŧ")
    + "ŁłŊŋŦŧȘșȚț"
)

LETTERS = tuple(
    dict.fromkeys(
        [
            "",
            *map(chr, range(0x20, 0x7F)),
            *_PUNCTUATION,
            *_LATIN_1,
            *_EXTENDED,
            *SIGNS,
            FOREIGN,
        ]
    )
)
CLASSES = {letter: number for number, letter in enumerate(LETTERS)}


def label(text: str) -> list[int]:
    """The classes of a text; a run of other signs is one class."""
    classes = [CLASSES.get(letter, CLASSES[FOREIGN]) for letter in text]
    last = CLASSES[FOREIGN]
    return [c for i, c in enumerate(classes) if c != last or i == 0 or classes[i - 1] != last]


def text_of(classes: list[int]) -> str:
    """The text of classes, one letter for each."""
    return "".join(LETTERS[number] for number in classes)
