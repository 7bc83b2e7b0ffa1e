"""Letters about a harbour in scripts that no bundled network reads.

`python -m tests.golden.drawn_scripts` draws them anew, where Debian's fonts-dejavu and
fonts-noto-cjk are.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FOLDER = Path(__file__).parent / "scripts"
_FONTS = Path("/usr/share/fonts")
FONTS = {
    "russian": _FONTS / "truetype" / "dejavu" / "DejaVuSerif.ttf",
    "korean": _FONTS / "opentype" / "noto" / "NotoSerifCJK-Regular.ttc",
    "hebrew": _FONTS / "truetype" / "dejavu" / "DejaVuSans.ttf",
}
LETTERS = {
    "russian": (
        "Уважаемые жители гавани!",
        "С понедельника причал у маяка закрыт на ремонт.",
        "Лодки просим ставить у южной стены, не ближе",
        "десяти шагов от лестницы. Рыбу принимают как",
        "обычно, с шести утра до полудня. Деньги за",
        "прошлую неделю выдаёт контора на набережной.",
        "Если прилив поднимется выше синей черты,",
        "сторож позвонит в колокол три раза.",
        "С уважением, смотритель маяка.",
    ),
    "korean": (
        "항구 주민 여러분께",
        "월요일부터 등대 옆 부두는 수리를 위해 닫습니다.",
        "배는 남쪽 벽에 대어 주시고 계단에서 열 걸음",
        "이상 떨어뜨려 주십시오. 생선은 평소처럼 아침",
        "여섯 시부터 정오까지 받습니다. 지난주 품삯은",
        "부둣가 사무실에서 드립니다.",
        "물이 파란 선보다 높아지면 종을 세 번 칩니다.",
        "등대지기 올림",
    ),
    "hebrew": (
        "תושבי הנמל היקרים",
        "מיום שני הרציף ליד המגדלור סגור לתיקונים",
        "נא לקשור את הסירות ליד הקיר הדרומי",
        "דגים מתקבלים כרגיל משש בבוקר עד הצהריים",
        "אם המים יעלו מעל הקו הכחול הפעמון יצלצל",
        "בברכה שומר המגדלור",
    ),
}


def main() -> None:
    """Draw them, gray, in few colours."""
    FOLDER.mkdir(exist_ok=True)
    for name, lines in LETTERS.items():
        font = ImageFont.truetype(str(FONTS[name]), 30)
        image = Image.new("L", (1000, 140 + 56 * len(lines)), 255)
        draw = ImageDraw.Draw(image)
        for place, line in enumerate(lines):
            shown = line[::-1] if name == "hebrew" else line
            draw.text((70, 70 + 56 * place), shown, fill=20, font=font)
        image.quantize(8).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
