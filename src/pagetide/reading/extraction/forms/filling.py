"""Fills a form in by a model server; an unusable answer is asked for once more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pagetide.engines.vl.server.client import Answer, Refused
from pagetide.errors import AnswerUnusable, PagetideError
from pagetide.reading.extraction.asking.prompts import Prompt
from pagetide.reading.extraction.asking.questions import Asking
from pagetide.reading.extraction.forms.answers_read import ReadAnswer, Wrong
from pagetide.reading.extraction.forms.form import RecordForm


def filled(
    asking: Asking, form: RecordForm, prompts: Sequence[Prompt]
) -> list[ReadAnswer | PagetideError]:
    """The server's answer to each prompt, or the error.

    Raises:
        AnswerUnusable: All of it takes too long.
    """
    filling = _Filling(asking, form)
    return asking.all_of([partial(filling.read, prompt) for prompt in prompts])


class _Filling:
    def __init__(self, asking: Asking, form: RecordForm) -> None:
        self._asking, self._form = asking, form
        self._held = True  # as long as the server takes a schema

    async def read(self, prompt: Prompt) -> ReadAnswer:
        """An answer of the schema; one that is not is asked for once more."""
        answer = await self._answer(prompt, None)
        try:
            read = ReadAnswer(self._form, answer.text)
        except Wrong as wrong:
            return await self._again(prompt, answer, str(wrong))
        if read.misfits:
            return await self._again(prompt, answer, " ".join(read.misfits[:10]))
        return read

    async def _again(self, prompt: Prompt, answer: Answer, why: str) -> ReadAnswer:
        again = await self._answer(prompt, (answer.text, why))
        try:
            return ReadAnswer(self._form, again.text)
        except Wrong as wrong:
            message = f"The model server's answer cannot be used: {wrong}"
            raise AnswerUnusable(message) from None

    async def _answer(self, prompt: Prompt, wrong: tuple[str, str] | None) -> Answer:
        body = partial(prompt.body, self._asking.server.served_name, wrong=wrong)
        if self._held:
            try:
                return await self._asking.ask(body(held=True))
            except Refused:
                self._held = False  # it does not take a schema, or a temperature
        return await self._asking.ask(body(held=False))
