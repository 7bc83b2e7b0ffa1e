"""LangChain's loader of PaddleOCR-VL: python paddleocr_langchain.py URL KEY FILE…"""

import json
import sys

from langchain_paddleocr import PaddleOCRVLLoader
from pydantic import SecretStr


def main(url: str, key: str, *files: str) -> None:
    loader = PaddleOCRVLLoader(list(files), access_token=SecretStr(key), base_url=url)
    loaded = loader.load()
    json.dump(
        [{"text": each.page_content, "metadata": each.metadata} for each in loaded], sys.stdout
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
