"""When a page's own text is taken for what the page shows."""

from __future__ import annotations

import pytest

from pagetide.inputs.pdf.trust import TextFacts, judge

ARABIC = "تقرير الميناء عن السفن التي وصلت في الشهر الماضي ووجدت مكانا في الحوض الجديد " * 6
LATIN = (
    "www.harbour.example lists wards iii and xxx, rooms AAA to CCC; ooo, said the crew. " * 6
)


def judged(text: str) -> tuple[bool, str]:
    decision = judge(TextFacts(text=text, words=len(text.split())))
    return decision.used, decision.reason


@pytest.mark.parametrize("text", [ARABIC, LATIN])
def test_sound_text_is_trusted(text: str) -> None:
    assert judged(text) == (True, "trusted")


def test_strokes_that_are_said_to_be_letters_are_garbage() -> None:
    """Words are stretched to a column by strokes; a font may say that they are waws."""
    words = [
        word[:2] + "ووو" + word[2:] if i % 4 == 0 else word
        for i, word in enumerate(ARABIC.split())
    ]
    assert judged(" ".join(words)) == (False, "garbage")
