"""A log line carries what helps and nothing secret."""

import json
import logging
from pathlib import Path

import pytest

from libs.telemetry.logs import get_logger


def test_a_line_is_json_with_service_level_and_time(log_file: Path) -> None:
    get_logger("table").info("hand started", table="table-7", hand=3)
    line = json.loads(log_file.read_text())
    assert line["event"] == "hand started"
    assert line["service"] == "table"
    assert line["level"] == "info"
    assert line["table"] == "table-7"
    assert line["timestamp"].endswith("Z")


@pytest.mark.parametrize("name", ["hole_cards", "deck", "salt_secret", "session_token", "data_key", "Authorization"])
def test_a_field_that_speaks_of_a_secret_is_redacted(log_file: Path, name: str) -> None:
    get_logger("table").warning("careless", **{name: "As Kd 7h 2c"})
    assert "As Kd" not in log_file.read_text()
    assert json.loads(log_file.read_text())[name] == "[redacted]"


def test_what_the_libraries_say_beside_their_text_is_in_the_line_and_redacted_too(log_file: Path) -> None:
    said = {"partition": 3, "at": "bank.py:12", "salt": "As Kd"}
    logging.getLogger("libs.journal.runner").error("decide raised", extra=said)

    line = json.loads(log_file.read_text())
    assert (line["event"], line["partition"], line["at"], line["salt"]) == (
        "decide raised",
        3,
        "bank.py:12",
        "[redacted]",
    )
