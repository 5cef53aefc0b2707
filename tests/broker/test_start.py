"""A service that the broker does not let in says so in one line, and ends."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from libs.stack import Stack
from services.cli.processes import ServiceProcess
from tests.testkit.marks import mark_file, seal_file

pytestmark = pytest.mark.stack


@pytest.mark.parametrize(
    ("password", "says"),
    [
        ("not the password at all", "refuses the login table: wrong password, or no such user"),
        ("xyzzy", "password is shorter than 16 characters"),
        (None, "password can't be read"),
    ],
)
async def test_a_service_that_is_not_let_in_says_why(
    stack: Stack, tmp_path: Path, password: str | None, says: str
) -> None:
    file, key = tmp_path / "password", tmp_path / "key"
    key.write_text("11" * 32)
    if password is not None:
        file.write_text(password)
    environment = replace(stack.broker("table"), password_file=file).environment()
    environment |= {"CROUPIER_KEK_FILE": str(key), "CROUPIER_GATEWAY_KEY_FILE": str(key)}
    environment["CROUPIER_MARKS_FILE"] = str(mark_file(tmp_path, "table"))
    environment["CROUPIER_SEAL_FILE"] = str(seal_file(tmp_path, "table"))
    process = ServiceProcess("table", environment, tmp_path / "table.out")
    await process.start()
    assert process.process is not None
    async with asyncio.timeout(60):
        assert await process.process.wait() == 1
    said = (tmp_path / "table.out").read_text().splitlines()
    assert said[-1].startswith("table: ")
    assert said[-1].endswith(says)
    assert password is None or password not in "".join(said)
