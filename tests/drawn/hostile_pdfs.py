"""Malformed and hostile PDFs, each created by a small program, and the expected outcome.

That is `ok`, or the error that refuses it; with `either`, a careful reader may do one or the
other. If a page has text of its own, it is "Hello".
"""

from __future__ import annotations

import functools
import io
import zlib
from collections.abc import Callable

import numpy as np
import pypdf

from tests.written_pdf import assembled, objects_of, picture, stream, text, written_pdf

BOX = b"[0 0 612 792]"
HELLO = text(b"Hello", 72, 700, size=24)
OPENS_WITH = "low water"
WHOLE_PAGE = b"612 0 0 792 0 0 cm /Im Do"
IMAGE = b"/XObject<</Im 6 0 R>>"
FORM = b"/XObject<</Fm 6 0 R>>"


def page_box(box: bytes) -> bytes:
    """A page with this MediaBox."""
    objects = objects_of(HELLO)
    objects[2] = objects[2].replace(BOX, box)
    return assembled(objects)


def page_list(entries: bytes, *more: bytes) -> bytes:
    """A page list with these entries of its own, with objects from 6 on."""
    objects = objects_of(HELLO, extra=more)
    objects[1] = b"<</Type/Pages" + entries + b">>"
    return assembled(objects)


def nested_lists(depth: int) -> bytes:
    """The page is below this many lists of one."""
    lists = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (7 + i) for i in range(depth - 1)]
    return page_list(b"/Kids[6 0 R]/Count 1", *lists, b"<</Type/Pages/Kids[3 0 R]/Count 1>>")


def encrypted(algorithm: str, user: str) -> bytes:
    """What a user's password opens; if that is empty, there is only an owner's."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(written_pdf(HELLO)))
    writer.encrypt(user, "high water", algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def deflated_zeros(count: int) -> bytes:
    """This many MiB of zeros as `zlib.compress` writes them, created at once: one, repeated."""
    mebibyte = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    one = mebibyte.compress(bytes(2**20)) + mebibyte.flush(zlib.Z_FULL_FLUSH)
    checksum = (count * 2**20 % 65521) << 16 | 1
    return b"\x78\x9c" + one * count + mebibyte.flush() + checksum.to_bytes(4, "big")


def bomb() -> bytes:
    """A page's operators: a GiB of nothing, deflated twice."""
    objects = objects_of(b"")
    packed = zlib.compress(deflated_zeros(1024))
    objects[3] = stream(b"/Filter[/FlateDecode/FlateDecode]", packed)
    return assembled(objects)


def pixels(width: int, height: int, body: bytes) -> bytes:
    """A page that is a one-bit picture, deflated."""
    told = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 1"
    told += b"/Width %d/Height %d/Filter/FlateDecode" % (width, height)
    return written_pdf(WHOLE_PAGE, resources=IMAGE, extra=(stream(told, body),))


def forms(count: int, draws: int, *, last: int) -> bytes:
    """Forms that each draw the next this often; the last draws the one of that number."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Resources<</XObject<</Fm %d 0 R>>>>"
    nexts = [*range(7, 6 + count), last]
    made = tuple(stream(head % number, b"/Fm Do " * draws) for number in nexts)
    return written_pdf(b"/Fm Do", resources=FORM, extra=(*made, stream(b"", b"")))


def looking_back_at_itself() -> bytes:
    """The table of objects names itself as the previous one."""
    whole = written_pdf(HELLO)
    place = whole.rpartition(b"startxref\n")[2].split()[0]
    return whole.replace(b"/Root 1 0 R>>", b"/Root 1 0 R/Prev %s>>" % place)


def from_a_file() -> bytes:
    """A picture whose pixels should come from a file of the reading machine."""
    told = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8"
    extra = stream(told + b"/Width 10/Height 10/F(/etc/hostname)", b"")
    return written_pdf(b"/Im Do", resources=IMAGE, extra=(extra,))


def acting(action: bytes) -> bytes:
    """A page with an action to run when it is opened."""
    return written_pdf(HELLO, catalog=b"/OpenAction<<" + action + b">>")


def sound() -> bytes:
    """A PDF with text and a picture, to be cut and corrupted."""
    content = HELLO + b"100 0 0 100 72 500 cm /Im Do"
    return written_pdf(content, resources=IMAGE, extra=(picture(400, 400),))


def noise(count: int) -> bytes:
    """This many meaningless bytes, always the same."""
    return np.random.default_rng(count).bytes(count)


ENDLESS = {"forms_that_draw_ten_forms_each.pdf": functools.partial(forms, 24, 10, last=30)}
PDFS: dict[str, tuple[Callable[[], bytes], str]] = {
    "script.pdf": (lambda: acting(b"/S/JavaScript/JS(while\\(true\\){})"), "ok"),
    "launch.pdf": (lambda: acting(b"/S/Launch/F(/bin/sh)"), "ok"),
    "address.pdf": (lambda: acting(b"/S/URI/URI(http://127.0.0.1:9/)"), "ok"),
    "picture_from_a_file.pdf": (from_a_file, "either"),
    "box_upside_down.pdf": (lambda: page_box(b"[612 792 0 0]"), "ok"),
    "box_of_nothing.pdf": (lambda: page_box(b"[0 0 0 0]"), "either"),
    "box_without_end.pdf": (lambda: page_box(b"[0 0 1e400 -99999999999999999]"), "either"),
    "box_of_a_thread.pdf": (lambda: page_box(b"[0 0 14400 1]"), "either"),
    "box_of_a_field.pdf": (lambda: page_box(b"[0 0 200000 200000]"), "either"),
    "pages_two_thousand_million.pdf": (
        lambda: page_list(b"/Kids[3 0 R]/Count 2147483647"),
        "either",
    ),
    "pages_within_themselves.pdf": (
        lambda: page_list(
            b"/Kids[6 0 R]/Count 2", b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R]/Count 2>>"
        ),
        "Damaged",
    ),
    "pages_three_thousand_deep.pdf": (lambda: nested_lists(3000), "either"),
    "table_of_itself.pdf": (looking_back_at_itself, "either"),
    "arrays_in_arrays.pdf": (
        lambda: written_pdf(
            HELLO, catalog=b"/PieceInfo 6 0 R", extra=(b"[" * 100_000 + b"]" * 100_000,)
        ),
        "either",
    ),
    "states_never_restored.pdf": (lambda: written_pdf(b"q " * 500_000 + HELLO), "either"),
    "form_in_itself.pdf": (lambda: forms(1, 1, last=6), "either"),
    "zeros_deflated_twice.pdf": (bomb, "OutOfMemory"),
    "pixels_that_are_there.pdf": (
        lambda: pixels(30_000, 30_000, deflated_zeros(108)),
        "TooManyPixels",
    ),
    "pixels_that_are_not.pdf": (
        lambda: pixels(30_000, 30_000, zlib.compress(bytes(100))),
        "TooManyPixels",
    ),
    "user_rc4_40.pdf": (lambda: encrypted("RC4-40", OPENS_WITH), "PasswordNeeded"),
    "user_rc4_128.pdf": (lambda: encrypted("RC4-128", OPENS_WITH), "PasswordNeeded"),
    "user_aes_128.pdf": (lambda: encrypted("AES-128", OPENS_WITH), "PasswordNeeded"),
    "user_aes_256.pdf": (lambda: encrypted("AES-256", OPENS_WITH), "PasswordNeeded"),
    "owner_aes_256.pdf": (lambda: encrypted("AES-256", ""), "ok"),
    "junk_before.pdf": (lambda: bytes(range(1, 256)) * 7 + sound(), "either"),
    "junk_behind.pdf": (lambda: sound() + noise(5000), "either"),
    "cut_off.pdf": (lambda: sound()[:700], "Damaged"),
    "random.pdf": (lambda: noise(50_000), "UnsupportedType"),
    "text.pdf": (lambda: b"The tide rises, the tide falls. " * 40, "UnsupportedType"),
    "empty.pdf": (lambda: b"", "Damaged"),
}
