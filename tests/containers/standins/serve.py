"""Starts PostgreSQL as its official image does: first makes the database, if there is none."""

import os
import subprocess
from pathlib import Path

DATA = Path("/var/lib/postgresql/data/pgdata")


def main() -> None:
    """Become the server."""
    if not DATA.exists():
        user = os.environ["POSTGRES_USER"]
        secret = os.environ["POSTGRES_PASSWORD_FILE"]
        words = ["initdb", "-D", str(DATA), "-U", user, "--auth=scram-sha-256"]
        subprocess.run([*words, f"--pwfile={secret}", "--no-sync"], check=True)
        create = f"CREATE DATABASE {os.environ['POSTGRES_DB']}\n"
        single = ["postgres", "--single", "-D", str(DATA), "postgres"]
        subprocess.run(single, input=create.encode(), check=True)
        (DATA / "pg_hba.conf").write_text("host all all all scram-sha-256\n")
    words = ["postgres", "-D", str(DATA), "-c", "listen_addresses=*"]
    os.execvp(words[0], words)  # noqa: S606 - there is to be no shell


main()
