"""Every event version ever written can be read for ever: the samples are frozen."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.journal.machine import OldSnapshot
from services.wallet import journal_format
from services.wallet.domain.account import events
from services.wallet.domain.account.state import Account, Hold, Memory, key_of
from services.wallet.journal_format import UnknownType, decode_event, decode_state, encode_event, encode_state

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


def test_what_an_account_remembers_is_written_in_the_same_bytes_whatever_the_order_and_read_back() -> None:
    keys = [key_of("deposit", str(number)) for number in range(500)]
    forth, back = (
        Account("account-ann-EUR", "ann", "EUR", False, references=Memory({key: key for key in order}))
        for order in (keys, keys[::-1])
    )

    assert encode_state(forth) == encode_state(back)
    read = decode_state(encode_state(forth))
    assert read == forth
    assert isinstance(read, Account)
    assert read.references.insert(b"new", b"new") != forth.references


def test_a_state_written_when_memories_were_dicts_is_read() -> None:
    """The bytes of the format did not change: a map of digests, of names, of amounts."""
    written = b"\x02" + msgspec.msgpack.encode(
        {
            "type": "open", "stream": "account-ann-EUR", "player": "ann", "currency": "EUR", "demo": False,
            "available": 5, "held": 0, "references": {b"r" * 16: b"a" * 16}, "holds": {},
            "settled_top_ups": {b"h" * 16: ["s1", "t1", 3]}, "ended": {b"h" * 16: b"c" * 16}, "over": {b"s" * 16: "t1"},
            "settled": {b"s" * 16: 7},
        }
    )  # fmt: skip

    account = decode_state(written)

    assert isinstance(account, Account)
    assert (account.references[b"r" * 16], account.over[b"s" * 16], account.settled[b"s" * 16]) == (b"a" * 16, "t1", 7)
    assert account.settled_top_ups == {b"h" * 16: Hold("s1", "t1", 3)}
    assert encode_state(account) == written
