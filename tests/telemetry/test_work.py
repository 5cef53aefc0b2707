"""What is being done stands in log lines, goes along with what is sent, and joins in spans where batches do."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from libs.telemetry import Work, current_traceparent, get_logger, span
from libs.telemetry.traces import traceparent_in

TRACE, SPAN = "5fc1f91a000c8fc3d57bd06966960884", "ebb7a056bca5469e"


def test_a_log_line_names_trace_stream_and_command(log_file: Path) -> None:
    log = get_logger("test")
    with Work(f"00-{TRACE}-{SPAN}-00", "table-7", "the-command"):
        log.info("inside")
        log.info("of another", stream="table-8")
    log.info("outside")

    inside, other, outside = [json.loads(line) for line in log_file.read_text().splitlines()]

    assert [inside[name] for name in ("trace_id", "span_id", "stream", "command_id")] == [
        TRACE, SPAN, "table-7", "the-command",
    ]  # fmt: skip
    assert (other["stream"], other["trace_id"]) == ("table-8", TRACE)
    assert not {"trace_id", "span_id", "stream", "command_id"} & set(outside)


def test_the_trace_that_came_along_goes_on_and_ends_with_the_work() -> None:
    came = f"00-{TRACE}-{SPAN}-00"
    with span("decide", came, "table-7"):
        assert current_traceparent() == came, "nobody records it, so it is passed on as it came"
        with Work("", "table-8"):
            assert current_traceparent() == ""
        assert current_traceparent() == came
    with span("ws Act", ""):
        begun = current_traceparent()
    assert (len(begun), begun[-3:], TRACE in begun) == (55, "-00", False)
    assert current_traceparent() == ""


@pytest.mark.parametrize(
    ("headers", "expected"),
    [((), ""), ((("traceparent", b"00-a-b-01"),), "00-a-b-01"), ((("traceparent", b"x" * 65),), ""),
     ((("traceparent", b"\xff"),), "�")],
)  # fmt: skip
def test_a_header_from_anybody(headers, expected: str) -> None:
    assert traceparent_in(headers) == expected


def test_a_batch_is_a_span_in_each_trace_and_they_are_linked(tmp_path: Path) -> None:
    """In a process of its own: a tracer provider is set once."""
    script = (
        "import time\n"
        "from pathlib import Path\n"
        "from libs.telemetry.traces import configure_traces, joined\n"
        f"configure_traces('bench', Path({str(tmp_path / 'spans')!r}))\n"
        "traces = ['00-' + letter * 32 + '-' + letter * 16 for letter in 'abc']\n"
        "started = time.time_ns() - 5_000_000\n"
        "parts = [(traces[0] + '-01', 'one'), (traces[1] + '-00', 'unsampled'), ('', 'of nobody')]\n"
        "joined('append', [*parts, (traces[2] + '-01', 'two'), (traces[0] + '-01', 'three')], started)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

    spans = [json.loads(line) for line in (tmp_path / "spans").read_text().splitlines()]

    by_trace = {each["context"]["trace_id"]: each for each in spans}
    first, second = by_trace["0x" + "a" * 32], by_trace["0x" + "c" * 32]
    assert len(spans) == 2
    assert first["attributes"] == {"croupier.batch": 2, "croupier.parts": ["one", "three"]}
    assert [link["context"]["span_id"] for link in first["links"]] == [second["context"]["span_id"]]
    assert [link["context"]["span_id"] for link in second["links"]] == [first["context"]["span_id"]]
    assert first["parent_id"] == "0x" + "a" * 16
    assert first["start_time"] < first["end_time"]
