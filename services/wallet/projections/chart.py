"""The chart of accounts: what the books call everything that can hold money."""

from typing import Literal

Book = Literal["real", "demo"]
"""Play money has books of its own; the two never meet (pt-811-2015 74, 75)."""

_HOUSE = ("operator-cash/", "play-credit/", "treasury/")
_WITHOUT_FLOOR = (*_HOUSE, "in-transit/")


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


def house_round(table: str, number: int) -> str:
    """Stakes of one round against the house, from the first ante to the settlement; zero once it is over."""
    return f"round/{table}/{number}"


def bank(table: str) -> str:
    """What a table plays with against its players. It has a floor: what a lawful payout lacks, the treasury adds."""
    return f"bank/{table}"


def treasury(currency: str) -> str:
    """The house's own money, beside what it keeps for players. Runs negative by what lies in the banks."""
    return f"treasury/{currency}"


def rake(table: str, rulebook: str) -> str:
    return f"rake/{table}/{rulebook}"


def commission(table: str, rulebook: str) -> str:
    return f"commission/{table}/{rulebook}"


def tips(table: str) -> str:
    """The slot for tips, apart from all commission (pt-217-2007 5, 9.d)."""
    return f"tips/{table}"


def tournament(name: str, part: str) -> str:
    """`prize`, `fee` or `bounty` of a tournament: what was paid and is not given back yet; and `ticket`, what was
    won for it elsewhere and is not used yet. Zero in the end."""
    return f"tournament-{part}/{name}"


def bank_source(book: Book, currency: str) -> str:
    """Where a bank's money comes from and goes back to: a bank of play money is given away free, too."""
    return play_credit(currency) if book == "demo" else treasury(currency)


def has_floor(account: str) -> bool:
    return not account.startswith(_WITHOUT_FLOOR)


def has_parts(account: str) -> bool:
    """Whether everything that keeps books moves it, so that each has a row of its own."""
    return account.startswith(_HOUSE)


def book_of_account(account_stream: str) -> Book:
    """Which books an account of the wallet belongs to; a real one ends in its currency's capitals."""
    return "demo" if account_stream.endswith("-demo") else "real"
