"""What a library repeats is told now and then, with the number of times it was not."""

import json
import logging
from pathlib import Path

from libs.telemetry.logs import Repetitions


def line(logger: str, text: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord(logger, logging.ERROR, "", 0, text, arguments, None)


class Seconds:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_line_passes_in_five_seconds_and_the_next_says_how_many_did_not() -> None:
    clock = Seconds()
    repetitions = Repetitions(("aiokafka",), now=clock)

    passed = [repetitions.filter(line("aiokafka.client", "Unable connect to node with id %s", n)) for n in range(4)]
    clock.now += 5
    after = line("aiokafka.client", "Unable connect to node with id %s", 1)

    assert passed == [True, False, False, False]
    assert repetitions.filter(after)
    assert after.__dict__["left_out"] == 3


def test_another_text_or_level_or_logger_is_another_line() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    told = [line("aiokafka", "one"), line("aiokafka", "two"), line("aiokafka.consumer", "one")]
    told.append(logging.LogRecord("aiokafka", logging.WARNING, "", 0, "one", (), None))
    assert all(repetitions.filter(each) for each in told)


def test_our_own_lines_all_pass() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    assert all(repetitions.filter(line("libs.journal.runner", "decide raised")) for _ in range(3))


def test_texts_without_end_take_no_memory_without_end() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    for number in range(5_000):
        assert repetitions.filter(line("aiokafka", f"node {number}"))
    assert len(repetitions._said) <= 1_000


def test_the_services_logs_are_kept_short_so(log_file: Path) -> None:
    for number in range(100):
        logging.getLogger("aiokafka").error("Unable connect to node with id %s", number)
        logging.getLogger("libs.journal.runner").error("decide raised")

    events = [json.loads(each)["event"] for each in log_file.read_text().splitlines()]
    assert events.count("decide raised") == 100
    assert events.count("Unable connect to node with id 0") == 1
    assert len(events) == 101
