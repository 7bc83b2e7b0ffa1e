"""Names of files as texts that can be written."""


def written_name(name: str) -> str:
    """A file's name as results and requests can have it: what is no UTF-8 becomes U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
