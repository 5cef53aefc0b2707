"""Opening: by operator or staff, under the name that player, currency and kind give."""

import pytest

from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import Book, OpenAccount, account_id
from tests.wallet.account.given import OPERATOR, PLAYER, given, opened


def test_opens_once() -> None:
    command = OpenAccount(player="ann", currency="EUR", kind="real")
    given().when(OPERATOR, command).then(opened)
    given(opened).when(OPERATOR, command).then_nothing()


def test_refused_in_order() -> None:
    given().when(PLAYER, OpenAccount(player="bob", currency="EUR", kind="real")).then_rejected(Reason.NOT_ALLOWED)
    given().when(OPERATOR, OpenAccount(player="bob", currency="EUR", kind="real")).then_rejected(Reason.WRONG_ACCOUNT)
    given().when(OPERATOR, OpenAccount(player="ann", currency="USD", kind="real")).then_rejected(Reason.WRONG_ACCOUNT)
    given().when(OPERATOR, OpenAccount(player="ann", currency="EUR", kind="demo")).then_rejected(Reason.WRONG_ACCOUNT)
    given(opened).when(OPERATOR, OpenAccount(player="ann", currency="EUR", kind="demo")).then_rejected(
        Reason.WRONG_ACCOUNT
    )


@pytest.mark.rule("pt-811-2015", "75")
def test_play_money_has_a_currency_of_its_own() -> None:
    kinds: tuple[tuple[str, Book], ...] = (("EUR", "demo"), ("FUN", "real"), ("XXX", "real"))
    for currency, kind in kinds:
        stream = account_id("ann", currency, kind)
        asked = given(stream=stream).when(OPERATOR, OpenAccount(player="ann", currency=currency, kind=kind))
        asked.then_rejected(Reason.WRONG_CURRENCY, "pt-811-2015#75")
    for nobodys in ("ZZZ", "XTS", "XAU", "BGN"):
        asked = given(stream=account_id("ann", nobodys)).when(OPERATOR, OpenAccount(player="ann", currency=nobodys))
        asked.then_rejected(Reason.WRONG_CURRENCY, "pt-811-2015#75")
    free = given(stream="account-ann-FUN-demo").when(OPERATOR, OpenAccount(player="ann", currency="FUN", kind="demo"))
    assert (free.account().demo, free.account().currency) == (True, "FUN")
