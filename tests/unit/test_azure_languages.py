"""Azure's languages: told where writing tells them, else by the client's own word, else not."""

from __future__ import annotations

import pytest

from pagetide.server.compat.azure.languages import languages_of
from pagetide.server.compat.azure.wire import Language, Span, Warned
from tests.documents import page_of
from tests.unit.test_fields import at


def told(*texts: str, locale: str | None = None) -> dict[str, list[int]]:
    """The languages with the places of their lines; under `?` how many are not known."""
    page = page_of([at(0, 20 * n, text) for n, text in enumerate(texts)])
    spans = {n: [Span(offset=n, length=1)] for n in range(len(texts))}
    found: dict[str, list[int]] = {}
    for each in languages_of(page, spans, locale):
        if isinstance(each, Language):
            found[each.locale] = [span.offset for span in each.spans]
        else:
            assert isinstance(each, Warned) and each.code == "languages_not_known"
            found["?"] = [int(each.message.split(":")[1].split(".")[0])]
    return found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("한국어 문서 A4", "ko"),
        ("ひらがなとカタカナ", "ja"),
        ("发票号码 123", "zh"),
        ("Καλημέρα", "el"),
        ("ภาษาไทย", "th"),
    ],
)
def test_writing_of_one_language_tells_it(text: str, language: str) -> None:
    assert told(text) == {language: [0]}


def test_han_beside_kana_is_japanese() -> None:
    assert told("東京都", "ここです") == {"ja": [0, 1]}


def test_other_writing_is_the_clients_locale_or_not_known() -> None:
    assert told("Bonjour", "12.50", "Добрый день") == {"?": [2]}
    assert told("Bonjour", "発行日 船", locale="fr") == {"fr": [0], "zh": [1]}
