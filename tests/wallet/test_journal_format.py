"""An account's state in its snapshots: round trips, equal bytes for equal accounts, old formats left aside."""

import msgspec
import pytest

from libs.journal.machine import OldSnapshot
from services.wallet.domain.account.state import Account, Hold, Memory, key_of
from services.wallet.journal_format import decode_state, encode_state


def test_an_older_snapshot_is_left_aside() -> None:
    with pytest.raises(OldSnapshot):
        decode_state(b"\x85not of this format")


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
