"""Which messages carry a trace that somebody records."""

import subprocess
import sys

import pytest

from libs.telemetry.traces import is_sampled

TRACE = "00-5fc1f91a000c8fc3d57bd06966960884-ebb7a056bca5469e"


@pytest.mark.parametrize(
    ("traceparent", "sampled"),
    [(f"{TRACE}-01", True), (f"{TRACE}-03", True), (f"{TRACE}-00", False), (f"{TRACE}-02", False), ("", False),
     ("nonsense", False)],
)  # fmt: skip
def test_the_sampled_bit_decides_whatever_stands_beside_it(traceparent: str, sampled: bool) -> None:
    assert is_sampled(traceparent) is sampled


@pytest.mark.parametrize(
    ("sampler", "recorded"),
    [
        ("parentbased_always_on", "True False True"),
        ("parentbased_always_off", "True False True"),
        ("always_on", "True True True"),
    ],
)
def test_where_spans_follow_their_parents_a_trace_that_nobody_records_makes_none(tmp_path, sampler, recorded):
    """In a process of its own: a tracer provider is set once. Printed: under a sampled parent, another, none."""
    asked = (
        "from pathlib import Path\n"
        "from libs.telemetry.traces import configure_traces, is_recorded\n"
        f"traces = ('{TRACE}-01', '{TRACE}-00', '')\n"
        "assert not any(map(is_recorded, traces))\n"
        "configure_traces('bench')\n"
        "assert not any(map(is_recorded, traces)), 'nothing exports'\n"
        f"configure_traces('bench', Path({str(tmp_path / 'spans')!r}))\n"
        "print(*map(is_recorded, traces))\n"
    )

    said = subprocess.run(
        [sys.executable, "-c", asked], env={"OTEL_TRACES_SAMPLER": sampler}, capture_output=True, text=True, check=True
    )

    assert said.stdout.split() == recorded.split()
