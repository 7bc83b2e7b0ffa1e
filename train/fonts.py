"""Free fonts, reduced to the signs that are drawn: `python -m train.fonts TARGET FOLDER…`.

The fonts are those of Debian's packages (README.md lists them). The output: `latin/` with
the fonts that have all of ASCII, `foreign/` with those of other scripts, and each font's name
begins with its weight in drawing: `8-` for the faces common in documents.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from train.letters import LETTERS, LIGATURES, SIGNS

USUAL = re.compile(
    r"liberation|arimo|tinos|cousine|carlito|caladea|roboto(?!Slab)|dejavu|texgyre|qtm|"
    r"nimbus|lmroman|lmsans|lmmono|cmun(rm|bx|ti|ss|tt)|opensans|lato|notosans|notoserif|"
    r"freesans|freeserif|freemono|linlibertine|linbiolinum|gentium|charis|inter-|courierprime|"
    r"p052|c059|bookman|d050|urwgothic|z003|stix|ebgaramond|times|arial|sourcesans|cantarell",
    re.IGNORECASE,
)
LEFT_OUT = re.compile(
    r"bebas|symbol|dingbat|math|variable|emoji|braille|wine|icons|euterpe|levien|isabella|"
    r"ellen|elle(boli|bold)|elegi|alfa-beta|ocrb[xef]|biolinum_k|solothurn|dkgit|kristi|"
    r"barcode|cabinsketch|lmsy|lmex|lmmi|tengwar|staypuft|unifont.*upper|csur|d050000|glasstty",
    re.IGNORECASE,
)
NOTO = re.compile(
    r"Noto(Sans|Serif|SansMono)-(Regular|Bold|Italic|BoldItalic|Light|Medium|SemiBold|Condensed"
    r"|CondensedBold|SemiCondensed|CondensedLight|ExtraCondensed|CondensedItalic)\."
)
FOREIGN_FONTS = re.compile(
    r"Noto(SansCJK-Regular|SerifCJK-Regular|SansArabic-Regular|NaskhArabic-Regular"
    r"|SansHebrew-Regular|SansDevanagari-Regular|SansThai-Regular|SansBengali-Regular"
    r"|SansTamil-Regular|SansArmenian-Regular|SansGeorgian-Regular|SansSymbols-Regular"
    r"|SansSymbols2-Regular|SansMath-Regular)|^DejaVuSans\.|^DejaVuSerif\.|^FreeSerif\."
)
SIGN_FONTS = re.compile(
    r"^(DejaVu(Sans|Serif|SansMono)|FreeSerif|FreeSans|FreeSerifItalic|LinLibertine_R|LinLibertine_RI"
    r"|Liberation(Sans|Serif|Mono)-(Regular|Italic)|cmun(rm|ti|ss)|STIXMath-Regular"
    r"|texgyre(termes|pagella|heros)-regular|texgyre.*-math|Noto(SansMath|SansSymbols2?|Serif|Sans)-"
    r"(Regular|Italic)|GFSDidot.*|GentiumPlus-R|Carlito-(Regular|Italic)|Roboto-Regular|Symbola"
    r"|latinmodern-math|Cousine-Regular|lmmono10-regular|OpenSans-Regular|FiraCode-Regular)\.",
    re.IGNORECASE,
)
MATH_FONTS = {
    "latinmodern-math": 12, "texgyretermes-math": 5, "STIXMath-Regular": 5,
    "texgyrepagella-math": 2, "texgyreschola-math": 1, "texgyrebonum-math": 1,
    "texgyredejavu-math": 1, "NotoSansMath-Regular": 1,
}  # fmt: skip
_GB = (bytes((high, low)) for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF))
_HAN = "".join(pair.decode("gb2312", "ignore") for pair in _GB)
_BLOCKS = (
    (0x370, 0x400), (0x400, 0x460), (0x531, 0x590), (0x5D0, 0x5EB), (0x620, 0x64B),
    (0x905, 0x940), (0x985, 0x9C0), (0xB85, 0xBC0), (0xE01, 0xE3B), (0x10D0, 0x10FB),
    (0x1EA0, 0x1EFA), (0x2070, 0x209D), (0x2100, 0x2150), (0x2150, 0x2190), (0x2190, 0x2200),
    (0x2200, 0x2300), (0x2460, 0x2474), (0x25A0, 0x2600), (0x2605, 0x2613), (0x2713, 0x2719),
    (0x3041, 0x3097), (0x30A1, 0x30FB), (0xAC00, 0xAD00),
)  # fmt: skip
FOREIGN_SIGNS = {ord(sign) for sign in _HAN} | {
    code for first, past in _BLOCKS for code in range(first, past)
}
LATIN_SIGNS = {ord(letter) for letter in LETTERS[1:-1] if letter not in SIGNS} | {
    ord(ligature) for ligature in LIGATURES.values()
}
MATH_SIGNS = (
    {ord(letter) for letter in LETTERS[1:-1]}
    | set(range(0x1D400, 0x1D800))
    | set(range(0x2100, 0x2140))
)


def write(target: Path, folders: list[Path]) -> int:
    """Write the fonts; returns how many.

    Beside those of letters, `signs/` has those with signs between letters, `math/` those with
    the alphabets of formulas.
    """
    written = set()
    for path in _fonts(folders):
        name = path.name
        foreign = bool(FOREIGN_FONTS.search(name))
        if foreign:
            written |= {_write(path, target / "foreign", 1, FOREIGN_SIGNS)}
        if SIGN_FONTS.search(name):
            written |= {_write(path, target / "signs", 1, {ord(sign) for sign in SIGNS})}
        if path.stem in MATH_FONTS:
            weight = MATH_FONTS[path.stem]
            written |= {_write(path, target / "math", weight, MATH_SIGNS)}
        is_noto = "noto" in name.lower()
        if (not is_noto or NOTO.match(name)) and not LEFT_OUT.search(name):
            weight = 8 if USUAL.search(name) else 1
            written |= {_write(path, target / "latin", weight, LATIN_SIGNS)}
    return len(written - {""})


def _fonts(folders: list[Path]) -> Iterator[Path]:
    seen = set()
    for folder in folders:
        for path in sorted(folder.rglob("*.*")):
            is_font = path.suffix.lower() in (".ttf", ".otf", ".ttc") and path.is_file()
            if is_font and path.stem.lower() not in seen:
                seen.add(path.stem.lower())
                yield path


def _write(path: Path, target: Path, weight: int, signs: set[int]) -> str:
    try:
        font = TTFont(path, fontNumber=0, lazy=False)
        held = set(font.getBestCmap() or {})
        if (signs is LATIN_SIGNS and not set(range(0x21, 0x7F)) <= held) or "fvar" in font:
            return ""
        options = subset.Options(hinting=False, layout_features=["kern"], notdef_outline=True)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=signs & held)
        cutter.subset(font)
    except Exception as error:
        print(f"{path.name}: left out: {error}", file=sys.stderr)
        return ""
    target.mkdir(parents=True, exist_ok=True)
    place = target / f"{weight}-{path.stem}.{'otf' if 'CFF ' in font else 'ttf'}"
    font.save(place)
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    return digest


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]]))
