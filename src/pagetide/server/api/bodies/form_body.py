"""Bodies of the type `multipart/form-data`: fields, and a document that goes to disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from pagetide.errors import BadInput, BadOption
from pagetide.server.api.bodies.uploads import BESIDE_BYTES, Body, Upload, chunks

FILE = "file"  # the part that holds the document, in a form of ours
MOST_PARTS = 200
MOST_FIELD_BYTES = 64 << 10  # of all fields together


async def read(
    request: Request, upload: Upload, most: int, *, file: str | tuple[str, ...] = FILE
) -> Body:
    """Read a form.

    Args:
        request: Of the type `multipart/form-data`.
        upload: Takes the document.
        most: Bytes that the document may have.
        file: What the part is called that holds the document; any of several names.

    Raises:
        BadInput: It is not a form, or not of the kind that is taken here.
        TooLarge: It is larger than allowed.
        DiskFull: The disk is full.
        ClientDisconnect: The client went away.
    """
    _, options = parse_options_header(request.headers["content-type"])
    reader = _Reader(upload, (file,) if isinstance(file, str) else file)
    try:
        parser = _parser(reader, options.get(b"boundary", b""))
        async for chunk in chunks(request, most + BESIDE_BYTES):
            parser.write(chunk)
            await upload.ease()
        parser.finalize()
    except FormParserError:
        raise BadInput("The body is not a well-formed multipart/form-data form.") from None
    if not reader.ended:
        raise BadInput("The form is incomplete.")
    await upload.ease(all_of_it=True)
    return reader.body


def _parser(reader: _Reader, boundary: bytes) -> MultipartParser:
    if not boundary:
        raise BadInput("The Content-Type of the form has no boundary.")
    return MultipartParser(
        boundary,
        {
            "on_part_begin": reader.begin,
            "on_header_field": reader.header_name,
            "on_header_value": reader.header_value,
            "on_header_end": reader.header_end,
            "on_headers_finished": reader.headers_finished,
            "on_part_data": reader.content,
            "on_part_end": reader.end,
            "on_end": reader.finish,
        },
    )


@dataclass
class _Part:
    name: str = ""
    file_name: str | None = None
    value: bytearray = field(default_factory=bytearray)


class _Reader:
    """Takes what the parser finds."""

    def __init__(self, upload: Upload, files: tuple[str, ...]) -> None:
        self.body, self.ended, self._files = Body(), False, files
        self._upload, self._parts, self._field_bytes = upload, 0, 0
        self._fields: dict[str, list[str]] = {}
        self._part, self._name, self._value = _Part(), bytearray(), bytearray()

    def begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise BadInput(f"The form has more than {MOST_PARTS} parts.")
        self._part = _Part()

    def header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def header_end(self) -> None:
        if bytes(self._name).strip().lower() == b"content-disposition":
            _, options = parse_options_header(bytes(self._value))
            self._part.name = _text(options.get(b"name", b""), "A field's name")
            file_name = options.get(b"filename")
            if file_name is not None:
                # Browsers and curl write a quotation mark so, and no other letter.
                self._part.file_name = file_name.decode("utf-8", "replace").replace("%22", '"')
        self._name, self._value = bytearray(), bytearray()

    def headers_finished(self) -> None:
        if self._part.name not in self._files:
            return
        if self.body.document:
            name = self._part.name
            raise BadOption(f"`{name}` is given twice; send one document per request.")
        self.body.document, self.body.name = True, self._part.file_name or ""

    def content(self, data: bytes, start: int, end: int) -> None:
        if self._part.name in self._files:
            self._upload.hold(memoryview(data)[start:end])
            return
        self._field_bytes += end - start
        if self._field_bytes > MOST_FIELD_BYTES:
            raise BadInput(f"The form's fields have more than {MOST_FIELD_BYTES} bytes.")
        self._part.value += data[start:end]

    def end(self) -> None:
        if self._part.name not in self._files:
            value = _text(bytes(self._part.value), f"`{self._part.name}`")
            self._fields.setdefault(self._part.name, []).append(value)

    def finish(self) -> None:
        self.ended = True
        names = self._fields.pop("name", [])
        if len(names) > 1:
            raise BadOption("`name` is given twice.")
        self.body.name = names[0] if names else self.body.name
        self.body.fields = dict(self._fields)


def _text(value: bytes, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{what} is not UTF-8.") from None
