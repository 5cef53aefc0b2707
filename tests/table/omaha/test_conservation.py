"""No cent comes from the house, and none goes to it but commission (1)."""

from random import Random

from libs.contracts.poker_events import HandEnded, PotAwarded
from libs.contracts.table_events import PlayerLeft
from tests.table.omaha.play import portugal, rakes, seated
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case

HANDS = 60


def acts_somehow(table: TableUnderTest, luck: Random) -> None:
    check, call, least, most = table.legal
    acts: list[tuple[str, int | None]] = (
        [("check", None)] if check else [("call", None), ("call", None), ("fold", None)]
    )
    if least is not None and most is not None:
        acts.append(("raise", luck.choice((least, luck.randint(least, most), most))))
    assert call is not None or check
    act, to = luck.choice(acts)
    assert table.act(table.turn or 0, act, to) is None


@portugal("1/1")
def test_stacks_and_commission_stay_what_was_brought(case: Case) -> None:
    seats = range(1, case.int("players") + 1)
    hands = 0
    for structure in ("limit_raise_count", "limit_half_pot", "pot_limit", "no_limit"):
        luck = Random(structure)
        table = seated(dict.fromkeys(seats, case.int("stack")), structure, rake_bp=case["rate"])
        for _ in range(HANDS):
            table.wake()
            while table.state.hand is not None:
                acts_somehow(table, luck)
            assert sum(table.stacks.values()) + sum(rakes(table)) == case["total"]
        won = [seat for award in table.of(PotAwarded, True) for seat in award.winners]
        assert set(won) <= set(seats)
        assert table.of(PlayerLeft, True) == []
        hands += len(table.of(HandEnded, True))
    assert hands > HANDS
