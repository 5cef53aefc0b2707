"""Play money: a currency kind of its own, so that no amount of it can be taken for money (pt-811-2015 75)."""

from typing import Literal

from libs.money.chips import NO_CURRENCY
from libs.money.currencies import CURRENCIES

PLAY_CURRENCY = "FUN"
"""No code of ISO 4217. Demo accounts, demo tables and their banks are in it, and nothing else is."""


def kind_of(currency: str) -> Literal["real", "demo"]:
    """The kind of money that the currency is. Tournament chips are in no currency, and none."""
    return "demo" if currency == PLAY_CURRENCY else "real"


def fits(kind: str, currency: str) -> bool:
    """Whether `currency` may be that of a `kind` of money, `real` or `demo`, or of `tournament` chips; real money is
    what somebody mints."""
    own = {"demo": PLAY_CURRENCY, "tournament": NO_CURRENCY}
    return currency == own[kind] if kind in own else currency in CURRENCIES
