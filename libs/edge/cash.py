"""What the environment tells of the cage."""

from pydantic import Field
from pydantic_settings import BaseSettings

from libs.money.cash import A_DAY, ALONE_UP_TO, CashBounds


class CashSettings(BaseSettings):
    """What the wallet decides by, and the auditor judges by."""

    cash_alone_up_to: int = Field(default=ALONE_UP_TO, ge=0)
    """What one of the staff may deposit or withdraw at once without another one, minor units of each currency."""
    cash_a_day: int = Field(default=A_DAY, ge=0)
    """The same on one day (UTC), deposits and withdrawals together."""

    @property
    def cash(self) -> CashBounds:
        return CashBounds(self.cash_alone_up_to, self.cash_a_day)
