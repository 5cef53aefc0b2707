"""Replies, told from what was folded (journal 10), or saying that nothing was decided."""

from uuid import UUID

import msgspec

from libs.contracts.messages import Verdict
from libs.journal.commit import Commit
from libs.journal.deciding import NotDecided, Repeated
from libs.journal.log import OutRecord
from libs.journal.ring import Answer


class Told(msgspec.Struct, frozen=True):
    """The contract's `Reply` as its sender makes it: the same fields, held together with it by a test."""

    command_id: UUID
    stream: str
    verdict: Verdict
    version: int
    reason: str | None = None
    rule: str | None = None
    detail: str = ""


_ENCODER = msgspec.json.Encoder()


def from_commit(commit: Commit) -> Told:
    """What a valid commit says to its command."""
    answer = Answer(commit.verdict, commit.version, commit.reason, commit.rule, commit.detail)
    return _told(UUID(bytes=commit.command_id), commit.stream, answer)


def without_commit(command_id: UUID, stream: str, version: int, outcome: Repeated | NotDecided) -> Told:
    """The answer that was given before; or expired or busy, with the stream's version as it stands."""
    if isinstance(outcome, Repeated):
        return _told(command_id, stream, outcome.answer)
    return Told(command_id, stream, outcome.verdict, version, outcome.reason)


def record(topic: str, reply: Told, traceparent: str) -> OutRecord:
    headers = (("traceparent", traceparent.encode()),) if traceparent else ()
    return OutRecord(topic, reply.stream.encode(), _ENCODER.encode(reply), headers)


def _told(command_id: UUID, stream: str, answer: Answer) -> Told:
    return Told(command_id, stream, answer.verdict, answer.version, answer.reason, answer.rule, answer.detail)
