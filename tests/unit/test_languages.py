from __future__ import annotations

import csv
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines.models.registry import registry
from pagetide.errors import BadOption, ModelUnavailable, PagetideError, UnknownLanguage
from pagetide.languages import BUNDLED_MODEL, EVERY_MODEL, find, languages, resolve, together
from pagetide.languages.alphabets import in_latin_alphabet

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
        ("zh-Hant-TW", "chinese_cht"),
        ("zh-Hans-CN", "ch"),
        ("zh-yue", "ch"),
        ("sr-Latn-RS", "rs_latin"),
        ("en-Latn-US", "en"),
        ("de-DE-1996", "de"),
        ("de-DE-u-co-phonebk", "de"),
        ("de-x-private", "de"),
        ("es-419", "es"),
        ("ja-Jpan-JP", "japan"),
        ("az-Latn-AZ", "az"),
        ("uz_Latn", "uz"),
        ("ku-Latn", "ku"),
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


def letters_missing() -> list[dict[str, str]]:
    """What PaddleOCR's own dictionaries lack of each language's letters."""
    table = Path(__file__).parents[1] / "data" / "languages.csv"
    with table.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def test_every_code_that_paddle_takes_is_known() -> None:
    codes = [row["code"] for row in letters_missing()]
    assert len(codes) == 117
    for code in codes:
        find(code)


@pytest.mark.parametrize(
    ("asked", "code", "script"),
    [
        ("sr", "sr", "Cyrillic"),
        ("sr-Cyrl-RS", "sr", "Cyrillic"),
        ("srp", "sr", "Cyrillic"),
        ("rs_cyrillic", "sr", "Cyrillic"),
        ("av", "av", "Cyrillic"),
        ("ava", "av", "Cyrillic"),
        ("che", "ce", "Cyrillic"),
        ("lbe", "lbe", "Cyrillic"),
        ("lki", "lki", "Cyrillic"),
        ("ab", "ab", "Cyrillic"),
        ("abq", "abq", "Cyrillic"),
        ("ang", "ang", "Latin"),
        ("anp", "anp", "Devanagari"),
        ("ka", "ka", "Kannada"),
        ("kn-Knda-IN", "kn", "Kannada"),
        ("mah", "mah", "Devanagari"),
        ("mag", "mag", "Devanagari"),
        ("ku", "ku", "Latin"),
        ("ckb", "ckb", "Arabic"),
        ("ku-Arab-IQ", "ckb", "Arabic"),
        ("uz", "uz", "Latin"),
        ("uz-Cyrl-UZ", "uz-Cyrl", "Cyrillic"),
        ("az-Cyrl", "az-Cyrl", "Cyrillic"),
        ("ko-KR", "korean", "Hangul"),
        ("ar-EG", "ar", "Arabic"),
        ("arb", "ar", "Arabic"),
        ("Farsi", "fa", "Arabic"),
        ("hi-Deva", "hi", "Devanagari"),
        ("ru-Cyrl-RU", "ru", "Cyrillic"),
        ("ro-Cyrl", "mo", "Cyrillic"),
    ],
)
def test_codes_that_paddle_takes_otherwise_or_not_at_all(
    asked: str, code: str, script: str
) -> None:
    assert (find(asked).code, find(asked).script) == (code, script)


@pytest.mark.parametrize("asked", ["ru-Latn", "en-Cyrl", "kk-Arab", "ja-Latn", "mn-Mong-CN"])
def test_a_script_that_no_model_reads_the_language_in_is_refused(asked: str) -> None:
    with pytest.raises(UnknownLanguage, match="only in"):
        find(asked)


@pytest.mark.parametrize("asked", ["geo", "kat", "he", "am", "bn", "de-", "-de", "de--DE", "+"])
def test_what_no_model_reads_is_unknown(asked: str) -> None:
    with pytest.raises(UnknownLanguage):
        find(asked)


@pytest.mark.parametrize("code", ["ka", "mah", "lki", "ang", "uz", "az", "ku", "ab"])
def test_what_may_be_mistaken_about_a_code_is_said(code: str) -> None:
    notice = find(code).notice
    assert notice is not None
    assert find(code).note in notice.message


class TestTogether:
    @pytest.mark.parametrize(
        ("codes", "model", "alphabet"),
        [
            (("de", "fr"), "pp-ocrv6", "latin"),
            (("de", "zh", "ja"), "pp-ocrv6", "full"),
            (("ko", "en"), "korean_PP-OCRv5_mobile_rec", "full"),
            (("en", "ru"), "eslav_PP-OCRv5_mobile_rec", "full"),
            (("ru", "uk"), "eslav_PP-OCRv5_mobile_rec", "full"),
            (("ru", "bg"), "cyrillic_PP-OCRv5_mobile_rec", "full"),
            (("ar", "fa", "en"), "arabic_PP-OCRv5_mobile_rec", "full"),
            (("pi", "de"), "pp-ocrv6", "latin"),
        ],
    )
    def test_one_model_that_reads_them_all_is_found(
        self, codes: tuple[str, ...], model: str, alphabet: str
    ) -> None:
        both = together(codes)
        assert (both.model, both.alphabet) == (model, alphabet)
        assert both == find("+".join(codes))
        assert find(both.code).model == model

    @pytest.mark.parametrize(
        ("codes", "said"),
        [
            (("ko", "ru"), "korean by korean_PP-OCRv5_mobile_rec, ru by eslav_"),
            (("de", "el"), "de by pp-ocrv6, el by el_"),
            (("auto", "de"), "cannot be combined"),
        ],
    )
    def test_languages_that_no_model_reads_together_are_named(
        self, codes: tuple[str, ...], said: str
    ) -> None:
        with pytest.raises(BadOption, match=said):
            together(codes)

    def test_none_is_auto_and_one_is_itself(self) -> None:
        assert together(()).code == "auto"
        assert together(("de", "German", "deu")) is find("de")

    def test_letters_that_either_lacks_are_told(self) -> None:
        both = together(("es", "vi"))
        assert both.read_badly and both.missing_letters.startswith("¡ả")
        assert both.notice and "Spanish and Vietnamese" in both.notice.message
        assert together(("de", "fr")).notice is None

    def test_what_is_right_to_left_stays_so_beside_english(self) -> None:
        assert together(("en", "ar")).script == "Arabic"
        assert together(("en", "ar")).tag == "mul"

    @given(st.lists(st.sampled_from([one.code for one in languages()]), max_size=4))
    def test_any_choice_is_read_by_a_model_or_refused(self, codes: list[str]) -> None:
        try:
            both = together(codes)
        except BadOption as error:
            assert len(set(codes)) > 1
            assert not isinstance(error, UnknownLanguage)
        else:
            assert all(find(code).read_by(both.model) for code in codes)
            assert find(both.code) == both


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
    assert notice.message.endswith("and 76 more; paddleocr-vl can.")
    assert resolve("vi").read_badly and resolve("vi").better_model == "paddleocr-vl"


def test_what_reads_badly_is_little() -> None:
    badly = {one.code for one in languages() if one.read_badly}
    assert badly == {"vi", "pi", "os", "ab"}
    assert all(one.missing_letters for one in languages() if one.read_badly)


def test_every_model_of_a_language_can_be_had() -> None:
    known = registry().models
    for language in languages():
        for model in (language.model, *language.also):
            assert model in known or model in (BUNDLED_MODEL, EVERY_MODEL)


def test_the_letters_that_a_dictionary_lacks_are_said_to_be_missing() -> None:
    for row in letters_missing():
        one = find(row["code"])
        lacking = row["v6_dict_missing"] if one.bundled else row["v5_dict_missing"]
        assert one.missing_letters == lacking, one.code
        assert not one.also_missing or one.also_missing == row["v5_dict_missing"]


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
        assert isinstance(error, BadOption | ModelUnavailable)
        assert error.message.endswith(".")
    else:
        assert language.model == BUNDLED_MODEL
