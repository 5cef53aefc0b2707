"""Opening: by operator or staff, under the name that player, currency and kind give."""

import pytest

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


@pytest.mark.rule("pt-811-2015", "75")
def test_play_money_has_a_currency_of_its_own() -> None:
    for currency, demo in (("EUR", True), ("FUN", False)):
        stream = f"account-ann-{currency}" + ("-demo" if demo else "")
        asked = given(stream=stream).when(OpenAccount(OPERATOR, "ann", currency, demo))
        asked.then_rejected(Reason.WRONG_CURRENCY, "pt-811-2015#75")
    free = given(stream="account-ann-FUN-demo").when(OpenAccount(OPERATOR, "ann", "FUN", True))
    assert (free.account().demo, free.account().currency) == (True, "FUN")
