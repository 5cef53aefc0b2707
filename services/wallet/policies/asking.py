"""How a policy of the wallet asks: by a name that is made of the event it answers."""

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.registry import snake
from libs.policies import policy_command


def asked_when(event: PublicEvent, fact: Fact, stream: str, command: WalletCommand, part: str = "") -> CommandMessage:
    """`part` tells several commands of one event to one stream apart."""
    return policy_command(event, stream, command, f"wallet.when_{snake(type(fact).__name__)}", part)
