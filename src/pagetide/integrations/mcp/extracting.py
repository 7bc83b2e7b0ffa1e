"""The tool that asks a model server: values for a schema, and answers, each with its proof."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from pagetide.document.extraction import ExtractedLeaf, Extraction
from pagetide.errors import BadOption
from pagetide.integrations.mcp.answers import MOST_LETTERS, Answer, PagesRead, document_of
from pagetide.integrations.mcp.arguments import OfPages
from pagetide.integrations.mcp.readings import IsWanted, Library
from pagetide.reading import extraction


class ExtractValues(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`extract_values`."""

    says: ClassVar[str] = (
        "Get values for a JSON Schema, or answers to questions, from a document,"
        " each with the lines that contain it. A value that is not on the pages is"
        " null. Needs the user's model server (PAGETIDE_EXTRACT_URL)."
    )

    schema: Annotated[
        dict[str, Any] | None,
        Meta(description="A JSON Schema of an object with the wanted values."),
    ] = None
    questions: Annotated[
        tuple[str, ...], Meta(description="Questions, instead of a schema.")
    ] = ()

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        server = extraction.server_of(None)
        self._check()
        read = self.read(library, model, wanted)
        found = self._found(read, server)
        texts: list[str] = []
        leaves: list[ExtractedLeaf] = []
        for leaf in found.leaves:
            text = self._text(leaf)
            if texts and sum(map(len, texts)) + len(text) > MOST_LETTERS:
                break
            texts.append(text)
            leaves.append(replace(leaf, refused=None))  # nobody is to take it for a value
        if left := len(found.leaves) - len(leaves):
            texts.append(f"NOT INCLUDED: {left} more values. Ask for less.")
        notices = [notice.message for notice in found.warnings]
        text = "\n".join([read.head(), *notices, "", *(texts or ["No values."])])
        return Answer(text=text, fields=msgspec.to_builtins({"leaves": leaves}))

    def _check(self) -> None:
        """See, before anything is read, that there is something to ask.

        Raises:
            BadOption: Nothing is asked, or in two ways.
            BadSchema: The schema or the questions cannot be asked.
        """
        if (self.schema is None) == (not self.questions):
            raise BadOption("Give either `schema` or `questions`.")
        if self.schema is None:
            extraction.check_questions(self.questions)
        else:
            extraction.form_of(self.schema)

    def _found(self, read: PagesRead, server: extraction.ModelServer) -> Extraction:
        document, path = document_of(read.opened, read.pages), read.opened.path
        if self.schema is None:
            return extraction.ask(
                document, self.questions, server, source=path, password=self.password
            )
        return extraction.extract(
            document, self.schema, server, source=path, password=self.password
        )

    def _text(self, leaf: ExtractedLeaf) -> str:
        name = self.questions[int(leaf.path[1:])] if self.questions else leaf.path
        value = msgspec.json.encode(leaf.value).decode()
        places = ", ".join(f"page {line.page} {line.id}" for line in leaf.lines)
        proof = f"; {places}: {leaf.text!r}" if leaf.lines else ""
        return f"{name}: {value} ({leaf.standing}{proof})"
