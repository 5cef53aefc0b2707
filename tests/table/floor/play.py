"""Wishes around the play, in the language of the floor."""

from typing import Any

from libs.sealing.shuffle import Shuffle
from services.table.domain.table.floor import commands as c
from tests.table.play import TableUnderTest

FLOOR: dict[str, Any] = {"principal_kind": "staff", "principal_id": "floor-1"}


def player(name: str) -> dict[str, Any]:
    return {"principal_kind": "player", "principal_id": name}


def join(table: TableUnderTest, name: str, entry: str | None = None) -> str | None:
    return table.send(c.JoinWaitingList(**player(name), entry=entry or f"w-{name}"))


def ask_change(table: TableUnderTest, name: str, seat: int | None = None) -> str | None:
    return table.send(c.AskSeatChange(**player(name), entry=f"c-{name}", seat=seat))


def draw(table: TableUnderTest, fresh: Shuffle | None = None) -> str | None:
    return table.send(c.DrawSeats(**FLOOR), fresh or table.shuffler.shuffle())


def draw_tables(table: TableUnderTest, *others: str) -> str | None:
    return table.send(c.DrawTables(**FLOOR, tables=list(others)), table.shuffler.shuffle())


def write(table: TableUnderTest, name: str, message: str = "m1", **fields: Any) -> str | None:
    return table.send(c.SendMessage(**player(name), message=message, sealed="AAEC", **fields))


def warn(table: TableUnderTest, name: str, rule: str = "14.j", grave: bool = False) -> str | None:
    return table.send(c.WarnPlayer(**FLOOR, player=name, rule=rule, cause="conduct", grave=grave))


def favour(table: TableUnderTest, name: str, what: Any) -> str | None:
    return table.send(c.AskFavour(**player(name), favour=what))
