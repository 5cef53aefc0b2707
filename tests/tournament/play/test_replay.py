"""The worked cases of tournaments through the real rules, and a replay that notices when it is lied to."""

from pathlib import Path

import pytest

from services.cli.replaying.formats import outcomes_of

_FILE = "regulations/tournament-worked-cases.yaml"


def test_what_is_played_agrees(shared: Path) -> None:
    outcomes = list(outcomes_of(shared / _FILE))
    assert len(outcomes) == 16
    assert {outcome.id: outcome.differences for outcome in outcomes if outcome.differences} == {}
    assert [outcome.id for outcome in outcomes if outcome.not_dealt or not outcome.events] == []
    assert sum(outcome.events for outcome in outcomes if outcome.id == "T-01") == 20, "5 moves, 6 and 9 draws"


@pytest.mark.parametrize(
    ("case", "true", "false"),
    [
        ("T-01", "player: p16", "player: p17"),
        ("T-01", "free_seats: [2, 7, 9]", "free_seats: [2, 9]"),
        ("T-01", "{player: p03, to_table: 1, to_seat: 4}", "{player: p03, to_table: 1, to_seat: 6}"),
        ("T-01", "table_breaks: [8, 17]", "table_breaks: [9, 17]"),
        ("T-02", "places: {p6: '6', p3: '7'}", "places: {p6: '7', p3: '6'}"),
        ("T-03", "prizes: {x: 5000, y: 5000}", "prizes: {x: 6000, y: 4000}"),
        ("T-04", "total_refunded: 26400", "total_refunded: 24000"),
        ("T-05", "a3: 2803, a4: 1822", "a3: 2802, a4: 1823"),
        ("T-05", "operator_keeps: 750", "operator_keeps: 600"),
        ("T-06", "b: 29063, c: 17437}", "b: 29062, c: 17438}"),
        ("T-07", "prize_pool: 127000", "prize_pool: 127001"),
        ("T-07", "stack: 10000, balance: 2000, accepted: true", "stack: 10000, balance: 1999, accepted: true"),
        ("T-07", "{at: '20:59:59.999', request: rebuy", "{at: '21:00:00.000', request: rebuy"),
        ("T-07", "balance: 9000, accepted: false, reason: one per", "balance: 9000, accepted: true, reason: one per"),
        ("T-07", "21:02:00.000', request: add-on, stack", "21:05:00.000', request: add-on, stack"),
        ("T-07", "blinds of level 4", "blinds of level 5"),
        ("T-07", "36 x 2000 + 14 x 2000 + 18", "36 x 2000 + 15 x 2000 + 17"),
        ("T-08", "bounty: {H: 1000}}", "bounty: {I: 1000}}"),
        ("T-09", "'1': [C, A, B]", "'1': [C, D, A]"),
        ("T-09", "B: 2-3, E: 2-3", "B: '2', E: '3'"),
        ("T-11", "5: '20:52:30.000'", "5: '20:45:00.000'"),
        ("T-11", "entries_closed_at: '21:02:30.000'", "entries_closed_at: '20:55:00.000'"),
        ("T-12", "places_then: {a: 8, c: 7}", "places_then: {a: 8, c: 6}"),
        ("T-12", "b: 2400, c: -2200", "b: 4400, c: -2200"),
        ("T-13", "big_blind: 8, mover_posts: 0}", "big_blind: 8, mover_posts: 100}"),
        ("T-10", "balance_before: 5000, event: 'registers", "balance_before: 5001, event: 'registers"),
        ("T-10", "note: rule 28", "note: rule 29"),
        ("T-10", "net_wallet_change: {X: 0, Y: -2200", "net_wallet_change: {X: 0, Y: 0"),
        ("T-14", "ticket_account: 4400, credited: {s2: 2200}", "ticket_account: 4400, credited: {s2: 2000}"),
        ("T-14", "target_from_tickets: {entries: 4", "target_from_tickets: {entries: 3"),
        ("T-14", "money: {s4: 1700, s5: 1700}", "money: {s4: 1700, s5: 1701}"),
        ("T-16", "7: 200, 8: 100", "7: 100, 8: 100"),
        ("T-16", "3: 850, 4: 900", "3: 850, 4: 750"),
        ("T-16", "13: 50}", "13: 60}"),
        ("T-15", "k1: 5677, k2: 4569", "k1: 5676, k2: 4570"),
    ],
)  # fmt: skip
def test_a_wrong_figure_is_found(shared: Path, tmp_path: Path, case: str, true: str, false: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert true in text
    (tmp_path / "lie.yaml").write_text(text.replace(true, false, 1), encoding="utf-8")
    lying = [outcome.id for outcome in outcomes_of(tmp_path / "lie.yaml") if outcome.differences or outcome.no_record]
    assert lying == [case]
