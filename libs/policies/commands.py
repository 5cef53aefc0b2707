"""The command that a policy sends, as a pure function of the event it reacts to."""

from libs.contracts.commands import Command, message_of
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, command_id_at


def policy_command(event: PublicEvent, stream: str, command: Command, by: str) -> CommandMessage:
    """`by` is the policy's name. The id's time is the event's, so an old reaction expires like any other command."""
    return message_of(
        command,
        id=command_id_at(event.time, event.id, type(command).__name__),
        stream=stream,
        by=Principal("policy", by),
        correlation=event.correlation,
    )
