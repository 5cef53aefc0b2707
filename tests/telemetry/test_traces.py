"""Which messages carry a trace that somebody records."""

import pytest

from libs.telemetry import is_sampled

TRACE = "00-5fc1f91a000c8fc3d57bd06966960884-ebb7a056bca5469e"


@pytest.mark.parametrize(
    ("traceparent", "sampled"),
    [(f"{TRACE}-01", True), (f"{TRACE}-03", True), (f"{TRACE}-00", False), (f"{TRACE}-02", False), ("", False),
     ("nonsense", False)],
)  # fmt: skip
def test_the_sampled_bit_decides_whatever_stands_beside_it(traceparent: str, sampled: bool) -> None:
    assert is_sampled(traceparent) is sampled
