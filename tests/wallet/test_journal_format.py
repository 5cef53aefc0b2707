"""An account's state in its snapshots: round trips, equal bytes for equal accounts, old formats left aside."""

import pytest

from libs.journal.machine import OldSnapshot
from services.wallet.domain.account.state import Account, Memory, key_of
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
