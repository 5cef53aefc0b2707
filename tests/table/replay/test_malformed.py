"""Records with something wrong in them: a named error each, which says file, hand and field; no traceback, no hang."""

import gzip
import io
import json
import os
import tarfile
import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer import Typer
from typer.testing import CliRunner

from services.cli.replay import replay
from services.cli.replaying.formats import outcomes_in
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import NotARecord
from tests.table.replay.corrupting import corrupted
from tests.table.replay.test_phh import HOLDEM, acts

_APP = Typer()
_APP.command()(replay)
_SECONDS = 30
"""Far more than any record takes."""
Break = tuple[str, str, str]
"""What stands in the good file, what in the malformed one, and what the error says beside the file's name."""
_FILES = {
    "omaha": "omaha-worked-hands",
    "casino": "casino-poker-worked-hands",
    "no_draw": "no-draw-poker-worked-rounds",
    "baccarat": "baccarat-worked-rounds",
    "tournament": "tournament-worked-cases",
}

_OMAHA: list[Break] = [
    ("rulesets:", "rule_sets:", "rulesets: Field required"),
    ("rounding: down}", "rounding: up}", "rulesets.pt-pl-500.rake.rounding"),
    (
        "structure: pot_limit\n",
        "structure: guesswork\n",
        "W01: the record's table is refused: outside_rulebook structure",
    ),
    ("odd_unit: one_unit_each", "odd_units: one_unit_each", "W01: the record's table is refused: outside_rulebook"),
    ("ruleset: pt-pl-500", "ruleset: pt-pl-501", "hands[W01].ruleset: there is none that is called 'pt-pl-501'"),
    ("small: 50, big: 100", "small: 50, big: many", "hands[W01].blinds.big"),
    ("small: 50, big: 100", "small: -50, big: 100", "hands[W01].blinds.small"),
    ("button: 4, small_blind: 5", "button: 7, small_blind: 5", "hands[W01]: button and blinds are seats"),
    ("{seat: 2, name: Bruno", "{seat: 1, name: Bruno", "hands[W01]: button and blinds"),
    ("{seat: 2, name: Bruno", "{seat: 2, name: Ana", "W01: the record's table is refused: already_seated"),
    ("stack: 10000, hole: [As", "stack: '10000', hole: [As", "hands[W01].players[seat 1].stack"),
    ("hole: [As, 7d, 7c, 2h]", "hole: [As, 7d, 7c]", "hands[W01].players[seat 1].hole"),
    ("hole: [As, 7d, 7c, 2h]", "hole: [As, 7d, 7c, 1h]", "hands[W01].players[seat 1].hole[number 4]"),
    ("hole: [Kd, 9s, 5c, 3h]", "hole: [As, 9s, 5c, 3h]", "W01: a card stands in two places"),
    ("flop: null, turn: null", "flop: null, turn: 2c", "hands[W01].board: a street stands without"),
    ("{seq: 2, street: preflop", "{seq: 3, street: preflop", "hands[W01]: actions are numbered by seq"),
    ("act: post_sb, add: 50", "act: post_bs, add: 50", "hands[W01].actions[seq 1].act"),
    ("act: post_sb, add: 50, to: 50", "act: post_sb, to: 50", "hands[W01].actions[seq 1]: post_sb lacks add"),
    ("seat: 5, act: post_sb", "seat: 5, hat: red, act: post_sb", "hands[W01].actions[seq 1].hat"),
    ("to: 176, reason: above_max", "to: 176", "hands[W02].actions[seq 3]: rejected lacks reason"),
    ("legal: {check: false, call: 100,", "legal: {call: 100,", "hands[W01].actions[seq 3].legal.check"),
    ("      showdown: null\n", "      showdown: {order: all}\n", "hands[W01].expected.showdown.order"),
    ("      next_button: 5\n", "", "hands[W01].expected.next_button: Field required"),
    ("    leaves: [4]", "    leaves: 4", "hands[W02].leaves"),
    ("- id: W01", "- id: [W01]", "hands[number 1].id"),
]  # fmt: skip
_CASINO: list[Break] = [
    ("regulation: pt-217-2007-casino-poker", "regulation: pt-218-2007", "regulation: Input should be"),
    ("config: {rulebook: pt-217-2007-casino-poker", "config: {rulebook: house", "hands[WH-01].config.rulebook"),
    ("limit_mode: no_limit", "limit_mode: none", "hands[WH-01].config.limit_mode"),
    ("table_min: 200, small_blind", "table_min: 300, small_blind", "hands[WH-01].config: big_blind is not"),
    ("percent_bp: 500, cap: 500", "percent_bp: lots, cap: 500", "hands[WH-01].config.rake.percent_bp"),
    ("percent_bp: 500, cap: 500", "percent_bp: 50000, cap: 500", "WH-01: the record's table is refused"),
    ("lead_seat: 3", "lead_seat: 9", "hands[WH-01]: each seat has one player, and the lead seat"),
    ("lead_seat: 3", "lead_seat: 12", "hands[WH-01].lead_seat"),
    ("stack: 20000, hole: [Js, 8s]", "hole: [Js, 8s]", "hands[WH-01].players[seat 1].stack: Field required"),
    ("hole: [Js, 8s]", "hole: [Js, 8s, 2c]", "hands[WH-01]: holdem has 2 hole cards"),
    ("stub_top: [6s, Kh", "stub_top: [Kh, Kh", "WH-01: a card stands in two places"),
    ("{seq: 1, event: post,", "{seq: 1, event: ghost,", "hands[WH-01].events[seq 1]: Input tag 'ghost'"),
    ("{seq: 1, event: post,", "{seq: 2, event: post,", "hands[WH-01]: events are numbered"),
    ("post: small, amount", "post: tiny, amount", "hands[WH-01].events[seq 1].post: Input"),
    ("order: [3, 4, 5, 6, 1, 2], passes: 2", "order: 3, passes: 2", "hands[WH-01].events[seq 3].deal_hole.order"),
    ("best_five: [9d, 9h, 9c, 4d, 4s]", "best_five: [9d, 9h]", "hands[WH-01].events[seq 25].show.best_five"),
    (
        "pot: main, seat: 3, gross: 12000, rake: 500",
        "pot: main, seat: 3, rake: 500",
        "hands[WH-01].events[seq 27].award.gross",
    ),
    ("uncalled_returned: none", "uncalled_returned: some", "hands[WH-01].expected.paid.uncalled_returned"),
    ("      pot_total: 12000\n", "", "hands[WH-01].expected.paid.pot_total: Field required"),
    ("code: DE-70d", "code: DE-70z", "hands[WH-05].events[seq 7].incident: the replay plays no incident 'DE-70z'"),
    ("code: DE-70b, seat: 1", "code: DE-70b", "hands[WH-10].events[seq 6].incident: DE-70b has seat, not nothing"),
    ("at_event: 14", "at_event: 15", "hands[WH-05]: reshuffles are at the events [14]"),
    ("event: burn, card: 5c, stub_left: 41", "event: burn, stub_left: 41", "hands[WH-05].events[seq 6].burn.card"),
    (
        "event: burn, card: 5c, stub_left: 41",
        "event: burn, card: Qs, stub_left: 41",
        "WH-05: events: seq 15: ScanCard is refused: supervisor_decision",
    ),
    (
        "{seq: 9, event: action, round: preflop, seat: 5, action: call",
        "{seq: 9, event: action, round: preflop, seat: 5, action: shout",
        "hands[WH-03].events[seq 9].action: Input",
    ),
]  # fmt: skip
_NO_DRAW: list[Break] = [
    ("regulation: pt-no-draw-poker-online", "regulation: pt-draw", "regulation: Input should be"),
    ("mode: single, min_ante: 100", "mode: double, min_ante: 100", "rounds[ND-01].table.mode"),
    ("mode: single, min_ante: 100", "mode: single, min_ante: 1.5", "rounds[ND-01].table.min_ante"),
    ("min_ante: 100, max_ante: 2500", "min_ante: 100, max_ante: 0", "ND-01: the record's table is refused"),
    ("deck_order: 2c Kh As", "deck_order: 2c Kh Kh", "rounds[ND-01]: deck_order: a card stands in two"),
    ("deck_order: 2c Kh As", "deck_order: 2c Kh", "rounds[ND-01]: deck_order: 10 cards"),
    ("deck_order: 2c Kh As", "deck_order: 2c Kh Xx", "rounds[ND-01].deck_order: not a card"),
    ("burn: 2c", "burn: [2c]", "rounds[ND-01].burn"),
    ("dealer_hand: As Qd 9c 6s 3d", "dealer_hand: As Qd 9c 6s", "rounds[ND-01].dealer_hand"),
    ("dealer_up_card: 3d", "dealer_up_card: 3x", "rounds[ND-01].dealer_up_card"),
    ("      - seat: 1\n        ante: 500", "      - seat: 8\n        ante: 500", "rounds[ND-01].seats[seat 8].seat"),
    ("        ante: 500\n", "", "rounds[ND-01].seats[seat 1].ante: Field required"),
    ("        ante: 500\n", "        ante: -500\n", "rounds[ND-01].seats[seat 1].ante"),
    ("hand: Kh 9h 7h 4h 2h", "hand: Kh 9h 7h 4h", "rounds[ND-01].seats[seat 1].hand"),
    ("decision: continue\n", "decision: dither\n", "rounds[ND-01].seats[seat 1].decision"),
    ("qualifies: false", "qualifies: perhaps", "rounds[ND-01].qualification.qualifies"),
    ("player_category: flush\n", "player_category: 5\n", "rounds[ND-01].results[seat 1].player_category"),
    (
        "      - seat: 1\n        player_category",
        "      - seat: 2\n        player_category",
        "rounds[ND-01]: each seat has one result",
    ),
    ("outcome: dealer-not-qualified", "outcome: rained-off", "rounds[ND-01].results[seat 1].outcome"),
    ("ante: {stake: 500, credited: 1000}", "ante: {stake: 500}", "rounds[ND-01].results[seat 1].ante.credited"),
    ("timing: {decision_ms: 20000", "timing: {decision_ms: soon", "rounds[ND-11].timing.decision_ms"),
    ("event: seat 5 connection lost", "event: seat 5 is on the telephone", "rounds[ND-11].timeline[number 3].event"),
    ("at_ms: 7000", "at_ms: -1", "rounds[ND-11].timeline[number 3].at_ms"),
    ("    why: The ante is paid", "    whence: The ante is paid", "rounds[ND-01].whence"),
]  # fmt: skip
_BACCARAT: list[Break] = [
    ("regulation: pt-812-2015-baccarat-online", "regulation: pt-813", "regulation: Input should be"),
    ("variant: ponto-e-banca, decks: 8", "variant: snap, decks: 8", "rounds[BAC-01].table.variant"),
    ("variant: ponto-e-banca, decks: 8", "variant: ponto-e-banca, decks: 7", "rounds[BAC-01].table.decks"),
    ("decks: 8, min_bet: 100", "decks: 8, min_bet: none", "BAC-01 a: the record's table is refused"),
    ("decks: 8, min_bet: 100", "decks: 8, least_bet: 100", "BAC-01 a: the record's table is refused"),
    ("commission_mode: five-percent", "commission_mode: ten-percent", "rounds[BAC-01].coups[a].commission_mode"),
    ("shoe: 4h 3d 5s 5c", "shoe: 4h 3d 5s Zc", "rounds[BAC-01].coups[a].shoe"),
    ("shoe: 4h 3d 5s 5c", "shoe: 4h 4h 4h 4h 4h 4h 4h 4h 4h", "BAC-01 a: shoe: a card comes oftener"),
    ("        shoe: 4h 3d 5s 5c\n", "", "rounds[BAC-01].coups[a]: lacks shoe"),
    ("ponto: {cards: 4h 5s, score: 9}", "ponto: {cards: 4h 5s}", "rounds[BAC-01].coups[a].ponto.score"),
    ("ponto: {cards: 4h 5s, score: 9}", "ponto: 9", "rounds[BAC-01].coups[a].ponto"),
    ("natural: true", "natural: very", "rounds[BAC-01].coups[a].natural"),
    ("        winner: ponto\n", "", "rounds[BAC-01].coups[a]: lacks winner"),
    ("        branch: natural\n", "", "rounds[BAC-01].coups[a]: lacks branch"),
    (
        "{seat: 1, chance: ponto, stake: 1000}",
        "{seat: 10, chance: ponto, stake: 1000}",
        "rounds[BAC-01].coups[a].bets[seat 10].seat",
    ),
    (
        "{seat: 1, chance: ponto, stake: 1000}",
        "{seat: 1, chance: luck, stake: 1000}",
        "rounds[BAC-01].coups[a].bets[seat 1].chance",
    ),
    ("{seat: 1, chance: ponto, stake: 1000}", "{seat: 1, chance: ponto}", "rounds[BAC-01].coups[a].bets[seat 1].stake"),
    (
        "{seat: 1, chance: ponto, stake: 1000}",
        "{seat: 1, chance: ponto, stake: 1000, tip: 5}",
        "rounds[BAC-01].coups[a].bets[seat 1].tip",
    ),
    ("commission: 0, credited: 2000}", "commission: 0}", "rounds[BAC-01].coups[a].results[seat 1].credited"),
    (
        "{seat: 1, chance: par_ponto, stake: 200, commission",
        "{seat: 1, chance: ponto, stake: 200, commission",
        "rounds[BAC-01].coups[a]: results has one line",
    ),
    ("net_by_seat: {1: 800}", "net_by_seat: {one: 800}", "rounds[BAC-01].coups[a].net_by_seat"),
    (
        "net_by_seat: {1: 800}",
        "net_by_seat: {1: 800}\n        outcome: void",
        "rounds[BAC-01].coups[a]: a void coup is played up to its bets",
    ),
    ("net_by_seat: {1: 800}", "net_by_seat: {1: 800}\n        outcome: draw", "rounds[BAC-01].coups[a].outcome"),
    ("    coups:\n", "    coups: []\n    coup:\n", "rounds[BAC-01].coups: List should have at least 1 item"),
    (
        "        bets:\n",
        "        bet_requests: [{seat: 1, action: hope, chance: ponto, stake: 5}]\n        bets:\n",
        "rounds[BAC-01].coups[a].bet_requests[seat 1].action",
    ),
]  # fmt: skip
_APART = "what it says does not go together: "
_UNREAD = "what the replay does not read:"
_TOURNAMENT: list[Break] = [
    ("cases:\n", "case:\n", "holds no hands, rounds or coups"),
    ("regulation:", "regulations:", "regulation: Field required"),
    ("conventions:", "conventions: 7\nconvention:", "conventions: Input should be a valid dictionary"),
    ("  - id: T-01", "  - id: [T-01]", "cases[number 1].id: Input should be a valid string"),
    ("  - id: T-01", "  - name: T-01", "cases[number 1].id: Field required"),
    ("    title:", "    titel:", "cases[T-01].title: Field required"),
    ("    rules:", "    rules: 7\n    rule:", "cases[T-01].rules: Input should be a valid list"),
    ("    steps:", "    steps: 7\n    step:", "cases[T-01].steps: Input should be a valid list"),
    ("    expected:", "    expected: 7\n    expect:", "cases[T-01].expected: Input should be a valid dictionary"),
    ("    totals:", "    totals: 7\n    total:", "cases[T-07].totals: Input should be a valid dictionary"),
    ("final_stacks:", "final_stack:", "cases[T-09].final_stack: Extra inputs are not permitted"),
    ("initial_seating", "first_seating", "T-01: a case of no shape that the replay knows"),
    ("prize_credit_mode:", "prize_credit_mod:", "T-08: a case of no shape that the replay knows"),
    ("entries_at_start:", "entries_at_begin:", "T-12: a case of no shape that the replay knows"),
    ("satellite:", "satelite:", "T-14: a case of no shape that the replay knows"),
    ("seats_per_table: 9", "seats_per_table: nine", f"T-01: {_APART}TypeError"),
    ("seats_per_table: 9", "seats_per_table: 0", f"T-01: {_APART}ZeroDivisionError"),
    ("seats_per_table: ", "seat_per_table: ", f"T-01: {_APART}KeyError 'seats_per_table'"),
    ("players: 27", "players: [27]", f"T-01: {_APART}TypeError"),
    ("eliminated: [p05]", "eliminated: 5", f"T-01: {_APART}TypeError"),
    ("sizes_before:", "sizes_befor:", f"T-01: {_APART}KeyError 'sizes_before'"),
    ("to_seat: 4", "to_seat: four", f"T-01: {_APART}ValueError four is drawn among"),
    ("table_A:", "table_Z:", f"T-02: {_APART}KeyError"),
    ("paid_places:", "paid_places: x #", f"T-02: {_APART}TypeError"),
    ("minimum_players:", "minimum_players: x #", f"T-04: {_APART}TypeError"),
    ("      registered: 12", "      registered: 12\n      refused: 3", f"T-04: {_UNREAD} setup.refused"),
    ("places: {p6:", "forgotten: 7\n      places: {p6:", f"T-02: {_UNREAD} expected.forgotten"),
    ("wallet_change: -2200,", "fee_change: -200, wallet_change: -2200,", f"T-10: {_UNREAD} steps[number 1].fee_change"),
]  # fmt: skip
_WORKED = {
    "omaha": _OMAHA, "casino": _CASINO, "no_draw": _NO_DRAW, "baccarat": _BACCARAT, "tournament": _TOURNAMENT
}  # fmt: skip


def refused(file: Path) -> str:
    """What the command says of it, quickly."""
    began = time.monotonic()
    result = CliRunner().invoke(_APP, [str(file)], env={"COLUMNS": "300"})
    assert time.monotonic() - began < _SECONDS
    assert (result.exit_code, "Traceback" in result.output) == (2, False), result.output
    return str(result.output)


@pytest.mark.parametrize(("form", "broken"), [(form, broken) for form, table in _WORKED.items() for broken in table])
def test_a_malformed_worked_record_is_named(shared: Path, tmp_path: Path, form: str, broken: Break) -> None:
    true, false, said = broken
    text = (shared / "regulations" / f"{_FILES[form]}.yaml").read_text(encoding="utf-8")
    assert true in text
    (tmp_path / "odd.yaml").write_text(text.replace(true, false, 1), encoding="utf-8")
    assert f"odd.yaml: {said}" in refused(tmp_path / "odd.yaml")


def test_there_are_twenty_of_each_form() -> None:
    assert min(map(len, _WORKED.values())) >= 20
    assert min(len(_NOTED), len(_NO_FILES)) >= 20


_NOTED: list[tuple[str, dict[str, Any]]] = [
    ("actions: 1: no action that Omaha or hold'em has: 'p1 pb'", {"actions": ["p1 pb"]}),
    ("actions: 1: no action that Omaha or hold'em has: 'd dh p1 AhXd'", {"actions": ["d dh p1 AhXd"]}),
    ("actions: 1: no action that Omaha or hold'em has: 'p0 f'", {"actions": ["p0 f"]}),
    ("actions: 'p4 f': there is no player 4", {"actions": ["p4 f"]}),
    ("actions: 1: a bet without an amount", {"actions": ["p1 cbr all"]}),
    ("actions: 1: a bet without an amount", {"actions": ["p1 cbr 1" + "0" * 40]}),
    ("actions: 1: 'p1 f 7' says more than a fold or call has", {"actions": ["p1 f 7"]}),
    ("actions: 1: 'AhXX' are no cards", {"actions": ["p1 sm AhXX"]}),
    ("actions: 1: no action that Omaha or hold'em has: 'x'", {"actions": [" " * 200_000 + "x"]}),
    ("actions[number 1]: Input should be a valid string", {"actions": [1]}),
    ("actions: Field required", {"actions": None}),
    ("starting_stacks: List should have at least 2 items", {"starting_stacks": [100]}),
    ("starting_stacks[number 1]: Input should be a valid", {"starting_stacks": ["many", 1, 1]}),
    ("starting_stacks: -1 is no number of chips", {"starting_stacks": [-1, 1, 1]}),
    ("finishing_stacks: Infinity is no number of chips", {"finishing_stacks": [float("inf"), 1, 1]}),
    ("antes has 2 values for 3 players", {"antes": [0, 0]}),
    ("blinds_or_straddles has 4 values for 3 players", {"blinds_or_straddles": [50, 100, 0, 0]}),
    ("finishing_stacks has 1 values for 3 players", {"finishing_stacks": [1]}),
    ("ante_trimming_status: Input should be a valid boolean", {"ante_trimming_status": "yes"}),
    ("bring_in: a game with blinds has none", {"bring_in": 5}),
    ("dealer_name: no field of the format", {"dealer_name": "Bob"}),
    ("player 2 shows other cards than were dealt", {"actions": [*HOLDEM["actions"], "p2 sm AsKd"]}),
    ("'d dh p2 AhKd2c3c' does not fit the game", {"actions": ["d dh p2 AhKd2c3c"]}),
    ("a card stands in two places", {"actions": ["d dh p1 AhAd", "d dh p2 AhKd"]}),
    ("there are more cards than in a deck", {"actions": ["d db " + "??" * 50]}),
    ("min_bet: nan is no number of chips", {"min_bet": float("nan")}),
]  # fmt: skip


def phh(document: dict[str, Any]) -> str:
    """TOML of plain values."""
    words = {"Infinity": "inf", "NaN": "nan"}
    lines = []
    for name, value in document.items():
        text = json.dumps(value)
        for theirs, ours in words.items():
            text = text.replace(theirs, ours)
        lines.append(f"{name} = {text}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("said", "changes"), _NOTED)
def test_a_malformed_noted_hand_is_named(tmp_path: Path, said: str, changes: dict[str, Any]) -> None:
    document = {name: value for name, value in {**HOLDEM, **changes}.items() if value is not None}
    (tmp_path / "odd.phh").write_text(phh(document), encoding="utf-8")
    out = refused(tmp_path / "odd.phh")
    assert "is no record: odd: " in out
    assert said.lower() in out.lower()


_OWN: dict[str, Any] = {
    "rulebook": "common-holdem", "button": 3, "small_blind": 1, "big_blind": 2,
    "configuration": {"structure": "no_limit", "big_blind": 100, "small_blind": 50, "seats": 3},
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("_croupier: seats, button and blinds do not go together", {"button": 5}),
        ("_croupier: seats, button and blinds do not go together", {"small_blind": 4}),
        ("_croupier.button", {"button": 0}),
        ("_croupier.button", {"button": "three"}),
        ("_croupier.rulebook: Field required", {"rulebook": None}),
        ("_croupier.configuration", {"configuration": 7}),
        ("_croupier.configuration.big_blind", {"configuration": {"big_blind": [100]}}),
        (
            "the record's table is refused: outside_rulebook big_blind is missing",
            {"configuration": {"structure": "no_limit"}},
        ),
        (
            "the record's table is refused: outside_rulebook seats must be of type int",
            {"configuration": {**_OWN["configuration"], "seats": "x"}},
        ),
        (
            "rake_bp is no part of a buy-in",
            {"configuration": {"rake_mode": "buy_in", "rake_bp": 10_000, "big_blind": 100}},
        ),
        (
            "rake_bp is no part of a buy-in",
            {"configuration": {"rake_mode": "buy_in", "rake_bp": "10", "big_blind": 100}},
        ),
        ("_croupier: missed has 1 values for 3 players", {"missed": [50]}),
        ("_croupier: idle has 4 values for 3 players", {"idle": [0, 0, 0, 0]}),
        ("_croupier.missed[number 1]", {"missed": [-50, 0, 0]}),
        ("_croupier.idle[number 1]", {"idle": [[100], 0, 0]}),
        ("_croupier.rake", {"rake": "much"}),
        ("_croupier.outcome", {"outcome": "fire"}),
        ("_croupier.luck", {"luck": 7}),
        ("_croupier.deck_leaves", {"deck_leaves": "52"}),
        ("_croupier.kind", {"kind": 1}),
    ],
)  # fmt: skip
def test_a_malformed_export_of_ours_is_named(said: str, changes: dict[str, Any]) -> None:
    own = {name: value for name, value in {**_OWN, **changes}.items() if value is not None}
    assert only(_GOOD["own"]).differences == []
    assert said in (only({**_GOOD["own"], "_croupier": own}).no_record or "")


_AS_EXPORTED = acts(("d dh p3 7c2d", "d dh p3 ????"), ("p3 f # no hand to play", "p3 f"))
_GOOD = {"phh": HOLDEM, "own": {**HOLDEM, "seats": [1, 2, 3], "_croupier": _OWN, "actions": _AS_EXPORTED}}


def only(document: dict[str, Any]) -> Any:
    (outcome,) = outcomes_in("own", document)
    return outcome


_NO_FILES: dict[str, tuple[bytes, str]] = {
    "empty.yaml": (b"", "holds no hands, rounds or coups"),
    "list.yaml": (b"- 1\n- 2\n", "holds no hands, rounds or coups"),
    "matrix.yaml": (b"id: pt-811-2015\nentries: []\n", "holds no hands, rounds or coups"),
    "open.yaml": (b"{", "is no TOML and no YAML"),
    "tab.yaml": (b"a:\n\t- b", "is no TOML and no YAML"),
    "latin.yaml": ("título: é".encode("latin-1"), "is no TOML and no YAML"),
    "alias.yaml": (b"a: &a [1]\nb: [*a, *a]\n", "it has an alias"),
    "endless.yaml": (b"a: &a [*a]\n", "it has an alias"),
    "deep.yaml": (b"[" * 5_000, "it is nested deeper than 20"),
    "nested.yaml": (b"[" * 40 + b"]" * 40, "is nested deeper than 20"),
    "nested.phh": (b"a = " + b"[" * 40 + b"]" * 40, "is nested deeper than 20"),
    "digits.yaml": (b"hands: " + b"9" * 5_000, "is no TOML and no YAML"),
    "hex.yaml": (b"hands: 0x" + b"f" * 5_000, "hands: a number above"),
    "cases.yaml": (b"cases: [{id: T-01, setup: {}, steps: []}]\n", "id: Field required"),
    "open.phh": (b"variant = ", "is no TOML and no YAML"),
    "deep.phh": (b"a = " + b"[" * 5_000, "is no TOML and no YAML"),
    "power.phh": (b'variant = "NT"\nmin_bet = 1e999999999', "min_bet: a number with too many digits"),
    "small.phh": (b'variant = "NT"\nmin_bet = 1e-999999', "min_bet: a number with too many digits"),
    "digits.phh": (b"min_bet = " + b"9" * 5_000, "is no TOML and no YAML"),
    "long.phh": (b"min_bet = 9000000000000000", "min_bet: a number above"),
    "other.phhs": (b"a = 1\n", "holds no hands, rounds or coups"),
    "long.yaml": (b"# " + b"x" * 2**24, "is larger than 16 MiB"),
    "odd": (b"\x00\x01\x02", "is no TOML and no YAML"),
    "cut.tar.xz": (b"\xfd7zXZ\x00\x00", "is no TOML and no YAML"),
    "none.tar": (b"", "holds no hands, rounds or coups"),
}  # fmt: skip


@pytest.mark.parametrize("name", _NO_FILES)
def test_a_file_that_holds_no_records_is_named(tmp_path: Path, name: str) -> None:
    content, said = _NO_FILES[name]
    (tmp_path / name).write_bytes(content)
    out = refused(tmp_path / name)
    assert name.removesuffix(".phhs").removesuffix(".phh") in out
    assert said in out


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    assert "gone.yaml: cannot be read" in refused(tmp_path / "gone.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "folder.yaml: cannot be read" in refused(tmp_path / "folder.yaml")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
def test_a_device_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    """It read a device for ever, and waited for ever for who would write into a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for each in (Path("/dev/zero"), pipe):
        assert f"{each.name}: cannot be read: is no regular file" in refused(each)


def test_zeros_are_no_archive_and_no_archive_is_without_a_bound(tmp_path: Path) -> None:
    """Of a hundred megabytes of them `tarfile` alone made a packed file with millions of parts."""
    for size, said in ((100, "zeros: is larger than 16 MiB"), (257, "zeros: cannot be read: is larger than 256 MiB")):
        with (tmp_path / "zeros").open("wb") as zeros:
            zeros.truncate(size * 2**20)
        assert said in refused(tmp_path / "zeros")
    member = tarfile.TarInfo("data/note.txt")
    member.size = 5 * 2**30
    (tmp_path / "tar.gz").write_bytes(gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + bytes(2**20)))
    assert "tar.gz: unpacked it is larger than 4 GiB" in refused(tmp_path / "tar.gz")


def test_a_bomb_in_an_archive_is_named(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bomb.tar.xz", "w:xz") as archive:
        info = tarfile.TarInfo("data/bomb.phh")
        info.size = 17 * 2**20
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    assert "data/bomb.phh: is larger than 16 MiB" in refused(tmp_path / "bomb.tar.xz")


@pytest.mark.parametrize("form", _FILES)
def test_the_format_is_found_by_what_stands_in_the_file(shared: Path, tmp_path: Path, form: str) -> None:
    """Under another name, with another id, and alone."""
    whole = documents(shared)[form][0]
    path = tmp_path / "anything.txt"
    path.write_text(yaml.safe_dump({**whole, "id": "some-other-hands"}, sort_keys=False), encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(path)])
    assert result.exit_code == 0, result.output


def test_toml_is_found_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "hand.txt").write_text(phh(HOLDEM), encoding="utf-8")
    assert CliRunner().invoke(_APP, [str(tmp_path / "hand.txt")]).exit_code == 0


@cache
def documents(shared: Path) -> dict[str, list[Any]]:
    """Each worked file cut into documents of one hand or round."""
    found = {}
    for form, name in _FILES.items():
        whole = yaml.safe_load((shared / "regulations" / f"{name}.yaml").read_text(encoding="utf-8"))
        listed = next(name for name in ("hands", "rounds", "cases") if name in whole)
        found[form] = [{**whole, listed: [item]} for item in whole[listed]]
    return found


def outcome_of(form: str, document: Any) -> str:
    """`equal`, `differs`, `not dealt`, or a named error; quickly."""
    began = time.monotonic()
    try:
        outcomes = list(outcomes_in(f"{form}.yaml", document))
    except NotARecord as named:
        outcomes = [Outcome("", "", "", no_record=str(named))]
    assert time.monotonic() - began < _SECONDS
    for outcome in outcomes:
        if outcome.no_record is not None:
            assert outcome.no_record.startswith(f"{form}.yaml: ")
            return "named"
        if outcome.not_dealt is not None:
            return "not dealt"
    return "equal" if all(outcome.agrees for outcome in outcomes) else "differs"


@pytest.mark.parametrize("form", [*_FILES, "phh", "own"])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_whatever_is_wrong_the_outcome_is_one_of_four(shared: Path, form: str, seed: int) -> None:
    dice = Random(seed)
    good = dice.choice(documents(shared)[form]) if form in _FILES else _GOOD[form]
    wrong, what = corrupted(good, dice)
    assert outcome_of(form, wrong) in ("equal", "differs", "not dealt", "named"), what
