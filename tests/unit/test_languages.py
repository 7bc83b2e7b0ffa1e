from __future__ import annotations

import csv
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import ModelUnavailable, PagetideError, UnknownLanguage
from pagetide.languages import BUNDLED_MODEL, find, in_latin_alphabet, languages, resolve

LETTERS = {
    "en": "The quick brown fox jumps over the dog 0123456789 !?\"#$%&'()*+,-./:;<=>@[]{}|~",
    "de": "Grüße aus Köln, ÄÖÜäöüß „so“ – 5 € § 3",
    "fr": "L’œuvre déçue à Noël : où, ÿ, « garçon », 1/2 ½",
    "pl": "Zażółć gęślą jaźń ĄĆĘŁŃÓŚŹŻ",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "tr": "Pijamalı hasta yağız şoföre çabucak güvendi İIıi",
    "ro": "Muzicologă în bej vând whisky și tequila, preț fix",
    "hu": "Árvíztűrő tükörfúrógép",
    "is": "Kæmi ný öxi hér, ykist þjófum nú bæði víl og ádrepa",
    "mt": "Ġie Ħal-Għaxaq ċomb żejt",
    "eu": "αβγ π Ω ≤ ≥ ± × ÷ ∑ √ → ← • ● ■ ☐ ☑ ✓ ™ ® © ℃ Ⅳ",
}


@cache
def dictionary() -> frozenset[str]:
    onnx = pytest.importorskip("onnx")
    spec = find_spec("rapidocr")
    assert spec is not None
    assert spec.submodule_search_locations
    file = Path(spec.submodule_search_locations[0]) / "models" / "PP-OCRv6_rec_small.onnx"
    model = onnx.load(file)
    listing = {p.key: p.value for p in model.metadata_props}["character"]
    return frozenset(listing.split("\n"))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("eng", "en"),
        ("en-GB", "en"),
        ("pt_BR", "pt"),
        ("English", "en"),
        ("french", "fr"),
        ("ger", "de"),
        ("ja", "japan"),
        ("zh", "ch"),
        ("zh-Hans", "ch"),
        ("zh-Hant", "chinese_cht"),
        ("zh_TW", "chinese_cht"),
        ("zh-SG", "ch"),
        ("chinese_cht", "chinese_cht"),
        ("Traditional Chinese", "chinese_cht"),
        ("nb", "no"),
        ("sr-Latn", "rs_latin"),
        (" auto ", "auto"),
    ],
)
def test_a_code_an_alias_or_a_name_finds_the_language(asked: str, code: str) -> None:
    assert code == resolve(asked).code


def test_every_name_of_every_language_finds_it() -> None:
    for language in languages():
        for name in (language.code, language.name, *language.aliases):
            assert language is find(name)


def test_no_two_languages_share_a_code_or_name() -> None:
    names = [n.lower() for g in languages() for n in {g.code, g.name.lower(), *g.aliases}]
    assert sorted(set(names)) == sorted(names)


def test_every_code_of_the_shared_table_is_known() -> None:
    table = Path(__file__).parents[3] / "shared" / "languages.csv"
    if not table.exists():
        pytest.skip(f"the shared table of languages is not at {table}")
    with table.open(encoding="utf-8", newline="") as rows:
        codes = [row["code"] for row in csv.DictReader(rows)]
    assert len(codes) == 117
    for code in codes:
        find(code)


@pytest.mark.parametrize(
    ("asked", "near"),
    [("englisch", "en (English)"), ("gernan", "de (German)"), ("xx-latin", "rs_latin")],
)
def test_an_unknown_language_is_answered_with_near_ones(asked: str, near: str) -> None:
    with pytest.raises(UnknownLanguage) as caught:
        resolve(asked)
    assert repr(asked) in caught.value.message
    assert near in caught.value.message


def test_a_language_like_no_other_is_answered_with_where_to_look() -> None:
    with pytest.raises(UnknownLanguage, match="pagetide models"):
        resolve("???")


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        ("ko", "korean_PP-OCRv5_mobile_rec"),
        ("ar", "arabic_"),
        ("ru", "eslav_"),
        ("el", "el_"),
    ],
)
def test_a_language_of_another_model_names_that_model(asked: str, model: str) -> None:
    with pytest.raises(ModelUnavailable, match=model):
        resolve(asked)


def test_vietnamese_is_read_with_a_notice_of_the_letters_it_loses() -> None:
    notice = resolve("vi").notice
    assert notice is not None
    assert notice.code == "missing_letters"
    assert "Vietnamese: ả ạ" in notice.message
    assert notice.message.endswith("more.")


def test_a_language_with_all_its_letters_has_no_notice() -> None:
    assert resolve("de").notice is None


@pytest.mark.parametrize(
    ("code", "alphabet"),
    [
        ("auto", "latin"),
        ("en", "latin"),
        ("vi", "latin"),
        ("ch", "full"),
        ("japan", "full"),
        ("chinese_cht", "full"),
    ],
)
def test_scripts_choose_the_head(code: str, alphabet: str) -> None:
    assert alphabet == resolve(code).alphabet


def test_missing_letters_are_missing_from_the_models_dictionary() -> None:
    for language in languages():
        if language.bundled:
            assert not set(language.missing_letters) & dictionary(), language.code


def test_the_latin_alphabet_has_every_latin_letter_of_the_dictionary() -> None:
    named = [c for c in dictionary() if unicodedata.name(c, "").startswith("LATIN ")]
    latin = [c for c in named if c.isalpha()]
    assert len(latin) > 500
    assert [c for c in latin if not in_latin_alphabet(c)] == []


@pytest.mark.parametrize("code", LETTERS)
def test_ordinary_sentences_stay_within_the_latin_alphabet(code: str) -> None:
    text = LETTERS[code]
    assert [c for c in text if not in_latin_alphabet(c)] == []
    assert [c for c in text if c not in dictionary() and c not in " „“«»"] == []


@pytest.mark.parametrize("character", "中あアｱ가Жשع、。！Ａ★♫😀")
def test_other_scripts_are_outside_the_latin_alphabet(character: str) -> None:
    assert (character == "★") == in_latin_alphabet(character)


def test_the_latin_alphabet_is_a_small_part_of_the_dictionary() -> None:
    kept = sum(map(in_latin_alphabet, dictionary()))
    assert 1000 < kept < 1300 < 18_000 < len(dictionary())


@pytest.mark.parametrize("character", ["", "ab", "<blank>"])
def test_what_is_not_one_character_is_in_no_alphabet(character: str) -> None:
    assert not in_latin_alphabet(character)


@given(st.text(max_size=12))
def test_any_code_gives_a_language_or_an_error_of_our_own(code: str) -> None:
    try:
        language = resolve(code)
    except PagetideError as error:
        assert isinstance(error, UnknownLanguage | ModelUnavailable)
        assert error.message.endswith(".")
    else:
        assert language.model == BUNDLED_MODEL
