"""The load: deposits to many accounts, as an operator platform sends them, in the bytes of the commands topic."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.wallet_commands import account_id
from tests.testkit.partitions import PARTITIONS, partition_of

_OPERATOR = Principal(kind="operator", id="bench")


@dataclass(frozen=True, slots=True)
class Load:
    """Commands by partition, in order: first every account is opened, then deposits go round."""

    opening: list[list[tuple[bytes, bytes]]]
    deposits: list[list[tuple[bytes, bytes]]]

    @property
    def count(self) -> int:
        return sum(map(len, self.deposits))


def load(accounts: int, deposits: int, now_ms: int) -> Load:
    opening: list[list[tuple[bytes, bytes]]] = [[] for _ in range(PARTITIONS)]
    after: list[list[tuple[bytes, bytes]]] = [[] for _ in range(PARTITIONS)]
    names = [f"p{number}" for number in range(accounts)]
    for name in names:
        _put(opening, name, "OpenAccount", now_ms, {"player": name, "currency": "EUR"}, "open")
    for number in range(deposits):
        _put(
            after,
            names[number % accounts],
            "DepositFunds",
            now_ms,
            {"reference": f"d{number}", "amount": 100},
            f"{number}",
        )
    return Load(opening, after)


def _put(
    into: list[list[tuple[bytes, bytes]]], player: str, kind: str, now_ms: int, body: dict[str, Any], nonce: str
) -> None:
    stream = account_id(player, "EUR")
    message = CommandMessage(
        id=command_id_at(now_ms, stream, kind, nonce), stream=stream, type=kind, principal=_OPERATOR, body=body
    )
    into[partition_of(stream)].append((stream.encode(), message.encoded()))


def turns(load: Load) -> Iterator[tuple[int, bytes, bytes]]:
    """Deposits one after the other, partition by partition in turn."""
    for row in range(max(map(len, load.deposits))):
        for partition, commands in enumerate(load.deposits):
            if row < len(commands):
                yield partition, *commands[row]
