"""Who left before a pause may come back with any buy-in, although they had more when they left."""

from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_events import ReentryWaived
from tests.table.play import TableUnderTest


def test_who_left_before_a_pause_may_bring_less() -> None:
    table = TableUnderTest(buy_in_min=10_000, buy_in_max=20_000, top_up_to=20_000).seat(1, amount=20_000)
    assert table.leave(1) is None
    assert table.take(1, 10_000) == "reentry_below_stack"
    assert (table.pause(), table.resume()) == (None, None)
    (waived,) = table.of(ReentryWaived)
    assert waived.player == "p1"
    assert decode_fact(*encode_fact(waived)) == waived
    assert table.take(1, 10_000) is None
