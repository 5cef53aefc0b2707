"""A view that is kept and taken up again goes on as if it had never been away, after each event of every game."""

from collections.abc import Sequence

import pytest

from libs.contracts.facts import TableEvent
from libs.contracts.table_events import TableResumed
from libs.views.tournament import TournamentView, fold_tournament
from services.gateway.app.tournaments import Tournaments
from services.gateway.views.tables import Tables
from tests.gateway import hands
from tests.gateway.banked import told
from tests.tournament.samples import tournament_samples

POKER = [hands.opened(), *hands.everybody(), *hands.to_the_end(41), hands.started(42), hands.dealt()]
CLOSED = [hands.opened(), *hands.everybody(), *hands.to_the_end(41), *hands.closed(), TableResumed(by="staff"),
          *hands.closed()]  # fmt: skip
NO_DRAW = [told.opened(told.POKER), told.seated(told.POKER, 1), told.seated(told.POKER, 2), *told.antes(), *told.deal(),
           *told.decided(), *told.paid(), *told.antes(2), *told.void(2)]  # fmt: skip
BACCARAT = [told.opened(told.BACCARAT), told.seated(told.BACCARAT, 1), told.seated(told.BACCARAT, 2), told.shoe(),
            *told.coup_open(), *told.coup_cards(), told.coup_paid()]  # fmt: skip


@pytest.mark.parametrize("facts", [POKER, CLOSED, NO_DRAW, BACCARAT], ids=["poker", "closed", "no-draw", "baccarat"])
def test_a_table(facts: Sequence[TableEvent]) -> None:
    table, going_on = facts[0].table, Tables()
    for version, fact in enumerate(facts, 1):
        going_on.accept(table, fact, version)
        taken = Tables()
        taken.take([(table, *going_on.kept(table))])
        assert (taken, taken.kept(table)) == (going_on, going_on.kept(table))
        if version < len(facts):  # and it goes on
            for each in (taken, again := Tables()):
                if each is again:
                    for earlier, before in enumerate(facts[:version], 1):
                        each.accept(table, before, earlier)
                each.accept(table, facts[version], version + 1)
            assert (taken, taken.kept(table)) == (again, again.kept(table))


def test_a_tournament() -> None:
    view, folded = TournamentView("t-1"), 0
    for version, fact in enumerate(tournament_samples(), 1):
        try:
            view = fold_tournament(view, fact, version)
        except KeyError:
            continue  # a sample for itself, of something that no sample before it told
        folded += 1
        here, there = Tournaments({"t-1": view}), Tournaments()
        there.take([("t-1", *here.kept("t-1"))])
        assert there.kept("t-1") == here.kept("t-1")
        assert fold_tournament(there.known("t-1"), None, version + 1).version == version + 1
    assert folded > 30


def test_what_is_of_another_table_is_not_taken_and_nothing_beside_it() -> None:
    one = Tables()
    one.accept("a", hands.opened(), 1)
    version, state = one.kept("a")
    other = Tables()
    for wrong in (("b", version, state), ("a", version + 1, state), ("a", version, state[:-1])):
        with pytest.raises(ValueError):  # noqa: PT011 - of two kinds
            other.take([wrong])
    assert other == Tables()
