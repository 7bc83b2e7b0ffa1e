"""The operations there are, and what makes their answers."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from pagetide.server.compat.textract import answers, expenses


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An operation.

    Attributes:
        kind: `DetectDocumentText`, `AnalyzeDocument` or `AnalyzeExpense`; aliases of models
            go by it.
        does: `wait`, `start` or `get`.
    """

    kind: str
    does: str

    @property
    def analyzes(self) -> bool:
        """Whether it is asked for features."""
        return self.kind == "AnalyzeDocument"

    @property
    def writer(self) -> ModuleType:
        """What makes its answers."""
        return expenses if self.kind == "AnalyzeExpense" else answers


OPERATIONS = {
    "DetectDocumentText": Operation(kind="DetectDocumentText", does="wait"),
    "AnalyzeDocument": Operation(kind="AnalyzeDocument", does="wait"),
    "AnalyzeExpense": Operation(kind="AnalyzeExpense", does="wait"),
    "StartDocumentTextDetection": Operation(kind="DetectDocumentText", does="start"),
    "StartDocumentAnalysis": Operation(kind="AnalyzeDocument", does="start"),
    "StartExpenseAnalysis": Operation(kind="AnalyzeExpense", does="start"),
    "GetDocumentTextDetection": Operation(kind="DetectDocumentText", does="get"),
    "GetDocumentAnalysis": Operation(kind="AnalyzeDocument", does="get"),
    "GetExpenseAnalysis": Operation(kind="AnalyzeExpense", does="get"),
}
