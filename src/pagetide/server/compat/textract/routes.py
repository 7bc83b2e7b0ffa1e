"""`POST /` with `X-Amz-Target: Textract.…`: the operations."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from pagetide.engines.catalogue import DEFAULT
from pagetide.errors import BadInput, BadOption, Busy, TooManyPages
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.callers.auth import Asker, Caller
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.extracting import ExtractionRequest, values_in
from pagetide.server.compat import outcome
from pagetide.server.compat.arriving import Arrival, arriving
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.patience import to_the_end
from pagetide.server.compat.textract import answers, buckets, expenses, fields
from pagetide.server.compat.textract.faults import (
    UNSUPPORTED,
    Refused,
    answer,
    answer_in_cbor,
    error_response,
)
from pagetide.server.compat.textract.operations import OPERATIONS, Operation
from pagetide.server.compat.textract.queries import (
    QUERIES,
    Answered,
    queries_of,
)
from pagetide.server.compat.textract.wire import Query
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.system.ready_types import ready

_TARGET, _SERVICE = "x-amz-target", "Textract."
# An id is short: without an end to it, a long header would be searched again and again.
_CREDENTIAL = re.compile(r"AWS4-\S{1,40} .*?\bCredential=([^/,\s]{1,128})/")
_INVOCATION = re.compile(r"[0-9A-Za-z-]{16,64}")
_TOKEN, _TAG = r"[a-zA-Z0-9_-]{1,64}", r"[a-zA-Z0-9_.:-]{1,64}"
_NEVER = (
    "AdaptersConfig",
    "HumanLoopConfig",
    "KMSKeyId",
    "NotificationChannel",
    "OutputConfig",
    "QueriesConfig",
)
_CONFIG, _ASKED = "QueriesConfig", "textract_queries"  # the latter in a job's metadata


class TargetRoute(answering_errors(error_response)):  # type: ignore[misc]
    """A route for the operations that do what its name says; to other requests it is not there.

    So each has the scopes that it needs, though one path is for them all.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """See `starlette.routing.Route`."""
        target = Headers(scope=scope).get(_TARGET)
        if scope.get("method") != "POST" or target is None or _does(target) != self.name:
            return Match.NONE, {}
        found: tuple[Match, Scope] = super().matches(scope)
        return found


def access_key(request: Request) -> str:
    """The API key, where an access key's id stands in a signature of AWS, version 4.

    The signature is not checked: that takes the secret, of which a hash alone is kept here.
    """
    found = _CREDENTIAL.match(request.headers.get("authorization", ""))
    return found[1] if found else ""


router = APIRouter(route_class=TargetRoute)
_KEY = (access_key,)
AnyKey = Annotated[Caller, Depends(Asker(ways=_KEY))]
Reading = Annotated[Caller, Depends(Asker("read", ways=_KEY))]
Submitting = Annotated[Caller, Depends(Asker("submit", ways=_KEY))]
SubmittingAndReading = Annotated[Caller, Depends(Asker("submit", "read", ways=_KEY))]


@router.post("/", name="wait")
async def wait_for(
    request: Request, context: InContext, asking: SubmittingAndReading
) -> Response:
    """Textract's Detect… and Analyze…: read a document and return its content."""
    operation = _operation(request)
    async with arriving(request, context, asking) as arrival:
        body = await _body(arrival)
        submitted = _Submitted(request, context, asking, operation, arrival)
        job, features = await submitted.at_once(body)
    job = await to_the_end(request, context, job, sees=asking.sees)
    outcome.check_succeeded(job)
    asked = () if operation.writer is expenses else (await _answered(request, context, job),)
    result = await call(operation.writer.whole, context.service, job, features, *asked)
    # Of bills the protocol has no place for the version here.
    version = {} if operation.writer is expenses else await _version(context, job, operation)
    return answer(result | version)


@router.post("/", name="start")
async def start(request: Request, context: InContext, asking: Submitting) -> Response:
    """Textract's Start…: accept a document."""
    async with arriving(request, context, asking) as arrival:
        body = await _body(arrival)
        submitted = _Submitted(request, context, asking, _operation(request), arrival)
        return answer({"JobId": (await submitted.start(body)).id})


@router.post("/", name="get")
async def get(request: Request, context: InContext, asking: Reading) -> Response:
    """Textract's Get…: return what was read."""
    async with arriving(request, context, asking) as arrival:
        body = await _body(arrival)
    return await _get(request, context, asking, _operation(request), body)


@router.post("/", name="refuse")
async def refuse(request: Request, asking: AnyKey) -> None:
    """Everything else in the protocol."""
    name = request.headers[_TARGET]
    raise Refused("UnknownOperationException", f"There is no operation {name[:80]!r}.")


def _operation(request: Request) -> Operation:
    return OPERATIONS[request.headers[_TARGET].removeprefix(_SERVICE)]


def _does(target: str) -> str:
    """What a request with this target is for: the name of its route."""
    operation = OPERATIONS.get(target.removeprefix(_SERVICE))
    return operation.does if operation and target.startswith(_SERVICE) else "refuse"


async def refuse_cbor() -> Response:
    """Refuse requests in Textract's other protocol."""
    message = "This server speaks AWS JSON 1.1 alone; set the client's protocol to that."
    return answer_in_cbor("UnknownOperationException", message)


router.add_api_route(
    "/service/Textract/operation/{operation}",
    refuse_cbor,
    methods=["POST"],
    route_class_override=answering_errors(error_response),
)


class _Submitted:
    """A request that makes a job."""

    def __init__(
        self,
        request: Request,
        context: Context,
        caller: Caller,
        operation: Operation,
        arrival: Arrival,
    ) -> None:
        self._request, self._context, self._caller = request, context, caller
        self._operation, self._arrival = operation, arrival
        self._name = ""
        self._metadata = {"textract": operation.kind}

    async def at_once(self, body: fields.Members) -> tuple[Job, tuple[str, ...]]:
        """The job that somebody waits for; and the features that are asked for."""
        given = self._members(body, ("Document",))
        features = self._features(given)
        document = fields.members(given.get("Document"), "Document", ("Bytes", "S3Object"))
        if ("Bytes" in document) == ("S3Object" in document):
            raise BadOption("`Document` needs either `Bytes` or `S3Object`.")
        if "S3Object" in document:
            await self._fetch(document)
        else:
            await self._arrival.base64(_bytes(document), "`Bytes`")
        # Tries of one call of a client carry one id, so that they are one job.
        call_id = self._request.headers.get("amz-sdk-invocation-id", "")
        key = call_id if _INVOCATION.fullmatch(call_id) else None
        try:
            return await self._submit(key, max_pages=1), features
        except TooManyPages:
            message = "This operation takes one page; Start… takes documents of any length."
            raise Refused(UNSUPPORTED, message) from None

    async def start(self, body: fields.Members) -> Job:
        """The job that somebody will ask for."""
        given = self._members(body, ("DocumentLocation", "ClientRequestToken", "JobTag"))
        self._features(given)
        token = fields.text(given, "ClientRequestToken", _TOKEN)
        if tag := fields.text(given, "JobTag", _TAG):
            self._metadata["textract_job_tag"] = tag
        location = fields.members(
            given.get("DocumentLocation"), "DocumentLocation", ("S3Object",)
        )
        await self._fetch(location)
        try:
            return await self._submit(token or None)
        except Busy as error:
            raise Refused("LimitExceededException", error.message) from None

    def _members(self, body: fields.Members, known: tuple[str, ...]) -> fields.Members:
        names = (*known, "FeatureTypes") if self._operation.analyzes else known
        if self._operation.analyzes and self._more:
            names = (*names, _CONFIG)
        return fields.members(body, "request", names, never={*_NEVER} - {*names})

    @property
    def _more(self) -> tuple[str, ...]:
        """Features that are to be had where there is a model server."""
        return (QUERIES,) if self._context.settings.extract_url else ()

    def _features(self, given: fields.Members) -> tuple[str, ...]:
        if not self._operation.analyzes:
            return ()
        features = fields.features(given, self._more)
        self._metadata["textract_features"] = " ".join(features)
        if queries := queries_of(given, features):
            self._metadata[_ASKED] = msgspec.json.encode(queries).decode()
        return features

    async def _fetch(self, given: fields.Members) -> None:
        bucket, name = buckets.wanted(given)
        place = buckets.place_of(bucket, self._caller, self._context.settings)
        taken, most = self._arrival.taken, self._arrival.most
        owner, fetches = self._caller.owner, self._context.fetches
        fetching = fetches.run(owner, buckets.fetch, place, name, taken.path, most)
        await unless_left(self._request.receive, fetching)
        self._name = name.rpartition("/")[2]
        self._metadata["textract_object"] = f"{bucket}/{name}"

    async def _submit(self, key: str | None, **more: Any) -> Job:
        settings = self._context.settings
        options = JobOptions(model=settings.model_named(self._operation.kind) or DEFAULT)
        return await self._arrival.submit(
            options,
            name=self._name,
            metadata=self._metadata,
            idempotency_key=f"textract {self._operation.kind} {key}" if key else None,
            **more,
        )


async def _body(arrival: Arrival) -> fields.Members:
    try:
        value = await arrival.json()
    except BadInput as error:
        if type(error) is not BadInput:
            raise
        raise Refused("SerializationException", error.message) from None
    if not isinstance(value, dict):
        raise Refused("SerializationException", "The body must be a JSON object.")
    return value


async def _get(
    request: Request,
    context: Context,
    caller: Caller,
    operation: Operation,
    body: fields.Members,
) -> Response:
    given = fields.members(body, "request", ("JobId", "MaxResults", "NextToken"))
    job_id = fields.text(given, "JobId")
    most = fields.most_blocks(given, answers.MOST_BLOCKS)
    job = await call(context.service.job, job_id, caller.sees)
    if job.metadata.get("textract") != operation.kind:
        raise Refused("InvalidJobIdException", "This job is of another operation.")
    token = fields.text(given, "NextToken")
    start = answers.place_of(token, job) if token else answers.START
    features = job.metadata.get("textract_features", "").split()
    has_asked = operation.writer is not expenses and "json" in job.results
    asked = (await _answered(request, context, job),) if has_asked else ()
    result = await call(
        operation.writer.part, context.service, job, features, start, most, *asked
    )
    more = await _version(context, job, operation) if "DocumentMetadata" in result else {}
    return answer(result | more)


async def _answered(request: Request, context: Context, job: Job) -> Answered | None:
    """What a model server found for a job's questions; it is asked once."""
    asked = job.metadata.get(_ASKED)
    if not asked:
        return None
    queries = msgspec.json.decode(asked, type=ready(tuple[Query, ...]))
    wanted = ExtractionRequest(queries=tuple(query.text for query in queries))
    found = await values_in(request, context, job, wanted, keep=True)
    return Answered(queries=queries, found=found)


async def _version(context: Context, job: Job, operation: Operation) -> dict[str, str]:
    head = await call(outcome.head, context.service, job)
    return {f"{operation.kind}ModelVersion": answers.version(head.model)}


def _bytes(document: fields.Members) -> str:
    value = document["Bytes"]
    if not isinstance(value, str) or not value:
        raise BadOption("`Bytes` must be the document in base64.")
    return value
