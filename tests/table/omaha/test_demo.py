"""Demo tables play like real ones, with money of their own (74)."""

from msgspec.structs import replace

from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandStarted
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import PlayerSeated
from services.wallet.policies.reactions import REACTIONS
from tests.table.omaha.play import portugal
from tests.table.play import TableUnderTest, stacked


def wallets_asked(table: TableUnderTest) -> set[str]:
    """Accounts of which the table's events ask something."""
    asked = set()
    for event in table.told:
        name, data = encode_fact(event)
        public = PublicEvent(stream="t1", version=1, type=name, time=1, causation="c", data=data)
        asked |= {message.stream for message in REACTIONS.get(type(event), lambda *_: [])(public, event)}
    return asked


@portugal("74/1")
def test_demo_plays_like_real() -> None:
    """Same configuration, same deck, same decisions: the events differ by the mark and the currency, nothing else."""
    told = []
    for kind in ("real", "demo"):
        table = TableUnderTest(kind=kind).seat(1, 2, 3)
        table.deal(button=1, fresh=stacked("Ah Kd Qc 2s 3s 4s"))
        table.plays("1 raise 350", "2 call", "3 fold", "2 check", "1 bet 400", "2 call").checks_down()
        told.append([event for event in table.told if type(event).__name__ != "TableOpened"])
        marked = [event.kind for event in table.of(PlayerSeated, True) + table.of(HandStarted, True)]
        assert set(marked) == {kind}
        table.leave(1)
        assert wallets_asked(table) == {
            f"account-p{seat}-EUR" if kind == "real" else f"account-p{seat}-FUN-demo" for seat in (1, 2, 3)
        }
    real, demo = told
    as_real = {"kind": "real", "currency": "EUR"}
    assert [
        replace(event, **{name: value for name, value in as_real.items() if hasattr(event, name)}) for event in demo
    ] == real
