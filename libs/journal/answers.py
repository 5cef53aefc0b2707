"""Replies, told from what was folded (journal 10), or saying that nothing was decided."""

from uuid import UUID

from libs.contracts.messages import Reply
from libs.journal.commit import Commit
from libs.journal.deciding import NotDecided, Repeated
from libs.journal.log import Headers, OutRecord
from libs.journal.ring import Answer

REPLY_TO = "reply-to"
"""Header of a command: the partition of the replies topic where who asks hears the answer."""


def listens_at(headers: Headers, partitions: int) -> int | None:
    """Where the answer goes; None, which is the partition of its stream, for a command that does not say, or names a
    partition that there is not."""
    said = dict(headers).get(REPLY_TO) or b""
    if not said.isdigit() or len(said) > 4 or int(said) >= partitions:
        return None
    return int(said)


def from_commit(commit: Commit) -> Reply:
    """What a valid commit says to its command."""
    return _told(UUID(bytes=commit.command_id), commit.stream, Answer.of(commit))


def without_commit(command_id: UUID, stream: str, version: int, outcome: Repeated | NotDecided) -> Reply:
    """The answer that was given before; or expired or busy, with the stream's version as it stands."""
    if isinstance(outcome, Repeated):
        return _told(command_id, stream, outcome.answer)
    return Reply(command_id=command_id, stream=stream, verdict=outcome.verdict, version=version, reason=outcome.reason)


def record(topic: str, reply: Reply, traceparent: str, partition: int | None = None) -> OutRecord:
    """`partition`: as the command says, `listens_at`."""
    headers = (("traceparent", traceparent.encode()),) if traceparent else ()
    return OutRecord(topic, reply.stream.encode(), reply.encoded(), headers, partition)


def _told(command_id: UUID, stream: str, answer: Answer) -> Reply:
    return Reply(
        command_id=command_id,
        stream=stream,
        verdict=answer.verdict,
        version=answer.version,
        reason=answer.reason,
        rule=answer.rule,
        detail=answer.detail,
    )
