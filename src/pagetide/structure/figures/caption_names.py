"""How captions start: the names of figures and tables in many languages, and a number."""

from __future__ import annotations

import re

_LATIN = (
    # English, German, French, Spanish, Italian, Portuguese, Dutch
    "table figure fig chart scheme plate box exhibit graph "
    "tabelle abbildung abb tableau graphique tabla cuadro figura gráfico tabella grafico "
    "tabela quadro tabel figuur afbeelding "
    # Polish, Czech, Swedish, Danish, Norwegian, Romanian, Turkish, Vietnamese, Indonesian
    "rysunek rys tabulka obrázek obr tabell figur tabelul tablo şekil bảng hình gambar"
)
_OTHERS = (
    # Russian, Ukrainian, Bulgarian, Serbian; Greek; Arabic; Hebrew; Hindi
    "таблица таблиця табл рисунок рис фигура табела слика πίνακας σχήμα εικόνα "
    "جدول الجدول شكل الشكل טבלה איור तालिका सारणी चित्र"
)
_NAMES = rf"(?:tab(?:le)?s?|fig(?:ure)?s?|{'|'.join((_LATIN + ' ' + _OTHERS).split())})\b"
_CJK = r"[图圖図表]|표|그림"

_NUMBER = r"(?-i:[A-Z]{0,2}[.-]?\d|[A-Z]\b|[IVXLC]+\b)"  # `3`, `A.1`, `S2`, `B`, `IV`

CAPTION = re.compile(rf"\s*(?:{_NAMES}\.?\s*{_NUMBER}|(?:{_CJK})\s*\d)", re.IGNORECASE)
NUMBERED = re.compile(rf"(?:{_NAMES}\W{{0,2}}|(?:{_CJK})\s*)\d", re.IGNORECASE)
