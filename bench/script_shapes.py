"""Fit the table that identifies scripts by their shapes: `python -m bench.script_shapes`.

Lines of made-up words are drawn with the machine's fonts (`apt-get install fonts-noto-core
fonts-noto-cjk fonts-freefont-ttf fonts-liberation`), blurred, tilted and soiled. Every fourth
font is held out for measuring.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import pagetide.engines.ppocr
from pagetide.engines.ppocr.lines.crops import LINE_HEIGHT, Crop
from pagetide.engines.ppocr.lines.script_shape import Shapes, features_of

TABLE = Path(pagetide.engines.ppocr.__file__).parent / "lines" / "script_shapes.json"
LINES = 2500  # of each family
HIDDEN = 32
STEPS, BATCH, RATE, DECAY = 12000, 256, 2e-3, 1e-4
SLANTED, WEIGHED, RULED, BLURRED = 0.25, 0.3, 0.1, 0.5  # shares of the lines
NUMBERS, SIGNED = 0.08, 0.55  # shares of the words, and of the letters
ALPHABET = 99  # letters at most of one; with more, all are equally frequent
_ODD = re.compile("DejaVuMath|Mono")

Drawn = tuple[NDArray[np.float32], NDArray[np.int64]]
"""The features of lines, lines × features, and the place of each line's family."""
Table = dict[str, list[Any]]


def _letters(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


# Letters from the frequent to the rare, of languages by family; a sample of each weighs the
# first ones more. Signs that follow a letter are given apart.
FAMILIES: dict[str, list[tuple[str, str, str]]] = {
    # family: (a language that fonts are asked for, letters, signs behind letters)
    "Latin": [
        ("en", "etaoinsrhldcumfpgwybvkxjqz", ""),
        ("de", "enisratdhulcgmobwfkzpvßäöü", ""),
        ("tr", "aeinrlıdkmuytsboüşzgçhğvcöpf", ""),
        ("vi", "nhtgciaàáảãạâấầăắêếềôốơớưứđlmouyrv", ""),
    ],
    "Han": [
        ("zh-cn", _letters("\u4e00", "\u9fa5"), ""),
        ("ja", _letters("\u3041", "\u3093") + _letters("\u30a1", "\u30f3"), ""),
    ],
    "Hangul": [("ko", "", "")],
    "Cyrillic or Greek": [
        ("ru", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф", ""),
        ("uk", "оанитвресіклудмпзяьбгйчхцїжшюєщфґ", ""),
        ("el", "αοιετσνηυρπκμλωςδγάίόέήύώχθφβξζψ", ""),
    ],
    "Arabic": [
        ("ar", "اليمونرتبةعدسفهكقأحجشطصخإىذضثئءغزؤظ", ""),
        ("fa", "ایرندوهمتبسشکزلفگقخعجحپصطضچغذثژظئ", ""),
    ],
    "Hebrew": [("he", "יוהלאתשרמבנחדעקפםצכגטסןזףךץ", "")],
    "Devanagari or a script like it": [
        ("hi", "करनसतमहपलयवबदजगशटचधखभथणषडउअइएआओझछ", "ािेीोंुै्ूौ़"),
        ("bn", "রনকতসবলদমযপহশজটগচছআইএখভধথঅ", "ািেীোুূ্ৃ"),
        ("pa", "ਰਨਸਕਤਦਲਹਮਵਪਜਬਗਟਚਭਖਅਇਉਸ਼ਆਥਧ", "ਾੀਿੇੋਂੁੰੈੂ"),
    ],
    "Telugu, Tamil or Kannada": [
        ("te", "నరలకతడవసమయపదగచటబజణధహఅఇఆఉ", "ాిుేెీోూైొం"),
        ("ta", "கதபமரனவலடயறநசளஅணழஇஉஎஆஞ", "்ாிுைேெீோூொ"),
        ("kn", "ರನಲಕತಡವಸಮಯಪದಗಚಟಬಜಣಧಹಅಇಆ", "ಾಿುೇೆೀೋೂೈೊಂ"),
        ("ml", "നരലകതടവസമയപദഗചബജണധഹഅഇആളഴറ", "ാിുേെീോൂൈൊംം്"),
    ],
    "Thai": [("th", "านรอกเงมยลวดทสตปบคหแจพชขใไถธณผศ", "ัี่้ิ์ื็ุูํ๊")],
}
_INITIALS = [11, 0, 9, 2, 5, 12, 3, 6, 7, 18, 14, 16, 15, 17]
_MEDIALS = [0, 20, 18, 8, 4, 13, 5, 6, 1, 9, 12, 2, 17]
_FINALS = [0, 0, 0, 4, 21, 8, 1, 16, 17, 19, 20]


def main() -> None:
    """Draw, fit, report how often lines in unseen fonts are identified; write the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.script_shapes", description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--out", type=Path, default=TABLE)
    arguments = parser.parse_args()
    sets = {held: _drawn(arguments.lines // (1, 4)[held], held=held) for held in (False, True)}
    table = _fitted(*sets[False])
    for held, (features, family) in sets.items():
        right = np.mean(_families(table, features) == family)
        print(f"{'unseen fonts' if held else 'fitted on'}: {100 * right:.1f} % of lines")
    _tell(table, *sets[True])
    arguments.out.write_text(json.dumps(table) + "\n")


def _drawn(count: int, *, held: bool) -> Drawn:
    """This many lines of each family, in held-out fonts or in the others."""
    chance = random.Random(int(held))  # noqa: S311
    features, family = [], []
    for at, languages in enumerate(FAMILIES.values()):
        made = 0
        while made < count:
            language, letters, signs = chance.choice(languages)
            font = chance.choice(_fonts(language, held=held))
            picture = _picture(_text(letters, signs, chance), font, chance)
            found = None if picture is None else features_of(_soiled(picture, chance))
            if found is not None:
                features.append(found)
                family.append(at)
                made += 1
    return np.array(features), np.array(family)


def _text(letters: str, signs: str, chance: random.Random) -> str:
    return " ".join(_word(letters, signs, chance) for _ in range(chance.randint(1, 7)))


def _word(letters: str, signs: str, chance: random.Random) -> str:
    if chance.random() < NUMBERS:
        return str(chance.randint(1, 9999))
    said = []
    for _ in range(min(11, 1 + int(chance.expovariate(1 / 5)))):
        said.append(_often(letters, 5, chance) if letters else _syllable(chance))
        if signs and chance.random() < SIGNED:
            said.append(_often(signs, 4, chance))
    word = "".join(said)
    style = chance.random()
    return word.upper() if style < 0.12 else word.capitalize() if style < 0.35 else word


def _often(letters: str, slope: float, chance: random.Random) -> str:
    """One of the letters, of which the first are the frequent ones; of many, any."""
    if len(letters) > ALPHABET:
        return chance.choice(letters)
    return letters[min(int(chance.expovariate(slope / len(letters))), len(letters) - 1)]


def _syllable(chance: random.Random) -> str:
    first, second, third = map(chance.choice, (_INITIALS, _MEDIALS, _FINALS))
    return chr(0xAC00 + (first * 21 + second) * 28 + third)


@cache
def _fonts(language: str, *, held: bool) -> list[tuple[str, int]]:
    """The files of fonts that have a language's letters, and the places in them."""
    command = ["fc-list", f":lang={language}", "file", "index"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = sorted(line for line in told.splitlines() if not _ODD.search(line))
    fonts = [
        (line.partition(":")[0], int(line.rpartition("=")[2]) & 0xFFFF)  # above: a variation
        for line in lines
    ]
    return [font for at, font in enumerate(fonts) if (at % 4 == 3) == held] or fonts


def _picture(
    text: str, font: tuple[str, int], chance: random.Random
) -> NDArray[np.uint8] | None:
    path, index = font
    size = chance.randint(16, 60)
    face = ImageFont.truetype(path, size, index=index, layout_engine=ImageFont.Layout.RAQM)
    left, top, right, low = face.getbbox(text)
    if right - left < size:
        return None
    pad = chance.uniform(0.05, 0.3) * size
    image = Image.new("RGB", (int(right - left + 2 * pad), int(low - top + 2 * pad)), "white")
    ImageDraw.Draw(image).text((pad - left, pad - top), text, "black", font=face)
    return np.asarray(image)


def _soiled(picture: NDArray[np.uint8], chance: random.Random) -> Crop:
    """The line as a scan has it: skewed or slanted, coarse, heavier or lighter, ruled, grey."""
    line = _scaled(_leaning(picture, chance), chance)
    if chance.random() < WEIGHED:
        line = chance.choice((cv2.erode, cv2.dilate))(line, np.ones((2, 2), np.uint8))
    if chance.random() < RULED:
        row = chance.choice((1, LINE_HEIGHT - 3))
        line[row : row + 2] = 0
    if chance.random() < BLURRED:
        line = cv2.GaussianBlur(line, (0, 0), chance.uniform(0.3, 1.2))
    paper, letters = chance.uniform(200, 255), chance.uniform(0, 90)
    seed = np.random.default_rng(chance.getrandbits(32))
    noise = seed.normal(0, chance.uniform(0, 12), line.shape)
    shown = letters + (paper - letters) * line / 255.0 + noise
    return np.asarray(np.clip(shown, 0, 255), np.uint8)


def _leaning(picture: NDArray[np.uint8], chance: random.Random) -> cv2.typing.MatLike:
    height, width = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), chance.gauss(0, 0.4), 1.0)
    if chance.random() < SLANTED:
        turn[0, 1] -= chance.uniform(0.1, 0.35)
    return cv2.warpAffine(picture, turn, (width, height), borderValue=(255, 255, 255))


def _scaled(line: cv2.typing.MatLike, chance: random.Random) -> cv2.typing.MatLike:
    height, width = line.shape[:2]
    scale = chance.uniform(14, 48) / height
    coarse = cv2.resize(line, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    across = max(8, round(width * LINE_HEIGHT / height * chance.uniform(0.8, 1.25)))
    return cv2.resize(coarse, (across, LINE_HEIGHT), interpolation=cv2.INTER_LINEAR)


def _fitted(features: NDArray[np.float32], family: NDArray[np.int64]) -> Table:
    """A network with one hidden layer, by Adam (Kingma and Ba, 2015)."""
    center, spread = features.mean(axis=0), features.std(axis=0) + 1e-3
    known = _with_one((features - center) / spread)
    wanted = np.eye(len(FAMILIES))[family]
    seed = np.random.default_rng(0)
    layers = [
        seed.normal(0, known.shape[1] ** -0.5, (known.shape[1], HIDDEN)),
        seed.normal(0, HIDDEN**-0.5, (HIDDEN + 1, len(FAMILIES))),
    ]
    mean, square = ([np.zeros_like(layer) for layer in layers] for _ in range(2))
    for step in range(1, STEPS + 1):
        batch = seed.integers(0, len(known), BATCH)
        rate = RATE * (1 - step / STEPS)
        for i, slope in enumerate(_slopes(layers, known[batch], wanted[batch])):
            slope += DECAY * layers[i]
            mean[i] += 0.1 * (slope - mean[i])
            square[i] += 0.001 * (slope**2 - square[i])
            sure = np.sqrt(square[i] / (1 - 0.999**step)) + 1e-8
            layers[i] -= rate * mean[i] / (1 - 0.9**step) / sure
    return {
        "families": list(FAMILIES),
        "center": np.round(center, 4).tolist(),
        "spread": np.round(spread, 4).tolist(),
        "hidden": np.round(layers[0], 3).tolist(),
        "weights": np.round(layers[1], 3).tolist(),
    }


def _slopes(
    layers: list[NDArray[np.float64]], known: NDArray[np.float64], wanted: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    hidden = np.maximum(known @ layers[0], 0)
    scores = _with_one(hidden) @ layers[1]
    chances = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    wrong = (chances - wanted) / len(known)
    back = (wrong @ layers[1][:-1].T) * (hidden > 0)
    return [known.T @ back, _with_one(hidden).T @ wrong]


def _with_one(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hstack([rows, np.ones((len(rows), 1))])


def _families(table: Table, features: NDArray[np.float32]) -> NDArray[np.int64]:
    shapes = Shapes.of(table)
    return np.array([shapes.weigh(one).argmax() for one in features])


def _tell(table: Table, features: NDArray[np.float32], family: NDArray[np.int64]) -> None:
    told = _families(table, features)
    names = list(FAMILIES)
    for at, name in enumerate(names):
        counts = np.bincount(told[family == at], minlength=len(names))
        others = ", ".join(f"{names[i]} {n}" for i, n in enumerate(counts) if n and i != at)
        print(f"{name}: {counts[at]} of {counts.sum()}; {others}")


if __name__ == "__main__":
    main()
