"""Worked hands of casino poker through the real rules, incidents included; a lie in one of them is found."""

import json
from functools import cache
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from services.cli.replay import replay
from services.cli.replaying.casino.play import replay_hand
from services.cli.replaying.casino.record import CasinoHand, CasinoRecord
from services.cli.replaying.files import read as documents_in
from services.cli.replaying.record import NotARecord, parsed

_APP = Typer()
_APP.command()(replay)
_FILE = "regulations/casino-poker-worked-hands.yaml"


def read(file: Path) -> list[CasinoHand]:
    ((_, document),) = documents_in(file)
    return parsed(CasinoRecord, document).hands


@cache
def hands(shared: Path) -> dict[str, CasinoHand]:
    return {hand.id: hand for hand in read(shared / _FILE)}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("WH-01", marks=pytest.mark.rule("pt-217-2007", "7.a", "29", "35", "62", "65", "81", "85", "93")),
        pytest.param("WH-02", marks=pytest.mark.rule("pt-217-2007", "21.b", "73", "77", "79", "86", "87", "88")),
        pytest.param("WH-03", marks=pytest.mark.rule("pt-217-2007", "38", "48", "49", "50", "54", "65")),
        pytest.param("WH-04", marks=pytest.mark.rule("pt-217-2007", "18.c", "24", "66", "67", "65", "39.b")),
        pytest.param("WH-05", marks=pytest.mark.rule("pt-217-2007", "70.d", "70.h", "51", "7.a")),
        pytest.param("WH-06", marks=pytest.mark.rule("pt-217-2007", "70.e", "70.h", "62", "86")),
        pytest.param("WH-07", marks=pytest.mark.rule("pt-217-2007", "69", "69.g", "70.c", "30")),
        pytest.param("WH-08", marks=pytest.mark.rule("pt-217-2007", "71.c", "71.d", "71.f", "71.i", "9.e")),
        pytest.param("WH-09", marks=pytest.mark.rule("pt-217-2007", "30", "80", "84", "89", "90")),
        pytest.param("WH-10", marks=pytest.mark.rule("pt-217-2007", "91", "70.c", "70.b", "70.g", "70.a", "63", "64")),
    ],
)
def test_the_hand_agrees(shared: Path, name: str) -> None:
    assert replay_hand(hands(shared)[name]).differences == []


def test_the_command_plays_all_ten_and_passes_nothing_over(shared: Path) -> None:
    result = CliRunner().invoke(_APP, [str(shared / _FILE), "--json"])
    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (told["agree"], told["of"]) == (10, 10)
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert sum(hand["refusals"] for hand in told["hands"]) == text.count("event: attempt,") == 9


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("lead_seat: 3", "lead_seat: 4"),
        ("adds: 500, stack_after: 11400", "adds: 500, stack_after: 11401"),
        ("stack_after: 29300, pot_after: 1700", "stack_after: 29300, pot_after: 1701"),
        ("raise_no: 4", "raise_no: 3"),
        ("maximum_to: 700", "maximum_to: 701"),
        ("players_in_play: 3, stack_after: 29300", "players_in_play: 2, stack_after: 29300"),
        (
            "reason: RAISE_CAP_REACHED, players_in_play: 3, stack_after: 29300",
            "reason: OVER_POT_MAX, stack_after: 29300",
        ),
        ("order: [7, 10, 1, 4]", "order: [10, 1, 4, 7]"),
        ("{seq: 25, event: show, seat: 3", "{seq: 25, event: show, seat: 6"),
        ("combination: straight}", "combination: flush}"),
        ("seat: 7, gross: 1500, rake: 75, net: 1425}", "seat: 7, gross: 1350, rake: 75, net: 1425}"),
        ("rake: 500, rake_uncapped: 600", "rake: 500, rake_uncapped: 601"),
        ("eligible: [1, 3, 5]", "eligible: [1, 3]"),
        ("contributions: {1: 0, 2: 100, 3: 1800", "contributions: {1: 0, 2: 101, 3: 1800"),
        ("uncalled_returned: {seat: 3, amount: 1200}", "uncalled_returned: none"),
        ("conservation: {stacks_before: 50000", "conservation: {stacks_before: 50001"),
        ("counts_as_bet: false", "counts_as_bet: true"),
        ("post: missed_blinds_dead, amount: 300", "post: missed_blinds_dead, amount: 200"),
        ("call_only_seats: [5, 1, 2, 3]", "call_only_seats: [5, 1, 2]"),
        ("reason: CALL_ONLY_AFTER_EXPOSURE, stack_after: 10000", "reason: RAISE_CAP_REACHED, stack_after: 10000"),
        ("returned: [Qs, 8d, 3c], stub_left: 41}", "returned: [Qs, 8d, 3c], stub_left: 42}"),
        ("cards: [Qs, Jh, 6d], burned_before: false", "cards: [Qs, Jh, 6d], burned_before: true"),
        ("event: burn, card: 4s, stub_left: 29", "event: burn, card: 4s, stub_left: 28"),
        ("state_before: DEALING", "state_before: ROUND_1"),
        ("next_lead_seat: 5", "next_lead_seat: 1"),
        ("refunds: {1: 200, 5: 100}", "refunds: {1: 200, 5: 101}"),
        ("chips_held: 800", "chips_held: 600"),
        ("turn_was_seat: 4", "turn_was_seat: 6"),
        ("missing: 100", "missing: 99"),
        ("kept: 600, returned: 1000", "kept: 1600, returned: 0"),
        ("reason: OUT_OF_TURN_LOCKED", "reason: SKIPPED_PLAYER_CALL_ONLY"),
        ("decided_by: supervisor", "decided_by: dealer"),
        ("corrected_winner: 3", "corrected_winner: 2"),
        ("completes_underpaid: true", "binding: true"),
        ("binding: true", "binding: false"),
        ("would_have_been: river", "would_have_been: turn"),
        ("7c, 8c], exposed_card_no: 8", "8c, 7c], exposed_card_no: 8"),
        ("exposed_card_no: 8", "exposed_card_no: 7"),
        ("announced: straight", "announced: flush"),
        ("event: burn, card: Qd, source", "event: burn, card: Ks, source"),
    ],
)
def test_a_wrong_figure_is_found(shared: Path, tmp_path: Path, true: str, false: str) -> None:
    head, *written = (shared / _FILE).read_text(encoding="utf-8").split("\n  - id: ")
    lied = next(hand for hand in written if true in hand)
    path = tmp_path / "lie.yaml"
    path.write_text("\n  - id: ".join([head, lied.replace(true, false, 1)]), encoding="utf-8")
    (hand,) = read(path)
    try:
        assert replay_hand(hand).differences
    except NotARecord as refused:
        assert "refused" in str(refused)  # noqa: PT017  # what a dealer can't have done is refused by the table


@pytest.mark.parametrize("text", ["id: casino-poker-worked-hands", "id: casino-poker-worked-hands\nhands: [{}]"])
def test_what_is_no_record_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(path)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
