"""Every event version ever written can be read for ever: the samples are frozen."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.journal.machine import OldSnapshot
from services.wallet import journal_format
from services.wallet.domain.account import events
from services.wallet.journal_format import UnknownType, decode_event, decode_state, encode_event

GOLDEN = Path(__file__).parents[1] / "golden" / "wallet-journal"
SAMPLES: list[events.Event] = [
    events.AccountOpened("ann", "EUR", False, "operator:acme"),
    events.FundsDeposited("r1", 10_000, 10_000, 0, "operator:acme"),
    events.FundsWithdrawn("w1", 2_500, 7_500, 0, "staff:bo"),
    events.WithdrawalRefused("w2", 99_999, 7_500, "insufficient_funds", "operator:acme"),
    events.FundsHeld("s1", "s1", "table-7", 4_000, 3_500, 4_000),
    events.HoldRefused("s2", "s2", "table-8", 4_000, 3_500, "insufficient_funds"),
    events.HoldReleased("t1", "s1", "table-7", 1_000, 3_500, 4_000, "left"),
    events.HoldSettled("s1", "table-7", 4_000, 5_120, 8_620, 0),
    events.FeeCharged("t1-1-ann", "t1", "pt-217-2007-holdem", 2_000, 6_620, 0),
    events.FeeRefused("t1-2-ann", "t1", 2_000, 500, "insufficient_funds"),
    events.SignalReported("n1", "device", "5f" * 16, "operator:acme"),
]


def frozen() -> list[Path]:
    return sorted(GOLDEN.glob("*.json"))


@pytest.mark.parametrize("file", frozen(), ids=lambda file: file.stem)
def test_a_frozen_sample_reads_as_it_was_written(file: Path) -> None:
    sample: dict[str, Any] = json.loads(file.read_text())
    event = decode_event(file.stem, bytes.fromhex(sample["payload"]))
    assert msgspec.to_builtins(event) == sample["event"]


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_today_writes_what_the_sample_says(event: events.Event) -> None:
    name, payload = encode_event(event)
    sample = json.loads((GOLDEN / f"{name}.json").read_text())
    assert payload.hex() == sample["payload"], "a changed shape is a new version with an upcaster, never an edit"


def test_every_type_has_its_sample() -> None:
    assert {file.stem for file in frozen()} == set(journal_format._EVENTS)


def test_an_older_snapshot_is_left_aside() -> None:
    with pytest.raises(OldSnapshot):
        decode_state(b"\x85not of this format")


def test_a_type_of_the_future_stops_the_reader() -> None:
    with pytest.raises(UnknownType):
        decode_event("FundsHeld.2", b"")
