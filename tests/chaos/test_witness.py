"""What the witness would say if something were lost, changed or doubled: a check that cannot fail proves nothing."""

import time
from typing import Any

import msgspec
import pytest

from libs.broker import Broker
from libs.journal.commit import Commit, digest, encode, genesis
from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord
from tests.chaos.history import History, Sent
from tests.chaos.witness import Witness
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS, partition_of

STREAM = "lisboa-1"
FIRST = Commit(
    stream=STREAM, base=0, prev=genesis("table-journal.1", STREAM), command_id=b"1" * 16, source="s", command_offset=0,
    command_time=1, verdict="accepted", reason=None, rule=None, detail="", events=(("HandVoided.1", b""),), writer="w",
    generation=1,
)  # fmt: skip


@pytest.fixture
def witness() -> Witness:
    return Witness(Broker("nowhere"), "", UNMARKED)


def sees(witness: Witness, *commits: Commit) -> None:
    partition = partition_of(STREAM)
    fold: PartitionFold[Any, Any] = PartitionFold(partition, PARTITIONS, "table-journal.1", None)
    for offset, commit in enumerate(commits):
        witness._take(fold, LogRecord(offset, STREAM.encode(), encode(commit)))


def told(verdict: str | None, version: int = 1, command_id: bytes = FIRST.command_id) -> History:
    return History([Sent("act", STREAM, command_id, 0.0, 1.0, verdict, version)])


def test_an_answer_as_the_journal_has_it_is_borne_out(witness: Witness) -> None:
    sees(witness, FIRST)
    assert witness.lost(told("accepted"), time.monotonic()) == []


@pytest.mark.parametrize(
    "history",
    [told("accepted", command_id=b"2" * 16), told("rejected"), told("accepted", version=2)],
    ids=["not there", "another verdict", "another version"],
)
def test_an_answer_that_the_journal_does_not_have_is_lost(witness: Witness, history: History) -> None:
    sees(witness, FIRST)
    assert len(witness.lost(history, time.monotonic())) == 1


def test_what_nobody_was_told_is_not_lost_and_is_looked_at_when_it_is_told(witness: Witness) -> None:
    history = told(None)
    assert witness.lost(history, time.monotonic()) == []
    history.sent[0].verdict = "accepted"
    assert len(witness.lost(history, time.monotonic())) == 1


def test_two_commits_of_one_command_are_one_effect_too_many(witness: Witness) -> None:
    again = msgspec.structs.replace(FIRST, base=1, prev=digest(encode(FIRST)), command_offset=1)
    sees(witness, FIRST, again)
    assert witness.doubled == 1


def test_a_hand_that_was_voided_is_seen(witness: Witness) -> None:
    sees(witness, FIRST)
    assert witness.voided == 1
