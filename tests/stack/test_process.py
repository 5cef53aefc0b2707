"""What a log says of a server that ended."""

from pathlib import Path

from libs.stack import process
from libs.stack.process import complaint


def test_only_the_end_of_a_log_is_looked_at(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    assert complaint(log) == ""
    with log.open("wb") as file:
        file.write(b"ERROR of long ago\n")
        file.truncate(200 * 2**30)  # takes no room on the disk, and has none in memory
        file.seek(0, 2)
        file.write(b"\nINFO starting\nERROR no room\nINFO over\n")
    assert complaint(log) == "ERROR no room"


def test_its_last_line_stands_in_where_nothing_is_named(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text("INFO starting\nINFO over\n")
    assert complaint(log) == "INFO over"
    log.write_bytes("é".encode() * process._LOOKED_AT)  # cut in the middle of a letter
    assert complaint(log)
