"""The bytes of a commit: a version byte, a digest over what was written, and a plain no to everything else."""

import contextlib
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.journal.commit import Commit, Undecodable, decode, digest, encode, genesis, time_in

SAMPLE = Commit(
    stream="account-1",
    base=7,
    prev=bytes(range(32)),
    command_id=bytes(range(16)),
    source="bank-commands.1/2",
    command_offset=99,
    command_time=1_763_740_000_000,
    verdict="accepted",
    reason=None,
    rule=None,
    detail="",
    events=(("croupier.bank.moved.v1", b'{"amount":1}'), ("croupier.bank.noted.v1", b"")),
    writer="w",
    generation=3,
    sealed=b"a deck",
    correlation="c",
    traceparent="t",
    principal="player:p1",
)


def test_round_trip_and_version():
    assert decode(encode(SAMPLE)) == SAMPLE
    assert SAMPLE.version == 9


def test_format_1_is_frozen():
    """Other bytes for the same commit would be another format, with another first byte."""
    assert sha256(encode(SAMPLE)).hexdigest() == FROZEN


FROZEN = "f5dd0d778b5574dd713e15b12a8e2b71d05501b7e457193b1cc5f394866f9703"


def test_digest_is_over_the_bytes_as_they_stand():
    raw = encode(SAMPLE)
    # Another encoding of the same values is another record: msgpack has more than one for a small integer.
    other = raw.replace(b"\x07", b"\xcc\x07", 1)
    assert decode(other) == SAMPLE
    assert digest(other) != digest(raw) == sha256(raw).digest()


def test_genesis_is_bound_to_incarnation_and_stream():
    assert len({genesis("a.1", "s"), genesis("a.2", "s"), genesis("a.1", "t"), genesis("a", "1s")}) == 4


def test_time_in_a_command_id():
    assert time_in(bytes.fromhex("019aa5a00000") + bytes(10)) == 0x019AA5A00000


@pytest.mark.parametrize(
    "raw",
    [
        None,
        b"",
        b"\x02" + encode(SAMPLE)[1:],
        encode(SAMPLE)[:-1],
        encode(SAMPLE) + b"\x00",
        b"\x01",
        b"\x01" + msgspec.msgpack.encode({"stream": "account-1"}),
        b"\x01" + msgspec.msgpack.encode([1, 2, 3]),
        encode(msgspec.structs.replace(SAMPLE, prev=b"short")),
        encode(msgspec.structs.replace(SAMPLE, command_id=b"short")),
        encode(msgspec.structs.replace(SAMPLE, base=-1)),
        encode(msgspec.structs.replace(SAMPLE, verdict="maybe")),
        encode(msgspec.structs.replace(SAMPLE, verdict="rejected")),
    ],
)
def test_what_is_no_commit_is_undecodable(raw):
    with pytest.raises(Undecodable):
        decode(raw)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_commit_or_undecodable(tail):
    with contextlib.suppress(Undecodable):
        assert isinstance(decode(b"\x01" + tail), Commit)
