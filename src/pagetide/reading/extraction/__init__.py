"""Values for a schema, and answers to questions, found by a model server in a document.

Nothing is returned that does not stand in the document: see `grounding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pagetide.document import Document
from pagetide.document.answers import Source
from pagetide.document.extraction import Conflict, Descriptions, ExtractedLeaf, Extraction
from pagetide.errors import BadSchema, PagetideError
from pagetide.exports.fields.values.dates import order_of
from pagetide.reading.extraction.asking.annotating import annotate
from pagetide.reading.extraction.asking.describing import describe
from pagetide.reading.extraction.asking.model_server import ModelServer
from pagetide.reading.extraction.asking.prompts import Prompt
from pagetide.reading.extraction.asking.questions import Asking
from pagetide.reading.extraction.asking.sight import Picture, Sight, picture_of
from pagetide.reading.extraction.choosing import parts_of
from pagetide.reading.extraction.forms.answers_read import ReadAnswer
from pagetide.reading.extraction.forms.filling import filled
from pagetide.reading.extraction.forms.form import RecordForm, words_of
from pagetide.reading.extraction.forms.schema import form_of
from pagetide.reading.extraction.grounding.grounded import Ground
from pagetide.reading.extraction.grounding.notices import notices_of, unread, unseen
from pagetide.reading.extraction.merging import Merged
from pagetide.reading.extraction.pieces import Row, rows_of
from pagetide.settings import Settings

__all__ = [
    "ModelServer",
    "Picture",
    "annotate",
    "ask",
    "check_questions",
    "checked",
    "describe_figures",
    "extract",
    "form_of",
    "server_of",
    "written",
]

MOST_QUESTIONS = 100
LONGEST_QUESTION = 1000


def extract(
    document: Document,
    schema: object,
    server: str | ModelServer | None,
    *,
    source: Source | None = None,
    password: str | None = None,
    picture: Picture | None = None,
) -> Extraction:
    """See `pagetide.extract`.

    Args:
        document: As read.
        schema: What is wanted.
        server: Who is asked.
        source: Where pictures come from, if the model sees.
        password: Opens it.
        picture: Gives them in its place.
    """
    form, server = form_of(schema), server_of(server)
    if picture is not None or not server.sees:
        return _extracted(document, form, server, picture)
    with picture_of(document, source, password) as picture:
        return _extracted(document, form, server, picture)


def _extracted(
    document: Document, form: RecordForm, server: ModelServer, picture: Picture | None
) -> Extraction:
    rows = rows_of(document)
    if not rows:
        nothing = _extraction(document, Merged(form, [], Ground([], None)))
        return replace(nothing, warnings=tuple(unread(document)))
    words, letters = words_of(form), server.letters
    parts = parts_of(document, rows, words, letters=letters, most=server.parts_max)
    asking = Asking(server)
    sight = Sight(server, picture)
    prompts = [Prompt.of_rows(form, part, sight.of(part)) for part in parts.asked]
    answers = filled(asking, form, prompts)
    read = [each for each in answers if isinstance(each, ReadAnswer)]
    failed = [each for each in answers if isinstance(each, PagetideError)]
    if not read:
        raise failed[0]
    found = _extraction(document, _merged(form, read, rows))
    notices = (*notices_of(document, found, parts, read, failed), *unseen(sight.unseen))
    return replace(found, usage=asking.usage, warnings=notices)


def _merged(form: RecordForm, read: Sequence[ReadAnswer], rows: Sequence[Row]) -> Merged:
    pieces = [piece for row in rows for piece in row.pieces]
    order = order_of(piece.text for piece in pieces)
    return Merged(form, [each.tree for each in read], Ground(pieces, order))


def ask(
    document: Document,
    questions: str | Sequence[str],
    server: str | ModelServer | None,
    *,
    source: Source | None = None,
    password: str | None = None,
    picture: Picture | None = None,
) -> Extraction:
    """See `pagetide.ask`; the rest is as of `extract`."""
    questions = (questions,) if isinstance(questions, str) else questions
    check_questions(questions)
    asked = {f"answer_{number}": each for number, each in enumerate(questions, 1)}
    parts = {name: {"type": "string", "description": each} for name, each in asked.items()}
    schema = {"type": "object", "properties": parts}
    found = extract(document, schema, server, source=source, password=password, picture=picture)
    return _by_question(found, asked)


def check_questions(questions: Sequence[str]) -> None:
    """Check that questions can be asked.

    Raises:
        BadSchema: There are none, too many, or too long ones.
    """
    if not questions or len(questions) > MOST_QUESTIONS:
        raise BadSchema(f"Ask 1 to {MOST_QUESTIONS} questions, not {len(questions)}.")
    if any(not each.strip() or len(each) > LONGEST_QUESTION for each in questions):
        raise BadSchema(f"A question has 1 to {LONGEST_QUESTION} letters.")


def checked(text: bytes) -> dict[str, Any]:
    """A schema as JSON, known to be one that can be filled in.

    Raises:
        BadSchema: It is none.
    """
    try:
        schema: dict[str, Any] = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadSchema("The schema is not JSON.") from None
    form_of(schema)
    return schema


def written(found: Extraction) -> bytes:
    """An extraction as JSON, indented."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"


def describe_figures(
    document: Document,
    server: str | ModelServer | None,
    source: Source | None,
    password: str | None,
) -> Descriptions:
    """See `pagetide.describe_figures`."""
    return describe(document, server_of(server), source, password)


def server_of(server: str | ModelServer | None) -> ModelServer:
    """The server itself, the one at a URL, or the one that the settings name.

    Raises:
        ModelUnavailable: No server is named anywhere.
        BadOption: The URL is none.
    """
    if isinstance(server, ModelServer):
        return server
    return ModelServer.of(Settings.from_environment(), server or "")


def _extraction(document: Document, merged: Merged) -> Extraction:
    return Extraction(
        value=merged.value,
        leaves=tuple(merged.leaves),
        conflicts=tuple(merged.conflicts),
        source=document.source.name,
    )


def _by_question(found: Extraction, asked: dict[str, str]) -> Extraction:
    """The same with each question in place of the name that it was asked under."""
    paths = {f"/{name}": f"/{number}" for number, name in enumerate(asked)}

    def led(leaf: ExtractedLeaf) -> ExtractedLeaf:
        return replace(leaf, path=paths[leaf.path])

    value: dict[str, Any] = {text: found.value[name] for name, text in asked.items()}
    conflicts = tuple(
        Conflict(path=paths[each.path], leaves=tuple(map(led, each.leaves)))
        for each in found.conflicts
    )
    return replace(
        found, value=value, leaves=tuple(map(led, found.leaves)), conflicts=conflicts
    )
