"""The chart of accounts: what the books call everything that can hold money."""

from typing import Literal

Book = Literal["real", "demo"]
"""Play money has books of its own; the two never meet (pt-811-2015 74, 75)."""

_WITHOUT_FLOOR = ("operator-cash/", "play-credit/", "in-transit/")


def operator_cash(currency: str) -> str:
    """The outside world: what the operator was paid for players and paid out to them. Runs negative."""
    return f"operator-cash/{currency}"


def play_credit(currency: str) -> str:
    """Where play money comes from: it is given away free."""
    return f"play-credit/{currency}"


def player(name: str, currency: str) -> str:
    return f"player/{name}/{currency}"


def in_transit(sitting: str) -> str:
    """Between wallet and table. Their events arrive in any order, so it has no floor; zero once the sitting is over."""
    return f"in-transit/{sitting}"


def stack(table: str, name: str) -> str:
    """A player's chips at a table; one seat per player, so the name will do."""
    return f"stack/{table}/{name}"


def pot(table: str, hand: int) -> str:
    return f"pot/{table}/{hand}"


def rake(table: str, rulebook: str) -> str:
    return f"rake/{table}/{rulebook}"


def commission(table: str, rulebook: str) -> str:
    return f"commission/{table}/{rulebook}"


def has_floor(account: str) -> bool:
    return not account.startswith(_WITHOUT_FLOOR)


def book_of_account(account_stream: str) -> Book:
    """Which books an account of the wallet belongs to; a real one ends in its currency's capitals."""
    return "demo" if account_stream.endswith("-demo") else "real"
