"""Amounts as people read them."""

from libs.money.chips import NO_CURRENCY

_DIGITS = {"JPY": 0, "KRW": 0}
"""Digits after the point, where they are not two (ISO 4217)."""


def in_words(amount: int, currency: str) -> str:
    """`12345, "EUR"` is `123.45 EUR`; `amount` in minor units, also below zero. Without a currency it is chips."""
    if currency == NO_CURRENCY:
        return f"{amount} chips"
    digits = _DIGITS.get(currency, 2)
    whole, part = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d} {currency}" if digits else f"{sign}{whole} {currency}"
