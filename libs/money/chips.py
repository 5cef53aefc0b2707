"""Tournament chips are not money: their currency is `XXX` (ISO 4217: none), so no amount of them passes for money."""

NO_CURRENCY = "XXX"
"""ISO 4217's own code where no currency is involved. Tournament tables are in it, and no account ever is."""


def are_chips(fact: object) -> bool:
    """Whether the amounts of a fact are tournament chips, which nobody may book."""
    return getattr(fact, "currency", None) == NO_CURRENCY
