"""What players and staff ask for between the acts: seats, draws, messages, warnings, favours."""

from typing import Any

from libs.contracts import conduct_commands as conduct
from libs.contracts import draw_commands as draws
from libs.contracts import waiting_list_commands as waiting
from libs.contracts.messages import Principal
from libs.sealing.shuffle import Shuffle
from tests.table.play import TableUnderTest

FLOOR = Principal("staff", "floor-1")


def player(name: str) -> Principal:
    return Principal("player", name)


def join(table: TableUnderTest, name: str, entry: str | None = None) -> str | None:
    return table.send(player(name), waiting.JoinWaitingList(entry=entry or f"w-{name}"))


def ask_change(table: TableUnderTest, name: str, seat: int | None = None) -> str | None:
    return table.send(player(name), waiting.AskSeatChange(entry=f"c-{name}", seat=seat))


def draw(table: TableUnderTest, fresh: Shuffle | None = None) -> str | None:
    return table.send(FLOOR, draws.DrawSeats(), fresh or table.shuffler.shuffle())


def draw_tables(table: TableUnderTest, *others: str) -> str | None:
    return table.send(FLOOR, draws.DrawTables(tables=list(others)), table.shuffler.shuffle())


def write(table: TableUnderTest, name: str, message: str = "m1", **fields: Any) -> str | None:
    return table.send(player(name), conduct.SendMessage(message=message, sealed="AAEC", **fields))


def warn(table: TableUnderTest, name: str, rule: str = "14.j", grave: bool = False) -> str | None:
    return table.send(FLOOR, conduct.WarnPlayer(player=name, rule=rule, cause="conduct", grave=grave))


def favour(table: TableUnderTest, name: str, what: Any) -> str | None:
    return table.send(player(name), conduct.AskFavour(favour=what))
