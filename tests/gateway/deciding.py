"""A real table behind the gateway's doors: what they send is decided there, and what it tells is published."""

from libs.contracts.messages import CommandMessage, Reply
from libs.sealing.secret import DataKey
from services.table.machine import decode_command
from services.table.scanning import Scanner
from tests.gateway.conftest import House
from tests.table.play import TableUnderTest


class Deciding:
    def __init__(self, house: House, table: TableUnderTest) -> None:
        self.house, self.table = house, table
        house.answer = self.answer
        self.tell()

    def tell(self) -> None:
        """What the table has told since the last time."""
        name = self.table.state.table
        self.house.publish(*self.table.told[self.house.versions.get(name, 0) :], table=name)

    def answer(self, message: CommandMessage) -> Reply:
        assert self.house.gateway is not None
        command = decode_command(message, Scanner(DataKey(self.house.gateway.key.reveal())))
        reason = self.table.send(message.principal, command, self.table.shuffler.shuffle())
        self.tell()
        return Reply(
            command_id=message.id,
            stream=message.stream,
            verdict="rejected" if reason else "accepted",
            version=self.house.versions[self.table.state.table],
            reason=reason,
            rule=self.table.refused.rule if self.table.refused is not None else None,
        )
