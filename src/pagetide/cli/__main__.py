"""`python -m pagetide.cli`."""

from pagetide.cli import main

main()
