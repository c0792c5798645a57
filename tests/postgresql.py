"""A real PostgreSQL server, started for a test and reached by a socket of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

USER, GUARDED = "tester", "guarded"
PASSWORD = "p@ss/w:ört%41 9"  # of the user `guarded`: with every character that an address has to escape


@dataclass(frozen=True)
class Server:
    """A server that runs; `user` is known by its socket, `guarded` by a password."""

    folder: Path  # of the socket

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables by which every client of PostgreSQL finds it."""
        return {"PGHOST": str(self.folder), "PGUSER": USER, "PGDATABASE": "postgres"}

    def url(self, user: str = USER, database: str = "postgres") -> str:
        """Return the address of a database; `user` may have a password behind a colon."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def run(self, *statements: str) -> None:
        """Run statements, each in a transaction of its own."""
        command = ["psql", "-q", "-v", "ON_ERROR_STOP=1", *(part for one in statements for part in ("-c", one))]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **self.environment})


@contextmanager
def server() -> Iterator[Server]:
    """Start a server with an empty database; a test that needs one is skipped where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [shutil.which("initdb")]
    if found[-1] is None or shutil.which("psql") is None:
        pytest.skip("needs PostgreSQL: its initdb, pg_ctl and psql")
    binaries = Path(found[-1]).parent
    user = pwd.getpwuid(os.geteuid())
    if user.pw_uid == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres to run it")
    as_user: dict[str, Any] = (
        {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    )
    folder = Path(tempfile.mkdtemp(prefix="bb"))  # short: a socket's path has 107 bytes at most

    def call(*command: object) -> None:
        subprocess.run([str(part) for part in command], check=True, capture_output=True, cwd=folder, **as_user)

    try:
        os.chown(folder, user.pw_uid, user.pw_gid)
        call(binaries / "initdb", "-D", folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        rules = folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        call(binaries / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-o", settings, "start")
        try:
            yield Server(folder)
        finally:
            call(binaries / "pg_ctl", "-D", folder / "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
