"""The queue on Azure Queue Storage, one for every pool and urgency.

    azurequeue://ACCOUNT/PREFIX                  the account's own endpoint
    azurequeue://ACCOUNT/PREFIX?create=no        queues are made by somebody else
    azurequeue://ACCOUNT/PREFIX?endpoint=URL     another service, such as Azurite

Who may is said by a connection string, by the account's key, or else by the identity that
`DefaultAzureCredential` finds. Texts are Base64, as KEDA, Functions and the portal have them.

Azure's queues cannot be waited at. A receiver that finds nothing asks its pool's three queues
again after 0.1 s, then less and less often, in the end every second: then that is 180
requests a minute, and a message is received within about a second.
"""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.server.queues import cloud, wake_text
from pagetide.server.queues.azure.service import Azure
from pagetide.server.queues.cloud import MOST_RECEIVED, Address, CloudQueue
from pagetide.server.queues.held import Held, HeldMessages, whole
from pagetide.server.queues.wake_text import WakeText

if TYPE_CHECKING:
    from azure.storage.queue import QueueMessage, QueueServiceClient

log = logging.getLogger(__name__)

FORM = "azurequeue://ACCOUNT/PREFIX, then ?endpoint=URL or ?create=no where needed"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0
TOGETHER = 16  # tasks that one thread sends in order; more go in several threads
SENDERS = 6  # with who receives and renews, no more than the client keeps connections
MOST_GARBAGE = 100  # that one look puts away


def open_queue(url: str, *, lease_s: float, connection: str = "", key: str = "") -> CloudQueue:
    """The queue at an `azurequeue://` URL; close it when done.

    Args:
        url: See above.
        lease_s: How long a message is its receiver's before it must renew.
        connection: The account's connection string; it names the endpoint, too.
        key: The account's key.

    Raises:
        BadOption: The URL or what stands beside it is wrong, or the extra is not installed.
    """
    prefix = r"(?=.{1,40}\Z)[a-z0-9]+(-[a-z0-9]+)*"
    address = cloud.parse_address(url, FORM, r"[a-z0-9]{3,24}", prefix)
    try:
        service = _service(address, connection, key)
    except ImportError:
        raise BadOption(
            f"The queue is on Azure, but its clients are not installed: {installing('azure')}."
        ) from None
    azure, hidden_s = Azure(address, service), whole(lease_s, least=1)
    return CloudQueue(
        address,
        azure,
        lambda names: AzureReceiver(azure, names, hidden_s),
        together=TOGETHER,
        senders=SENDERS,
    )


def _service(address: Address, connection: str, key: str) -> QueueServiceClient:
    from azure.core.credentials import AzureNamedKeyCredential
    from azure.storage.queue import LinearRetry, QueueServiceClient

    given: dict[str, Any] = {
        "connection_timeout": 3,
        "read_timeout": 6,
        "retry_policy": LinearRetry(backoff=1, retry_total=2, random_jitter_range=1),
    }
    if connection:
        return _connected(address, connection, given)
    endpoint = address.endpoint or f"https://{address.place}.queue.core.windows.net"
    if key:
        if not _decoded(key):
            raise BadOption("The key of the Azure storage account is not Base64.")
        named = AzureNamedKeyCredential(address.place, key)
        return QueueServiceClient(endpoint, credential=named, **given)
    if not endpoint.startswith("https:"):
        raise BadOption("An Azure identity is sent only over https: set PAGETIDE_AZURE_KEY.")
    from azure.identity import DefaultAzureCredential

    return QueueServiceClient(endpoint, credential=DefaultAzureCredential(), **given)


def _connected(address: Address, connection: str, given: dict[str, Any]) -> QueueServiceClient:
    from azure.storage.queue import QueueServiceClient

    if address.endpoint:
        raise BadOption("The Azure connection string contains the endpoint: remove endpoint=.")
    try:
        service = QueueServiceClient.from_connection_string(connection, **given)
    except (ValueError, KeyError):
        raise BadOption("The Azure connection string is invalid.") from None
    if service.account_name != address.place:
        raise BadOption(
            "The Azure connection string is for a different account than the queue."
        )
    return service


class AzureReceiver:
    """The port `ports.Receiver` on the three queues of a pool."""

    def __init__(self, azure: Azure, names: Sequence[str], hidden_s: int) -> None:
        self._azure, self._names, self._hidden_s = azure, names, hidden_s
        self._held = HeldMessages()
        self._woken = threading.Event()
        self._pause_s = 0.0  # before the next look; longer after each that was in vain

    def receive(self, timeout_s: float) -> Held | None:
        """See `ports.Receiver`."""
        deadline = time.monotonic() + timeout_s
        held = None if self._pause_s and timeout_s > 0 else self._poll()
        while held is None and (left := deadline - time.monotonic()) > 0:
            if self._woken.wait(min(left, self._pause_s)):
                break
            held = self._poll()
        self._woken.clear()
        return held

    def wake(self) -> None:
        """See `ports.Receiver`: at once, unless it is just asking."""
        self._woken.set()

    def close(self) -> None:
        """See `ports.Receiver`."""
        self._woken.set()
        self._held.release()

    def _poll(self) -> Held | None:
        for name in self._names:
            if held := self._looked(name):
                self._pause_s = 0.0
                return held
        self._pause_s = min(max(FIRST_PAUSE_S, self._pause_s * 2), LONGEST_PAUSE_S)
        return None

    def _looked(self, name: str) -> Held | None:
        for _ in range(MOST_GARBAGE):
            message = self._azure.receive(name, self._hidden_s)
            if message is None:
                break
            handle = AzureHandle(self._azure, name, message)
            text = _text(message)
            if text and (message.dequeue_count or 0) <= MOST_RECEIVED:
                return self._held.hold(text, handle)
            self._put_away(message, handle, "too often" if text else "not ours")
        return None

    def _put_away(self, message: QueueMessage, handle: AzureHandle, reason: str) -> None:
        log.warning(
            "wake-up put away", extra={"reason": reason, "count": message.dequeue_count}
        )
        try:
            self._azure.dead_letter(str(message.content))
            handle.delete()
        except StoreFailed as error:  # it comes again
            log.warning("dead letter not kept", extra={"code": error.code})


class AzureHandle:
    """See `held.Handle`; every renewal changes the receipt."""

    def __init__(self, azure: Azure, name: str, message: QueueMessage) -> None:
        self._azure, self._name = azure, name
        self._id, self._receipt = message.id, message.pop_receipt or ""

    def hide(self, seconds: int) -> None:
        """See `held.Handle`."""
        self._receipt = self._azure.hide(self._name, self._id, self._receipt, seconds)

    def delete(self) -> None:
        """See `held.Handle`."""
        self._azure.delete(self._name, self._id, self._receipt)


def _decoded(text: str) -> bytes:
    """The text of Base64; empty where it is not Base64."""
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return b""


def _text(message: QueueMessage) -> WakeText | None:
    return wake_text.parse(_decoded(str(message.content)))
