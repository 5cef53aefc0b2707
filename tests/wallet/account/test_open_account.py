"""Opening: by operator or staff, under the name that player, currency and kind give."""

from services.wallet.domain.account.commands import OpenAccount
from services.wallet.domain.account.rejections import Reason
from tests.wallet.account.given import OPERATOR, PLAYER, given, opened


def test_opens_once() -> None:
    command = OpenAccount(OPERATOR, "ann", "EUR", False)
    given().when(command).then(opened)
    given(opened).when(command).then_nothing()


def test_refused_in_order() -> None:
    given().when(OpenAccount(PLAYER, "bob", "EUR", False)).then_rejected(Reason.NOT_ALLOWED)
    given().when(OpenAccount(OPERATOR, "bob", "EUR", False)).then_rejected(Reason.WRONG_ACCOUNT)
    given().when(OpenAccount(OPERATOR, "ann", "USD", False)).then_rejected(Reason.WRONG_ACCOUNT)
    given().when(OpenAccount(OPERATOR, "ann", "EUR", True)).then_rejected(Reason.WRONG_ACCOUNT)
    given(opened).when(OpenAccount(OPERATOR, "ann", "EUR", True)).then_rejected(Reason.WRONG_ACCOUNT)
