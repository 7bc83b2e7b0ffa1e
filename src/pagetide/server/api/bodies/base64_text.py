"""Decodes Base64 (RFC 4648, section 4) in pieces, to a document on disk."""

from __future__ import annotations

import binascii

from pagetide.errors import BadOption
from pagetide.server.api.bodies.uploads import Upload


class Base64Document:
    """Decodes what it is fed; white space between means nothing."""

    def __init__(self, upload: Upload, name: str) -> None:
        self._upload, self._name = upload, name
        self._held, self._padded = b"", False

    def feed(self, text: bytes) -> None:
        """Take the next piece; `Upload.ease` writes what comes of it.

        Raises:
            BadOption: It is not base64.
            TooLarge: The document is larger than allowed.
        """
        text = self._held + text.translate(None, b"\r\n\t ")
        whole = len(text) - len(text) % 4
        self._held = text[whole:]
        if not whole:
            return
        if self._padded:
            raise self.spoilt()
        try:
            self._upload.hold(binascii.a2b_base64(text[:whole], strict_mode=True))
        except binascii.Error:
            raise self.spoilt() from None
        self._padded = text[whole - 1 : whole] == b"="

    def finish(self) -> None:
        """There is no more.

        Raises:
            BadOption: It breaks off.
        """
        if self._held:
            raise self.spoilt()

    def spoilt(self) -> BadOption:
        """The error that it is not base64."""
        return BadOption(f"{self._name} is not base64 (RFC 4648, section 4).")
