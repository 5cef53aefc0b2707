"""`croupier verify` over journals that real tables and wallets wrote: honest ones pass, each tampering is found."""

from services.cli.journals import books
from services.cli.verify import verify_log
from tests.audit.played import KEYRING, played


async def test_an_honest_house_has_no_failures() -> None:
    house = played(hands=8)
    report = await verify_log(house.log, books(KEYRING))
    assert report.findings == []
    assert house.rejections == []
    assert (report.hands, report.hands_ended, report.decks_opened) == (8, 8, 8)
    assert report.cards_proved >= 8
