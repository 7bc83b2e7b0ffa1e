"""boto3's client of Textract, told by JSON what to do.

    python textract_boto3.py URL KEY < calls.json

Each call is `[METHOD, ARGUMENTS]`, where `{"file": PATH}` stands for bytes and `{"job": N}`
for the id that call N was answered with. `until_done` asks a `get_…` until the job has ended
and takes all of its parts. What becomes of each is one of the list it prints.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError


def filled(value: Any, answers: list[Any]) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"}:
        return Path(value["file"]).read_bytes()
    if set(value) == {"job"}:
        return answers[value["job"]]["JobId"]
    return {name: filled(one, answers) for name, one in value.items()}


def until_done(client: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    get = getattr(client, arguments.pop("get"))
    answer = get(**arguments)
    while answer["JobStatus"] == "IN_PROGRESS":
        time.sleep(0.05)
        answer = get(**arguments)
    parts = [len(answer.get("Blocks", []))]
    last = answer
    while "NextToken" in last:
        last = get(**arguments, NextToken=last["NextToken"])
        parts.append(len(last["Blocks"]))
        answer["Blocks"] += last["Blocks"]
        answer.get("Warnings", []).extend(last.get("Warnings", []))
    return {**answer, "parts": parts}


def answered(client: Any, method: str, arguments: dict[str, Any]) -> Any:
    try:
        if method == "until_done":
            return until_done(client, arguments)
        return getattr(client, method)(**arguments)
    except ClientError as error:
        told = error.response
        return {
            "error": told["Error"]["Code"],
            "kind": type(error).__name__,
            "message": told["Error"]["Message"],
            "status": told["ResponseMetadata"]["HTTPStatusCode"],
        }


def main() -> None:
    url, key = sys.argv[1:]
    client = boto3.client(
        "textract",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key="any",  # noqa: S106 - it signs, and nobody checks
        config=Config(retries={"total_max_attempts": 1}, read_timeout=300),
    )
    answers: list[Any] = []
    for method, arguments in json.load(sys.stdin):
        answers.append(answered(client, method, filled(arguments, answers)))
    print(json.dumps(answers))  # noqa: T201


if __name__ == "__main__":
    main()
