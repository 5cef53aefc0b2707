"""The command that a policy sends, as a pure function of the event it reacts to."""

from libs.contracts.messages import CommandMessage, Message, Principal, PublicEvent, command_id_at


def policy_command(event: PublicEvent, stream: str, body: Message, by: str) -> CommandMessage:
    """`by` is the policy's name. The id's time is the event's, so an old reaction expires like any other command."""
    name = type(body).__name__
    return CommandMessage(
        id=command_id_at(event.time, event.id, name),
        stream=stream,
        type=name,
        principal=Principal(kind="policy", id=by),
        correlation=event.correlation,
        body=body.model_dump(mode="json"),
    )
