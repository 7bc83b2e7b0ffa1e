"""Inputs: files, bytes and streams in, pages out; everything untrusted in a child process."""

from pagetide.inputs.limits import Limits
from pagetide.inputs.located import Source
from pagetide.inputs.pages import Input, PageContent, open_input
from pagetide.inputs.sandbox import Sandbox

__all__ = ["Input", "Limits", "PageContent", "Sandbox", "Source", "open_input"]
