"""The worked rounds through the real rules, and a replay that notices when it is lied to."""

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from services.cli.replay import replay
from services.cli.replaying.formats import outcomes_of

_APP = Typer()
_APP.command()(replay)
_FILE = "regulations/baccarat-worked-rounds.yaml"


def test_all_twenty_one_coups_agree(shared: Path) -> None:
    outcomes = list(outcomes_of(shared / _FILE))
    assert [outcome.differences for outcome in outcomes] == [[]] * 21
    assert len({outcome.id.split()[0] for outcome in outcomes}) == 10


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("{seat: 1, chance: ponto, stake: 1000, commission: 0, credited: 2000}",
         "{seat: 1, chance: ponto, stake: 1000, commission: 0, credited: 2001}"),
        ("chance: banca, stake: 2000, commission: 100, credited: 3900",
         "chance: banca, stake: 2000, commission: 99, credited: 3901"),
        ("net_by_seat: {1: -1000, 2: 1900}", "net_by_seat: {1: -1000, 2: 1901}"),
        ("ponto: {cards: 4h 5s, score: 9}", "ponto: {cards: 4h 5s, score: 8}"),
        ("banca: {cards: Qs 3d 3h, score: 6}", "banca: {cards: Qs 3h 3d, score: 6}"),
        ("winner: empate", "winner: ponto"),
        ("natural: true", "natural: false"),
        ("branch: banca 3 stands on 8", "branch: banca 3 draws on 8"),
        ("branch: ponto-stands, banca 3 draws", "branch: banca 3 draws"),
        ("branch: banca 4 stands on ace", "branch: banca 4 stands on 2"),
        ("commission_mode: half-on-5", "commission_mode: half-on-6"),
        ("shoe: 2c Ah 3c 2d 8s", "shoe: 2c Ah 3c 2d 9s"),
        ("shoe: 4h 3d 5s 5c", "shoe: 4h 3d 5s 5c 2c"),
        ("{seat: 1, chance: par_ponto, stake: 200}", "{seat: 1, chance: par_ponto, stake: 300}"),
        ("{seat: 1, chance: banca, stake: 500}", "{seat: 1, chance: banca, stake: 1450}"),
    ],
)  # fmt: skip
def test_a_lie_is_found(shared: Path, tmp_path: Path, true: str, false: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert true in text
    (tmp_path / "lie.yaml").write_text(text.replace(true, false, 1), encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(tmp_path / "lie.yaml"), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["agree"] == 20
    assert [hand["differences"] for hand in told["hands"] if not hand["agrees"]] != [[]]


_REQUESTS = """
        bet_requests:
          - {seat: 1, action: place, chance: ponto, stake: 500, accepted: true}
          - {seat: 1, action: place, chance: banca, stake: 450, accepted: false, refused_by: '13'}
          - {seat: 1, action: place, chance: ponto, stake: 600, accepted: true}
          - {seat: 1, action: withdraw, chance: ponto, stake: 100, accepted: true}
          - {seat: 1, action: place, chance: par_ponto, stake: 801, accepted: false, refused_by: 15.c}
          - {seat: 1, action: place, chance: par_ponto, stake: 200, accepted: true}
"""


def _with_requests(shared: Path) -> str:
    """The first coup with the requests that lead to its bets."""
    text = (shared / _FILE).read_text(encoding="utf-8")
    return text.replace("        bets:\n", f"{_REQUESTS.lstrip(chr(10))}        bets:\n", 1)


@pytest.mark.parametrize(
    ("true", "false"),
    [("", ""), ("refused_by: '13'", "refused_by: 15.a"), ("accepted: false, refused_by: 15.c", "accepted: true")],
)
def test_requests_are_asked_in_order_and_refused_by_their_rule(
    shared: Path, tmp_path: Path, true: str, false: str
) -> None:
    (tmp_path / "asked.yaml").write_text(_with_requests(shared).replace(true, false, 1), encoding="utf-8")
    first = next(outcomes_of(tmp_path / "asked.yaml"))
    assert first.agrees is (true == false), first.differences
    assert first.refusals == 2


_VOID = """
  - id: BAC-11
    title: A failure before the scores are known
    rules: ['29']
    table: {variant: macau, decks: 6, min_bet: 100, prize_limit: 100000, pair_bets: false}
    coups:
      - id: a
        commission_mode: none
        failure: shoe order not recoverable
        outcome: void
        bets: [{seat: 2, chance: ponto, stake: 1000}, {seat: 2, chance: empate, stake: 200}]
        results:
          - {seat: 2, chance: ponto, stake: 1000, commission: 0, credited: 1000}
          - {seat: 2, chance: empate, stake: 200, commission: 0, credited: 200}
        net_by_seat: {2: 0}
"""


@pytest.mark.parametrize(("true", "false"), [("", ""), ("credited: 200", "credited: 199"), ("{2: 0}", "{2: 1}")])
def test_a_void_coup_gives_every_stake_back(shared: Path, tmp_path: Path, true: str, false: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8") + _VOID.replace(true, false, 1)
    (tmp_path / "void.yaml").write_text(text, encoding="utf-8")
    *_, last = outcomes_of(tmp_path / "void.yaml")
    assert (last.id, last.ruleset) == ("BAC-11 a", "pt-812-2015-baccarat-macau")
    assert last.agrees is (true == false), last.differences


def test_a_coup_that_a_failure_held_up_is_dealt_from_its_record(shared: Path, tmp_path: Path) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    (tmp_path / "resumed.yaml").write_text(
        text.replace("        shoe:", "        failure: power, resumed\n        shoe:", 1)
    )
    first = next(outcomes_of(tmp_path / "resumed.yaml"))
    assert first.agrees, first.differences


def test_requests_may_stand_instead_of_bets(shared: Path, tmp_path: Path) -> None:
    head, tail = _with_requests(shared).split("        bets:\n", 1)
    text = head + tail[tail.index("        results:") :]
    (tmp_path / "asked.yaml").write_text(text, encoding="utf-8")
    assert next(outcomes_of(tmp_path / "asked.yaml")).agrees
