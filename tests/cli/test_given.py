"""What a command is given to read ends, or is refused in a line."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from libs.stack import StackError
from services.cli.given import regular, whole
from services.cli.operator import operator
from services.cli.scan import _kept, _named
from services.cli.upgrading.build import read_build

ZERO = Path("/dev/zero")


@pytest.mark.parametrize("read", [read_build, _kept, lambda file: _named([file]), regular])
def test_a_device_without_an_end_is_refused(read: Callable[[Path], object]) -> None:
    with pytest.raises((OSError, StackError), match=r"is (larger than|no regular file)"):
        read(ZERO)


def test_credentials_are_in_no_device() -> None:
    refused = CliRunner().invoke(operator, ["list", "--file", str(ZERO)])
    assert isinstance(refused.exception, StackError)
    assert "is no regular file" in str(refused.exception)


def test_a_log_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="No such file"):
        _named([tmp_path, tmp_path / "gone.log"])


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for size in (1_000, 1_001):
        writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(bytes(size),))
        writer.start()
        if size == 1_000:
            assert whole(tmp_path / "pipe", 1_000) == bytes(1_000)
        else:
            with pytest.raises(OSError, match="is larger"):
                whole(tmp_path / "pipe", 1_000)
        writer.join()
