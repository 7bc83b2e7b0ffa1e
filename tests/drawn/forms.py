"""Forms (AcroForm) with every kind of field: names, values, states."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pypdf
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from tests.written_pdf import FIRST_EXTRA, stream, text, written_pdf

SEEDS = range(20)
WORDS = [
    *("Minnow", "Grüße (vom Kai)", "42", "3.5", "Łódź", "船名", "a\\b", "مركب", "O'Brien"),
    *(
        "two words",
        "x" * 60,
        "-1,50 €",
        "a.b",
        "  padded  ",
        "ﬁne",
        "№ 7",
        "#1",
        "%",
        "<>",
        "é",
    ),
]
STATES = ["Yes", "On", "1", "ja", "0", "männlich", "Łódź", "a b", "Choice1"]
HIDDEN, NO_VIEW, PRINT = 2, 32, 4
MULTILINE, PASSWORD, COMB = 1 << 12, 1 << 13, 1 << 24
RADIO, PUSH, NO_OFF = 1 << 15, 1 << 16, 1 << 14
COMBO, EDIT, MULTI = 1 << 17, 1 << 18, 1 << 21
LINES = 22  # of fields on a page

Made = dict[str, Any]


def form_pdf(seed: int) -> bytes:
    """A form of one to three pages, in every rotation, with fields in groups."""
    return _Form(seed).written()


def labelled_form() -> bytes:
    """A page with a label and its value, a text field, two boxes and two buttons."""
    said = [
        (72, 730, b"Vessel: Minnow"),
        (72, 700, b"Owner"),
        (90, 670, b"By post"),
        (190, 670, b"By telephone"),
        (72, 640, b"Paid?"),
        (190, 640, b"Yes"),
        (290, 640, b"No"),
    ]
    state = b"/AP<</N<</%s 6 0 R/Off 6 0 R>>>>/AS/%s/V/%s"
    button = b"/Ff %d%s" % (RADIO, state)
    fields = [
        _entered(b"Tx", b"owner", (172, 698, 272, 712), b"/V(Maud Fenn)/DA(/F1 10 Tf)"),
        _entered(b"Btn", b"post", (72, 668, 84, 680), state % (b"Yes", b"Yes", b"Yes")),
        _entered(b"Btn", b"phone", (172, 668, 184, 680), state % (b"Yes", b"Off", b"Off")),
        _entered(b"Btn", b"paid", (172, 638, 184, 650), button % (b"y", b"Off", b"Off")),
        _entered(b"Btn", b"paid", (272, 638, 284, 650), button % (b"n", b"n", b"n")),
    ]
    listed = b" ".join(b"%d 0 R" % (FIRST_EXTRA + 1 + n) for n in range(len(fields)))
    drawn = stream(b"/Type/XObject/Subtype/Form/BBox[0 0 12 12]", b"0.5 0.5 11 11 re S")
    return written_pdf(
        b"".join(text(words, x, y) for x, y, words in said),
        page=b"/Annots[%s]" % listed,
        catalog=b"/AcroForm<</Fields[%s]/NeedAppearances true>>" % listed,
        extra=(drawn, *fields),
    )


def _entered(kind: bytes, name: bytes, box: tuple[int, int, int, int], more: bytes) -> bytes:
    place = b"/Rect[%d %d %d %d]" % box
    return b"<</Type/Annot/Subtype/Widget/FT/%s/T(%s)%s%s>>" % (kind, name, place, more)


class _Form:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - forms to be read, not secrets
        self._writer = pypdf.PdfWriter()
        self._pages = [self._page((seed * 90) % 360) for _ in range(1 + seed % 3)]
        self._placed = 0
        self._fields = ArrayObject()
        makers: list[Callable[[Made], Made]] = [
            *(self._text, self._lines, self._comb, self._secret, self._combo, self._list),
            *(self._several, self._box, self._buttons, self._signature, self._hidden),
            *(self._twice, self._inherits, self._push, self._text, self._box),
        ]
        self._random.shuffle(makers)
        for number, maker in enumerate(makers):
            self._add(maker, number, depth=number % 4)

    def written(self) -> bytes:
        form = {"Fields": self._fields, "NeedAppearances": BooleanObject(True)}
        self._writer.root_object[NameObject("/AcroForm")] = _dictionary(form)
        file = io.BytesIO()
        self._writer.write(file)
        return file.getvalue()

    def _page(self, turn: int) -> Any:
        return self._writer.add_blank_page(612, 792).rotate(turn)

    def _add(self, maker: Callable[[Made], Made], number: int, depth: int) -> None:
        """A field below this many fields that only contribute a part of its name."""
        parent: IndirectObject | None = None
        kids = self._fields
        for level in range(depth):
            name = f"{self._random.choice(['group', 'Gruppe ä', 'g[0]', '名'])}{number}{level}"
            kids, parent = self._below(kids, {"T": TextStringObject(name)}, parent)
        word = self._random.choice(WORDS).replace(".", "")
        named: Made = {"T": TextStringObject(f"{word}{number}")}
        if number % 3 == 0:
            named["TU"] = TextStringObject(f"What is told: {self._random.choice(WORDS)}")
        made = maker(named)
        parts = made.pop("parts", None)
        inner, reference = self._below(kids, made, parent, is_group=parts is not None)
        for part in parts or ():
            self._below(inner, part, reference, is_group=False)

    def _below(
        self,
        kids: ArrayObject,
        entries: Made,
        parent: IndirectObject | None,
        *,
        is_group: bool = True,
    ) -> tuple[ArrayObject, IndirectObject]:
        inner = ArrayObject()
        more: Made = {"Kids": inner} if is_group else {}
        if parent is not None:
            more["Parent"] = parent
        reference = self._writer._add_object(_dictionary({**entries, **more}))
        kids.append(reference)
        if "Rect" in entries:
            page = self._pages[(self._placed - 1) // LINES % len(self._pages)]
            page.setdefault(NameObject("/Annots"), ArrayObject()).append(reference)
        return inner, reference

    def _widget(self, **entries: Any) -> Made:
        low = 740 - 32 * (self._placed % LINES)
        self._placed += 1
        return {
            "Type": NameObject("/Annot"),
            "Subtype": NameObject("/Widget"),
            "Rect": ArrayObject(map(FloatObject, (72, low, 272, low + 16))),
            "F": NumberObject(PRINT),
            "DA": TextStringObject("/Helv 10 Tf"),
            **entries,
        }

    def _word(self) -> TextStringObject:
        return TextStringObject(self._random.choice(WORDS))

    def _text(self, named: Made, flags: int = 0, **entries: Any) -> Made:
        value = {"V": self._word()} if self._random.random() < 0.8 else {}
        field = {"FT": NameObject("/Tx"), "Ff": NumberObject(flags), **value}
        return {**named, **self._widget(), **field, **entries}

    def _lines(self, named: Made) -> Made:
        said = TextStringObject("\r".join(self._random.sample(WORDS, 3)))
        return self._text(named, MULTILINE, V=said)

    def _comb(self, named: Made) -> Made:
        return self._text(named, COMB, MaxLen=NumberObject(8), V=TextStringObject("12345678"))

    def _secret(self, named: Made) -> Made:
        return self._text(named, PASSWORD)

    def _hidden(self, named: Made) -> Made:
        return self._text(named, F=NumberObject(self._random.choice([HIDDEN, NO_VIEW])))

    def _options(self) -> tuple[ArrayObject, list[TextStringObject]]:
        """The choices: values, or values with their displayed text."""
        values = [TextStringObject(word) for word in self._random.sample(WORDS, 4)]
        if self._random.random() < 0.5:
            return ArrayObject(values), values
        shown = (ArrayObject([v, TextStringObject(f"shown as {v}")]) for v in values)
        return ArrayObject(shown), values

    def _combo(self, named: Made) -> Made:
        options, values = self._options()
        flags = COMBO | (EDIT if self._random.random() < 0.5 else 0)
        value = self._word() if flags & EDIT else self._random.choice(values)
        field = {"FT": NameObject("/Ch"), "Ff": NumberObject(flags), "Opt": options}
        return {**named, **self._widget(), **field, "V": value}

    def _list(self, named: Made) -> Made:
        options, values = self._options()
        field = {"FT": NameObject("/Ch"), "Opt": options, "V": self._random.choice(values)}
        return {**named, **self._widget(), **field}

    def _several(self, named: Made) -> Made:
        options, values = self._options()
        chosen = ArrayObject(values[:2])
        field = {"FT": NameObject("/Ch"), "Ff": NumberObject(MULTI), "Opt": options}
        return {**named, **self._widget(), **field, "V": chosen}

    def _button(self, state: str, chosen: str) -> Made:
        return self._widget(
            AP=_dictionary({"N": _dictionary({state: self._drawn(), "Off": self._drawn()})}),
            AS=NameObject(f"/{chosen if chosen == state else 'Off'}"),
        )

    def _drawn(self) -> IndirectObject:
        stream = DecodedStreamObject()
        stream.set_data(b"0.5 0.5 11 11 re S")
        stream.update(
            _dictionary(
                {
                    "Subtype": NameObject("/Form"),
                    "BBox": ArrayObject(map(NumberObject, (0, 0, 12, 12))),
                }
            )
        )
        return self._writer._add_object(stream)

    def _box(self, named: Made) -> Made:
        state = self._random.choice(STATES)
        chosen = self._random.choice([state, "Off"])
        field = {"FT": NameObject("/Btn"), "V": NameObject(f"/{chosen}")}
        return {**named, **self._button(state, chosen), **field}

    def _buttons(self, named: Made) -> Made:
        states = self._random.sample(STATES, 3)
        chosen = self._random.choice([*states, "Off"])
        parts = [self._button(state, chosen) for state in states]
        flags = NumberObject(RADIO | NO_OFF)
        field = {"FT": NameObject("/Btn"), "Ff": flags, "V": NameObject(f"/{chosen}")}
        return {**named, **field, "parts": parts}

    def _push(self, named: Made) -> Made:
        field = {"FT": NameObject("/Btn"), "Ff": NumberObject(PUSH)}
        return {**named, **self._widget(), **field}

    def _signature(self, named: Made) -> Made:
        return {**named, **self._widget(), "FT": NameObject("/Sig")}

    def _twice(self, named: Made) -> Made:
        """One field in two places."""
        field = {"FT": NameObject("/Tx"), "V": self._word()}
        return {**named, **field, "parts": [self._widget(), self._widget()]}

    def _inherits(self, named: Made) -> Made:
        """Fields that inherit their type and value from the field above."""
        parts = [self._widget(T=TextStringObject(f"part {n}")) for n in range(2)]
        return {**named, "FT": NameObject("/Tx"), "V": self._word(), "parts": parts}


def _dictionary(entries: Made) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{name}"): value for name, value in entries.items()})
