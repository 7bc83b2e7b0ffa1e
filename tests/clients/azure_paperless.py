"""The calls that Paperless-ngx 3 makes of its remote OCR engine.

    python azure_paperless.py URL KEY DOCUMENT ARCHIVE

It sends the document to `prebuilt-read` in JSON, asks for text and for the searchable PDF,
waits, keeps the PDF as ARCHIVE, and prints the text. Nothing of it knows who is answering.
"""

from __future__ import annotations

import sys
from pathlib import Path

from azure.ai.documentintelligence import DocumentIntelligenceClient
from azure.ai.documentintelligence.models import (
    AnalyzeDocumentRequest,
    AnalyzeOutputOption,
    DocumentContentFormat,
)
from azure.core.credentials import AzureKeyCredential

url, key, document, archive = sys.argv[1:]
client = DocumentIntelligenceClient(endpoint=url, credential=AzureKeyCredential(key))
poller = client.begin_analyze_document(
    model_id="prebuilt-read",
    body=AnalyzeDocumentRequest(bytes_source=Path(document).read_bytes()),
    output_content_format=DocumentContentFormat.TEXT,
    output=[AnalyzeOutputOption.PDF],
    content_type="application/json",
)
poller.wait()
result_id = poller.details["operation_id"]
found = poller.result()
with Path(archive).open("wb") as file:
    for chunk in client.get_analyze_result_pdf(model_id="prebuilt-read", result_id=result_id):
        file.write(chunk)
client.close()
sys.stdout.write(found.content)
