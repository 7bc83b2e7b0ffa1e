"""Azure Queue Storage: queues by name, and its refusals as our errors."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pagetide.errors import StoreFailed
from pagetide.server.queues import wake_text
from pagetide.server.queues.cloud import Address, Parcel

if TYPE_CHECKING:
    from azure.storage.queue import QueueClient, QueueMessage, QueueServiceClient

T = TypeVar("T")

# What renews, sends and counts may not take long, and is tried again anyway.
_QUICK: dict[str, Any] = {"connection_timeout": 1, "read_timeout": 2, "retry_total": 0}
_MISSING = "QueueNotFound"
_NOT_HELD = {"MessageNotFound", "PopReceiptMismatch", _MISSING}
_DENIED = {401, 403}
_UNKNOWN = {"AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation"}


class Azure:
    """The service: its queues by name, made when they turn out to be missing."""

    def __init__(self, address: Address, service: QueueServiceClient) -> None:
        self._address, self._service = address, service
        self._queues: dict[str, QueueClient] = {}

    def post(self, parcel: Parcel, trace: str) -> int:
        """See `cloud.Service`; one by one, and none after a first failure."""
        for sent, task in enumerate(parcel.tasks):
            text = base64.b64encode(wake_text.write(task, trace).encode()).decode()
            try:
                self._send(parcel.queue, text)
            except StoreFailed:
                return len(parcel.tasks) - sent
        return 0

    def receive(self, name: str, hidden_s: int) -> QueueMessage | None:
        """Take a queue's next message, if there is one.

        Raises:
            StoreFailed: The queue cannot be asked.
        """
        return self._ask(name, lambda queue: queue.receive_message(visibility_timeout=hidden_s))

    def prepare(self, names: Sequence[str]) -> None:
        """See `cloud.Service`: by what a worker may do in any case."""
        for name in names:
            self._ask(name, lambda queue: queue.peek_messages())

    def hide(self, name: str, message_id: str, receipt: str, seconds: int) -> str:
        """Hide a message for so long from now on; its new receipt.

        Raises:
            StoreFailed: The queue cannot be asked.
        """
        try:
            with _translated(name):
                updated = self._queue(name).update_message(
                    message_id, receipt, visibility_timeout=seconds, **_QUICK
                )
        except AzureFailed as error:
            if error.service_code not in _NOT_HELD:
                raise
            return receipt
        return updated.pop_receipt or receipt

    def delete(self, name: str, message_id: str, receipt: str) -> None:
        """Delete a message, if it is still ours.

        Raises:
            StoreFailed: The queue cannot be asked.
        """
        try:
            with _translated(name):
                self._queue(name).delete_message(message_id, receipt, **_QUICK)
        except AzureFailed as error:
            if error.service_code not in _NOT_HELD:
                raise

    def count(self, name: str) -> int:
        """See `cloud.Service`; those that are held as well."""
        try:
            with _translated(name):
                return (
                    self._queue(name).get_queue_properties(**_QUICK).approximate_message_count
                    or 0
                )
        except AzureFailed as error:
            if error.service_code != _MISSING:
                raise
            return 0

    def dead_letter(self, content: str) -> None:
        """Keep a message's content with the dead letters.

        Raises:
            StoreFailed: It is not taken.
        """
        self._send(self._address.dead, content)

    def close(self) -> None:
        """See `cloud.Service`."""
        self._service.close()

    def _send(self, name: str, content: str) -> None:
        self._ask(name, lambda queue: queue.send_message(content, **_QUICK))

    def _queue(self, name: str) -> QueueClient:
        if name not in self._queues:
            self._queues[name] = self._service.get_queue_client(name)
        return self._queues[name]

    def _ask(self, name: str, act: Callable[[QueueClient], T]) -> T:
        """Ask a queue; if it is missing, make it and ask again."""
        queue = self._queue(name)
        try:
            with _translated(name):
                return act(queue)
        except AzureFailed as error:
            if error.service_code != _MISSING:
                raise
        self._make(name, queue)
        with _translated(name):
            return act(queue)

    def _make(self, name: str, queue: QueueClient) -> None:
        if not self._address.create:
            raise StoreFailed(
                f"The Azure queue {name} is missing, and create=no is set: create it first."
            )
        try:
            with _translated(name):
                queue.create_queue(**_QUICK)
        except AzureFailed as error:
            if error.status in _DENIED:
                raise StoreFailed(
                    f"The Azure queue {name} is missing, and this process may not create it."
                ) from None
            if error.service_code != "QueueAlreadyExists":  # somebody else was faster
                raise


class AzureFailed(StoreFailed):
    """Azure has refused something.

    Attributes:
        service_code: The code that it gave, or empty.
        status: The HTTP status that it gave, or 0.
    """

    def __init__(self, message: str, service_code: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.service_code, self.status = service_code, status


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Raise the exceptions of Azure's client as ours; their texts may quote secrets."""
    from azure.core import exceptions

    service_code, status = "", 0
    try:
        yield
        return
    except exceptions.HttpResponseError as error:
        status = error.status_code or 0
        code = getattr(error, "error_code", None)
        service_code = str(getattr(code, "value", code) or "")
        reason = _reason(service_code, status)
    except exceptions.AzureError:
        reason = "it cannot be reached"
    except (AttributeError, KeyError, TypeError, ValueError):  # the client, of such an answer
        reason = "its answer is invalid"
    raise AzureFailed(
        f"The Azure queue {name} cannot be used: {reason}.", service_code, status
    ) from None


def _reason(service_code: str, status: int) -> str:
    if service_code == _MISSING:
        return "it does not exist"
    if service_code == "QueueBeingDeleted":
        return "it is just being deleted"
    if status in (429, 503):
        return "it gets too many requests"
    if status >= 500:
        return "it has an internal error"
    if service_code in _UNKNOWN:
        return "the Azure credentials are rejected"
    if not status:
        return "there are no Azure credentials"
    return (
        "this process is not allowed to do that"
        if status in _DENIED
        else "it refuses the request"
    )
