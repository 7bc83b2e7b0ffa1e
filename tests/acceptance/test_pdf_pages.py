"""PDFs written by hand: what is on the page is known, and what must come of it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagetide.document import TextLayerMode
from pagetide.errors import (
    BadOption,
    Damaged,
    NotFound,
    PageOutOfRange,
    TooLarge,
    TooManyPages,
    TooManyPixels,
    UnsupportedType,
)
from pagetide.geometry import box_of
from pagetide.inputs import Limits, PageContent, Sandbox, open_input
from tests.written_pdf import picture, stream, text, written_pdf

PROSE = b"".join(
    text(b"The tide rises and the tide falls, and so it does again", 60, 700 - 14 * row)
    for row in range(20)
)
WHOLE_PAGE = b"q 612 0 0 792 0 0 cm /Im Do Q\n"
IMAGE = b"/XObject<</Im 6 0 R>>"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(page_timeout_s=60)) as box:
        yield box


def read(
    sandbox: Sandbox, source: bytes, mode: TextLayerMode = "auto", dpi: float = 144
) -> PageContent:
    with open_input(source, sandbox=sandbox) as document:
        return document.page(1, dpi=dpi, text_layer=mode)


def texts(page: PageContent) -> list[str]:
    return [line.text for line in page.lines]


class TestText:
    def test_a_line_stands_where_it_is_drawn(self, sandbox: Sandbox) -> None:
        page = read(sandbox, written_pdf(text(b"Hello world", 72, 720)))
        x0, y0, x1, y1 = box_of(page.lines[0].polygon)
        assert (page.width, page.height) == (1224, 1584)
        assert x0 == pytest.approx(144, abs=1)
        assert y0 < 144 < y1  # the baseline lies 72 points below the top
        assert 100 < x1 - x0 < 140
        assert [word.text for word in page.lines[0].words] == ["Hello", "world"]

    @pytest.mark.parametrize(
        ("matrix", "first_edge"),
        [
            (b"1 0 0 1", (1, 0)),
            (b"0 1 -1 0", (0, -1)),
            (b"0 -1 1 0", (0, 1)),
            (b"-1 0 0 -1", (-1, 0)),
        ],
    )
    def test_turned_text_says_how_it_runs(
        self, sandbox: Sandbox, matrix: bytes, first_edge: tuple[int, int]
    ) -> None:
        content = b"BT /F1 12 Tf " + matrix + b" 300 400 Tm (Turned text) Tj ET"
        (line,) = read(sandbox, written_pdf(content)).lines
        assert line.text == "Turned text"
        (x0, y0), (x1, y1) = line.polygon[:2]
        length = abs(x1 - x0) + abs(y1 - y0)
        assert ((x1 - x0) / length, (y1 - y0) / length) == pytest.approx(first_edge)

    def test_the_crop_box_is_the_page(self, sandbox: Sandbox) -> None:
        content = PROSE + text(b"cut off", 400, 60)
        source = written_pdf(content, page=b"/CropBox[50 200 562 792]/Rotate 90")
        page = read(sandbox, source)
        assert (page.width_pt, page.height_pt, page.rotation) == (592, 512, 90)
        assert "cut off" not in texts(page)
        assert len(page.lines) == 20
        top_left, top_right = page.lines[0].polygon[:2]
        assert top_left[0] == pytest.approx(top_right[0])
        assert top_left[1] == pytest.approx(2 * (60 - 50), abs=2)

    def test_columns_stay_apart_and_superscripts_do_not(self, sandbox: Sandbox) -> None:
        content = text(b"left column", 50) + text(b"right column", 300)
        content += b"BT /F1 12 Tf 50 600 Td (E=mc) Tj /F1 7 Tf 31 5 Td (2) Tj ET"
        page = read(sandbox, written_pdf(content))
        assert texts(page) == ["left column", "right column", "E=mc2"]

    def test_typesetting_is_undone(self, sandbox: Sandbox) -> None:
        font = (
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding"
            b"<</Type/Encoding/Differences[1/fi/fl]>>>>"
        )
        content = b"BT /F1 12 Tf 50 700 Td (\001ne \002oor exam-) Tj 0 -14 Td (ple text) Tj ET"
        page = read(sandbox, written_pdf(content, font=font))
        assert texts(page) == ["fine floor exam-", "ple text"]


class TestTrust:
    def test_text_over_a_background_is_trusted(self, sandbox: Sandbox) -> None:
        source = written_pdf(WHOLE_PAGE + PROSE, resources=IMAGE, extra=(picture(60, 80),))
        page = read(sandbox, source)
        assert (page.text_layer.reason, len(page.lines), page.image) == ("trusted", 20, None)

    @pytest.mark.parametrize(
        ("at", "says"),
        [
            (b"400 0 0 100 100 50 cm", ["pictures_not_read"]),
            (b"400 0 0 100 400 -50 cm", []),  # what shows of it is 2 % of the page
            (b"100 0 0 40 100 50 cm", []),  # a logo
            (b"400 0 0 100 60 600 cm", []),  # text stands on it
        ],
    )
    def test_a_picture_beside_sound_text_is_not_passed_over_in_silence(
        self, sandbox: Sandbox, at: bytes, says: list[str]
    ) -> None:
        content = PROSE + b"q " + at + b" /Im Do Q"
        page = read(sandbox, written_pdf(content, resources=IMAGE, extra=(picture(60, 80),)))
        assert (page.text_layer.reason, page.image) == ("trusted", None)
        assert [notice.code for notice in page.warnings] == says

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (WHOLE_PAGE, "no_text"),
            (WHOLE_PAGE + b"3 Tr\n" + PROSE, "invisible"),
            (PROSE + WHOLE_PAGE, "invisible"),
            (
                WHOLE_PAGE + text(b"Case 3:20-cv-00123   Document 7   Page 4 of 9", 60, 770),
                "little_coverage",
            ),
            (
                b"".join(text(b"far away", 900, y) for y in range(100, 700, 20))
                + text(b"here"),
                "clipped",
            ),
        ],
    )
    def test_text_that_does_not_show_is_not(
        self, sandbox: Sandbox, content: bytes, reason: str
    ) -> None:
        source = written_pdf(content, resources=IMAGE, extra=(picture(60, 80),))
        page = read(sandbox, source)
        assert page.text_layer.reason == reason
        assert page.lines == ()
        assert page.image is not None
        assert page.image.pixels.shape == (1584, 1224, 3)

    def test_codes_without_meaning_are_garbage(self, sandbox: Sandbox) -> None:
        font = (
            b"<</Type/Font/Subtype/Type0/BaseFont/Some/Encoding/Identity-H/DescendantFonts"
            b"[<</Type/Font/Subtype/CIDFontType2/BaseFont/Some/CIDSystemInfo"
            b"<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor"
            b"<</Type/FontDescriptor/FontName/Some/Flags 4>>>>]>>"
        )
        content = b"BT /F1 12 Tf 50 700 Td <%s> Tj ET" % b"".join(
            b"%04x" % n for n in range(20, 90)
        )
        page = read(sandbox, written_pdf(content, font=font))
        assert page.text_layer.used is False
        assert page.text_layer.reason in {"garbage", "no_text"}

    def test_invisible_words_among_others_are_left_out(self, sandbox: Sandbox) -> None:
        content = PROSE + b"BT 3 Tr /F1 12 Tf 60 300 Td (not to be seen) Tj ET"
        page = read(sandbox, written_pdf(content))
        assert page.text_layer.reason == "trusted"
        assert "not to be seen" not in texts(page)

    def test_only_takes_them_and_warns_where_auto_would_not(self, sandbox: Sandbox) -> None:
        source = written_pdf(
            WHOLE_PAGE + b"3 Tr\n" + PROSE, resources=IMAGE, extra=(picture(60, 80),)
        )
        page = read(sandbox, source, "only")
        assert (page.text_layer.used, page.text_layer.reason) == (True, "requested")
        assert len(page.lines) == 20
        assert page.image is None
        assert [notice.code for notice in page.warnings] == ["text_layer_invisible"]

    def test_only_does_not_warn_of_sound_text(self, sandbox: Sandbox) -> None:
        assert read(sandbox, written_pdf(PROSE), "only").warnings == ()

    def test_never_renders_sound_text(self, sandbox: Sandbox) -> None:
        page = read(sandbox, written_pdf(PROSE), "never")
        assert (page.text_layer.reason, page.lines) == ("not_requested", ())
        assert page.image is not None and page.image.pixels.min() < 50


class TestAnnotations:
    FIELD = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/F 4/P 3 0 R"
    FORM = b"/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 5 0 R>>>>/DA(/F1 12 Tf 0 g)>>"

    def source(self, content: bytes) -> bytes:
        field = self.FIELD + b"/Rect[100 650 300 670]/DA(/F1 12 Tf 0 g)>>"
        return written_pdf(content, page=b"/Annots[6 0 R]", catalog=self.FORM, extra=(field,))

    def test_what_a_form_says_is_text(self, sandbox: Sandbox) -> None:
        page = read(sandbox, self.source(text(b"Name:", 50, 655)))
        assert page.text_layer.reason == "trusted"
        assert "Ada Lovelace" in " ".join(texts(page))

    def test_what_a_form_says_is_drawn(self, sandbox: Sandbox) -> None:
        page = read(sandbox, self.source(b""), "never")
        assert page.image is not None
        field = page.image.pixels[2 * 122 : 2 * 142, 200:400]
        assert field.min() < 80

    def test_a_page_with_a_form_only_is_not_blank(self, sandbox: Sandbox) -> None:
        assert texts(read(sandbox, self.source(b""))) == ["Ada Lovelace"]

    def test_a_page_with_nothing_is_blank(self, sandbox: Sandbox) -> None:
        page = read(sandbox, written_pdf(b""))
        assert (page.text_layer.used, page.text_layer.reason) == (True, "blank")


class TestRendering:
    @pytest.mark.parametrize("dpi", [72, 100, 144, 300])
    def test_the_size_follows_dpi(self, sandbox: Sandbox, dpi: float) -> None:
        page = read(sandbox, written_pdf(PROSE), "never", dpi)
        assert page.image is not None
        assert page.image.pixels.shape == (round(11 * dpi), round(8.5 * dpi), 3)
        assert (page.dpi, page.image.dpi, page.width_pt) == (dpi, dpi, 612)

    def test_pixels_are_blue_green_red_and_not_to_be_changed(self, sandbox: Sandbox) -> None:
        page = read(sandbox, written_pdf(b"1 0 0 rg 0 0 612 792 re f"), "never", 72)
        assert page.image is not None
        assert page.image.pixels[100, 100].tolist() == [0, 0, 255]
        assert page.image.pixels.flags.c_contiguous
        assert not page.image.pixels.flags.writeable

    def test_a_page_too_large_is_refused_with_both_numbers(self, sandbox: Sandbox) -> None:
        limits = Limits(max_pixels=1_000_000)
        with open_input(written_pdf(PROSE), sandbox=sandbox, limits=limits) as document:
            with pytest.raises(TooManyPixels, match=r"1938816 .* 1000000"):
                document.page(1, text_layer="never")
            assert document.page(1).lines  # its text needs no pixels

    def test_a_picture_too_large_is_refused_before_it_is_decoded(
        self, sandbox: Sandbox
    ) -> None:
        form = stream(
            b"/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</Im 6 0 R>>>>",
            b"/Im Do",
        )
        source = written_pdf(
            b"q 612 0 0 792 0 0 cm /Fm Do Q",
            resources=b"/XObject<</Fm 7 0 R>>",
            extra=(picture(2000, 1500), form),
        )
        limits = Limits(max_pixels=2_000_000)
        with (
            open_input(source, sandbox=sandbox, limits=limits) as document,
            pytest.raises(TooManyPixels, match=r"3000000 .* 2000000"),
        ):
            document.page(1)

    def test_a_long_scan_does_not_fill_the_child(self, sandbox: Sandbox) -> None:
        with open_input(written_pdf(PROSE), sandbox=sandbox) as document:
            first = document.page(1, dpi=72, text_layer="never").image
            for _ in range(70):  # past the point where the child opens the PDF again
                last = document.page(1, dpi=72, text_layer="never").image
        assert first is not None and last is not None
        assert (first.pixels == last.pixels).all()


class TestOpening:
    def test_a_path_bytes_and_a_file_give_the_same(
        self, sandbox: Sandbox, tmp_path: Path
    ) -> None:
        source = written_pdf(PROSE)
        path = tmp_path / "a name with ünïcode.txt"
        path.write_bytes(source)
        found = []
        for given in (path, str(path), source, bytearray(source), io.BytesIO(source)):
            with open_input(given, sandbox=sandbox, name="same") as document:
                found.append((document.info, document.page(1).lines))
        assert all(each == found[0] for each in found)
        info = found[0][0]
        assert (info.bytes, info.media_type, info.page_count) == (
            len(source),
            "application/pdf",
            1,
        )

    def test_a_path_gives_the_name(self, sandbox: Sandbox, tmp_path: Path) -> None:
        path = tmp_path / "scan.pdf"
        path.write_bytes(written_pdf(PROSE))
        with open_input(path, sandbox=sandbox) as document:
            assert document.info.name == "scan.pdf"

    def test_what_is_no_document_is_refused(self, sandbox: Sandbox, tmp_path: Path) -> None:
        for source, error in (
            (tmp_path / "absent.pdf", NotFound),
            (tmp_path, UnsupportedType),
            (b"", Damaged),
            (b"plain text", UnsupportedType),
            (b"%PDF-1.7 and then nothing", Damaged),
            (b"\x89PNG\r\n\x1a\n and then nothing", Damaged),
        ):
            with pytest.raises(error):
                open_input(source, sandbox=sandbox)

    def test_too_many_bytes_are_refused_while_they_come(self, sandbox: Sandbox) -> None:
        limits = Limits(max_bytes=3_000_000)
        stream = io.BytesIO(b"%PDF-1.7" + bytes(100_000_000))
        with pytest.raises(TooLarge, match="3000000"):
            open_input(stream, sandbox=sandbox, limits=limits)
        assert stream.tell() < 10_000_000

    def test_too_many_pages_are_refused(self, sandbox: Sandbox) -> None:
        limits = Limits(max_pages=0)
        with pytest.raises(TooManyPages, match="1 pages, more than the limit of 0"):
            open_input(written_pdf(PROSE), sandbox=sandbox, limits=limits)

    def test_large_bytes_reach_the_child_as_a_file(self, sandbox: Sandbox) -> None:
        source = written_pdf(PROSE) + bytes(70_000_000)
        with open_input(source, sandbox=sandbox) as document:
            assert len(document.page(1).lines) == 20

    @pytest.mark.parametrize("number", [0, 2, -1])
    def test_a_page_that_is_not_there_is_out_of_range(
        self, sandbox: Sandbox, number: int
    ) -> None:
        with (
            open_input(written_pdf(PROSE), sandbox=sandbox) as document,
            pytest.raises(PageOutOfRange),
        ):
            document.page(number)

    @pytest.mark.parametrize("dpi", [71, 601, float("nan")])
    def test_dpi_has_bounds(self, sandbox: Sandbox, dpi: float) -> None:
        with (
            open_input(written_pdf(PROSE), sandbox=sandbox) as document,
            pytest.raises(BadOption, match="72 to 600"),
        ):
            document.page(1, dpi=dpi)
