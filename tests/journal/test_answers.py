"""Answers as they go out are the contract's replies, to the byte."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.contracts.messages import Reply
from libs.journal import answers
from libs.journal.deciding import NotDecided, Repeated
from libs.journal.ring import Answer

ID = UUID("01928c3e-7f00-7abc-8def-0123456789ab")
TRACE = "00-5fc1f91a000c8fc3d57bd06966960884-ebb7a056bca5469e-01"


@given(
    st.uuids(),
    st.text(min_size=1),
    st.sampled_from(("accepted", "rejected")),
    st.integers(0, 2**53),
    st.none() | st.text(),
    st.none() | st.text(),
    st.text(),
)
def test_an_answer_reads_as_the_reply_that_the_contract_describes(
    command_id, stream, verdict, version, reason, rule, detail
):
    told = answers.without_commit(command_id, stream, 0, Repeated(Answer(verdict, version, reason, rule, detail)))
    sent = answers.record("replies", told, "").value or b""

    reply = Reply(
        command_id=command_id, stream=stream, verdict=verdict, version=version, reason=reason, rule=rule, detail=detail
    )
    assert Reply.decoded(sent) == reply


@pytest.mark.parametrize(("verdict", "reason"), [("expired", "expired"), ("busy", "too_many_commands")])
def test_what_was_not_decided_is_said_with_the_version_as_it_stands(verdict, reason):
    told = answers.without_commit(ID, "account-p1-EUR", 7, NotDecided(verdict, reason))

    record = answers.record("replies", told, TRACE)

    assert Reply.decoded(record.value or b"") == Reply(
        command_id=ID, stream="account-p1-EUR", verdict=verdict, version=7, reason=reason
    )
    assert (record.key, dict(record.headers)) == (
        b"account-p1-EUR",
        {"traceparent": TRACE.encode()},
    )


@pytest.mark.parametrize(
    ("said", "partition"),
    [(b"0", 0), (b"3", 3), (b"4", None), (b"99999", None), (b"-1", None), (b"", None), (b"1 ", None), (b"x", None)],
)
def test_an_answer_goes_where_the_command_says_if_there_is_such_a_partition(said, partition):
    assert answers.listens_at((("traceparent", b"x"), (answers.REPLY_TO, said)), 4) == partition


def test_a_command_that_says_nothing_is_answered_in_its_stream_s_partition():
    assert answers.listens_at((), 4) is None
    told = answers.without_commit(ID, "account-p1-EUR", 7, NotDecided("busy", "passed_over"))
    assert answers.record("replies", told, "").partition is None
    assert answers.record("replies", told, "", 3).partition == 3
