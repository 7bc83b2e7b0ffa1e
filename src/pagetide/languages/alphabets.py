"""Which characters belong to an alphabet."""

from __future__ import annotations

_LATIN_RANGES = (
    (0x0020, 0x007E),  # Basic Latin
    (0x00A0, 0x024F),  # Latin-1, Latin Extended-A and -B
    (0x0250, 0x02AF),  # phonetic letters, as dictionaries print them
    (0x0370, 0x03E1),  # Greek: formulas, units, headings
    (0x03F0, 0x03FF),  # Greek symbols; between them stands Coptic
    (0x1E00, 0x1EFF),  # Latin Extended Additional
    (0x2010, 0x205E),  # General Punctuation: dashes, quotes, bullets, dagger, per mille
    (0x2070, 0x209F),  # superscripts and subscripts
    (0x20A0, 0x20CF),  # currency
    (0x2100, 0x218F),  # letterlike symbols and number forms
    (0x2190, 0x22FF),  # arrows and mathematical operators
    (0x25A0, 0x25FF),  # geometric shapes: bullets of lists
    (0x2605, 0x2606),  # stars
    (0x2610, 0x2612),  # boxes of forms
    (0x2713, 0x2718),  # ticks and crosses
)


def in_latin_alphabet(character: str) -> bool:
    """Whether a Latin recognition head keeps this character of the model's dictionary.

    Kept are the letters of every language in Latin script, digits, punctuation, currency,
    and the Greek letters, arrows and signs that stand between them; a line with anything
    else is read again with the full head.
    """
    if len(character) != 1:
        return False
    point = ord(character)
    return any(first <= point <= last for first, last in _LATIN_RANGES)
