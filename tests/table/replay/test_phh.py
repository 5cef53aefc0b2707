"""Other people's hands through the real rules: Pluribus to the chip, the singles to their end, lies found."""

import io
import json
import tarfile
import tomllib
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from services.cli.replay import replay
from services.cli.replaying.files import read
from services.cli.replaying.phh.play import replay_phh
from services.cli.replaying.play import Outcome

_APP = Typer()
_APP.command()(replay)
_SAMPLE = 300


@pytest.fixture(scope="session")
def archive(shared: Path) -> Path:
    file = shared / "data" / "phh-hands.tar.xz"
    if not file.exists():
        pytest.skip("the shared folder holds no PHH archive")
    return file


# Three players: `p1` small blind, `p2` big blind, `p3` on the button.
HOLDEM: dict[str, Any] = {
    "variant": "NT",
    "ante_trimming_status": True,
    "antes": [0, 0, 0],
    "blinds_or_straddles": [50, 100, 0],
    "min_bet": 100,
    "starting_stacks": [10_000, 10_000, 10_000],
    "actions": [
        "d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 7c2d", "p3 f # no hand to play", "p1 cbr 300", "p2 cc", "d db 3c9sJd",
        "p1 cbr 500", "p2 cc", "d db 4h", "p1 cc", "p2 cc", "d db 5s", "p1 cc", "p2 cc", "p1 sm AhAd", "p2 sm KhKd",
    ],
    "finishing_stacks": [10_800, 9_200, 10_000],
}  # fmt: skip


def played(**changes: Any) -> Outcome:
    return replay_phh("test", {**HOLDEM, **changes})


def acts(*changed: tuple[str, str]) -> list[str]:
    """The usual actions with some replaced; an empty replacement takes one out."""
    replaced = dict(changed)
    assert replaced.keys() <= set(HOLDEM["actions"])
    return [act for each in HOLDEM["actions"] if (act := replaced.get(each, each))]


def test_a_sample_of_pluribus_ends_with_the_stacks_on_record(archive: Path) -> None:
    hands = (hand for hand in read(archive) if hand[0].startswith("pluribus/"))
    outcomes = [replay_phh(name, document) for name, document in islice(hands, _SAMPLE)]
    assert [outcome.differences for outcome in outcomes if not outcome.agrees] == []
    assert len(outcomes) == _SAMPLE
    assert {outcome.ruleset for outcome in outcomes} == {"common-holdem"}


def test_the_two_singles_are_played_to_their_end(archive: Path) -> None:
    """An ante game with a hand that nobody has seen; a pot-limit pot in quarters of a chip."""
    with tarfile.open(archive) as opened:
        for name, scale, variant in (("dwan-ivey-2009", 1, "NT"), ("antonius-blom-2009", 4, "PO")):
            content = opened.extractfile(f"data/{name}.phh")
            assert content is not None
            document = tomllib.loads(content.read().decode(), parse_float=Decimal)
            outcome = replay_phh(name, document)
            assert (outcome.differences, outcome.scale, outcome.variant) == ([], scale, variant)


@pytest.mark.slow
def test_all_of_pluribus(archive: Path) -> None:
    outcomes = [replay_phh(name, document) for name, document in read(archive)]
    assert len(outcomes) == 10_002
    assert [outcome.id for outcome in outcomes if not outcome.agrees] == []


def test_the_usual_hand_agrees() -> None:
    assert played().differences == []


@pytest.mark.parametrize(
    ("found", "changes"),
    [
        ("final stacks", {"finishing_stacks": [10_801, 9_199, 10_000]}),
        ("final stacks", {"starting_stacks": [10_000, 10_000, 9_999]}),
        ("refused as below_min", {"actions": acts(("p1 cbr 300", "p1 cbr 199"))}),
        ("refused as above_max", {"actions": acts(("p1 cbr 300", "p1 cbr 10001"))}),
        ("it is the turn of seat 3, not 2", {"actions": acts(("p3 f # no hand to play", "p2 cc"))}),
        ("streets before 'p1 cbr 500': expected 0, got 1", {"actions": acts(("d db 3c9sJd", ""))}),
        ("the record stops", {"actions": HOLDEM["actions"][:9], "finishing_stacks": None}),
        ("streets: expected 4, got 3", {"actions": [*HOLDEM["actions"], "d db 6s"]}),
        ("the hand is over", {"actions": [*HOLDEM["actions"], "p1 cc"]}),
        ("'p3 sm 7c2d': expected ['2d', '7c'], got []", {"actions": [*HOLDEM["actions"], "p3 sm 7c2d"]}),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_record_is_found(found: str, changes: dict[str, Any]) -> None:
    outcome = played(**changes)
    assert not outcome.agrees
    assert found in " ".join(outcome.differences)


def test_a_doctored_archive_fails_by_name(archive: Path, tmp_path: Path) -> None:
    """One stack of one hand among fifty is a chip off."""
    hands: list[tuple[str, bytes]] = []
    with tarfile.open(archive) as opened:
        for member in islice((m for m in opened if m.name.startswith("data/pluribus/100/") and m.isfile()), 50):
            content = opened.extractfile(member)
            assert content is not None
            hands.append((member.name, content.read()))
    name, text = hands[17]
    head, tail = text.decode().split("finishing_stacks = [")
    first, rest = tail.split(",", 1)
    hands[17] = (name, f"{head}finishing_stacks = [{int(first) + 1},{rest}".encode())
    with tarfile.open(tmp_path / "doctored.tar", "w") as written:
        for member_name, content_bytes in hands:
            info = tarfile.TarInfo(member_name)
            info.size = len(content_bytes)
            written.addfile(info, io.BytesIO(content_bytes))
    result = CliRunner().invoke(_APP, [str(tmp_path / "doctored.tar"), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["agree"], told["of"]) == (49, 50)
    (lie,) = [hand for hand in told["hands"] if not hand["agrees"]]
    assert lie["id"] == name.removeprefix("data/").removesuffix(".phh")
    assert [line.split(":")[0] for line in lie["differences"]] == ["final stacks"]


def test_half_chips_are_played_at_twice_the_size() -> None:
    """Both play the board, and a dead small blind of 25 makes the halves odd."""
    outcome = played(
        blinds_or_straddles=[25, 100, 0],
        actions=[
            "d dh p1 2h3d", "d dh p2 4h5d", "d dh p3 6c7d", "p3 cc", "p1 f", "p2 cc", "d db AsKsQs", "p2 cc", "p3 cc",
            "d db Js", "p2 cc", "p3 cc", "d db Ts", "p2 cc", "p3 cc", "p2 sm 4h5d", "p3 sm 6c7d",
        ],
        finishing_stacks=[Decimal("9975"), Decimal("10012.5"), Decimal("10012.5")],
    )  # fmt: skip
    assert (outcome.differences, outcome.scale) == ([], 2)


def test_unknown_cards_are_filled_in_and_who_mucks_loses() -> None:
    actions = acts(("d dh p2 KhKd", "d dh p2 ????"), ("d dh p3 7c2d", "d dh p3 ????"), ("p2 sm KhKd", "p2 sm"))
    assert played(actions=actions).differences == []


def test_antes_straddle_and_a_post_to_come_in() -> None:
    holes = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 7c2d", "d dh p4 ????", "d dh p5 ????"]
    five = {
        "antes": [10] * 5,
        "blinds_or_straddles": [50, 100, 200, 100, 0],
        "starting_stacks": [10_000] * 5,
        "actions": [*holes, "p4 f", "p5 f", "p1 f", "p2 f"],
        "finishing_stacks": [9_940, 9_890, 10_290, 9_890, 9_990],
    }
    assert played(**five).differences == []


FOUR: dict[str, Any] = {
    "antes": [0, 0, 0, 0],
    "blinds_or_straddles": [50, 100, 0, 0],
    "starting_stacks": [10_000] * 4,
}


@pytest.mark.parametrize(
    ("posted", "acts", "stacks"),
    [
        # Nobody posts the small blind: whose seat it is sits there, or nobody sits there.
        ({"blinds_or_straddles": [0, 100, 0, 0]}, "p3 f,p4 f,p1 f", [10_000, 10_000, 10_000, 10_000]),
        ({"blinds_or_straddles": [0, 100, 0, 0]}, "p3 cbr 300,p4 f,p1 f,p2 f", [10_000, 9_900, 10_100, 10_000]),
        ({"blinds_or_straddles": [100, 0, 0, 0]}, "p2 cbr 300,p3 f,p4 f,p1 f", [9_900, 10_100, 10_000, 10_000]),
        # A big blind to come in or to come back, told as less than nothing or as it is, also on the button.
        ({"blinds_or_straddles": [50, 100, -100, 0]}, "p3 cbr 300,p4 f,p1 f,p2 f", [9_950, 9_900, 10_150, 10_000]),
        ({"blinds_or_straddles": [50, 100, 0, -100]}, "p3 f,p4 cc,p1 cbr 400,p2 f,p4 f", [10_200, 9_900, 10_000, 9900]),
        ({"blinds_or_straddles": [50, 100, 0, 100]}, "p3 f,p4 cc,p1 cbr 400,p2 f,p4 f", [10_200, 9_900, 10_000, 9900]),
        # A small blind that passed, dead, alone and beside a big one; and beside an ante from everybody.
        ({"antes": [0, 0, 0, 50]}, "p3 f,p4 f,p1 f", [9_950, 10_100, 10_000, 9_950]),
        ({"antes": [0, 0, 0, 50], "blinds_or_straddles": [50, 100, 0, -100]}, "p3 f,p4 cc,p1 f,p2 cbr 300,p4 f",
         [9_950, 10_200, 10_000, 9_850]),
        ({"antes": [10, 10, 10, 60]}, "p3 f,p4 f,p1 f", [9_940, 10_130, 9_990, 9_940]),
    ],
)  # fmt: skip
def test_posts_are_dealt(posted: dict[str, Any], acts: str, stacks: list[int]) -> None:
    holes = [f"d dh p{player} ????" for player in range(1, 5)]
    document = {**FOUR, **posted, "actions": [*holes, *acts.split(",")], "finishing_stacks": stacks}
    outcome = played(**document)
    assert (outcome.differences, outcome.not_dealt) == ([], None)
    lied = played(**{**document, "finishing_stacks": [stacks[0] + 1, *stacks[1:]]})
    assert [difference.split(":")[0] for difference in lied.differences] == ["final stacks"]


_RUN = ["d db 3c9sJd", "d db 4h", "d db 5s", "p2 sm KhKd", "p1 sm 7h6d"]
_HOLES = ["d dh p1 7h6d", "d dh p2 KhKd", "d dh p3 ????"]


@pytest.mark.parametrize(
    ("acts", "found"),
    [
        # Nobody could raise the big blind any more: some rooms ask it, ours does not.
        (["p3 f", "p1 cc", *_RUN], []),
        (["p3 f", "p1 cc", "p2 cc", *_RUN], []),
        (["p3 f", "p1 cc", "p2 cc", "p2 cc", *_RUN], ["streets before 'p2 cc'", "'p2 cc'"]),
        (["p3 f", "p1 cc", "p2 cbr 300", *_RUN], ["streets before 'p2 cbr 300'", "'p2 cbr 300'"]),
        (["p3 f", "p1 cc", "p3 cc", *_RUN], ["streets before 'p3 cc'", "'p3 cc'"]),
    ],
)
def test_who_owes_nothing_and_meets_nobody_may_be_asked_once(acts: list[str], found: list[str]) -> None:
    outcome = played(
        starting_stacks=[60, 10_000, 10_000], actions=[*_HOLES, *acts], finishing_stacks=[120, 9_940, 10_000]
    )
    assert [difference.split(":")[0] for difference in outcome.differences] == found


def test_a_raise_that_nobody_can_answer_comes_back() -> None:
    actions = [*_HOLES, "p3 f", "p1 cbr 200", "p2 cbr 5000", *_RUN]
    outcome = played(starting_stacks=[200, 10_000, 10_000], actions=actions, finishing_stacks=[400, 9_800, 10_000])
    assert outcome.differences == []


@pytest.mark.parametrize(
    ("winnings", "found"),
    [([1_600, 0, 0], []), ([1_601, 0, 0], ["winnings"]), ([0, 1_600, 0], ["winnings"])],
)
def test_winnings_are_compared(winnings: list[int], found: list[str]) -> None:
    outcome = played(winnings=winnings)
    assert [difference.split(":")[0] for difference in outcome.differences] == found


def test_winnings_with_what_came_back_uncalled() -> None:
    """Some count it in."""
    actions = [*HOLDEM["actions"][:5], "p2 f"]
    stacks = [10_100, 9_900, 10_000]
    for winnings in ([200, 0, 0], [400, 0, 0]):
        assert played(actions=actions, finishing_stacks=stacks, winnings=winnings).differences == []


def test_an_unknown_card_of_the_board_is_any_card() -> None:
    actions = acts(("d db 3c9sJd", "d db 3c??Jd"), ("d db 4h", "d db ??"))
    assert played(actions=actions).differences == []


@pytest.mark.parametrize(
    ("variant", "words"),
    [("FB", "badugi"), ("F7S/8", "stud high-low"), ("NS", "short-deck"), ("XX", "variant XX"), (7, "variant 7")],
)
def test_a_game_that_the_house_does_not_deal_is_named(variant: str, words: str) -> None:
    """Its acts may be none that our games have: standing pat, a bring-in."""
    outcome = played(variant=variant, actions=["d dh p1 2c3d4h5s", "p1 pb", "p2 sd 2h", "p3 sd"])
    assert not outcome.agrees
    assert words in (outcome.not_dealt or "")


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("minimum bet", {"min_bet": 150}),
        ("blinds", {"blinds_or_straddles": [0, 0, 100]}),
        ("blinds", {"blinds_or_straddles": [100, 50, 0]}),
        ("blinds", {"blinds_or_straddles": []}),
        ("straddle", {"blinds_or_straddles": [50, 100, 150]}),
        ("posts", {"blinds_or_straddles": [50, 100, -150]}),
        ("takes all of a stack", {"blinds_or_straddles": [50, 100, -100], "starting_stacks": [100, 100, 100]}),
        ("a stack that the record does not know", {"starting_stacks": [Decimal("inf"), 1, 1]}),
        ("posts", {"blinds_or_straddles": [50, 100, 70]}),
        ("antes", {"antes": [0, 0, 10]}),
        (
            "a table of 12",
            {"starting_stacks": [100] * 12, "antes": [], "blinds_or_straddles": [], "finishing_stacks": None},
        ),
        ("without chips", {"starting_stacks": [0, 100, 100]}),
        ("fixed-limit", {"variant": "FT", "small_bet": 100, "big_bet": 300}),
    ],
)
def test_a_way_of_posting_that_the_house_does_not_have_is_named(words: str, changes: dict[str, Any]) -> None:
    assert words in (played(**changes).not_dealt or "")


def test_a_big_blind_ante_is_dead_money_whatever_the_record_calls_it() -> None:
    for status in (True, False):
        outcome = played(
            antes=[0, 100, 0], ante_trimming_status=status, finishing_stacks=[10_900, 9_100, 10_000], seats=[2, 1, 0]
        )
        assert (outcome.differences, outcome.not_dealt) == ([], None)


def test_one_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in HOLDEM.items())
    broken = lines.replace("p1 cbr 300", "p1 cbr all")
    (tmp_path / "two.phhs").write_text(f"[1]\n{broken}\n[2]\n{lines}\n", encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(tmp_path / "two.phhs")], env={"COLUMNS": "140"})
    assert result.exit_code == 2
    assert "1 of 2 hands agree" in result.stdout
    assert "is no record: two/1: actions: 5: a bet without an amount" in result.stdout


def test_a_collection_and_a_summary_by_variant(tmp_path: Path) -> None:
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in HOLDEM.items())
    badugi = lines.replace('"NT"', '"FB"')
    (tmp_path / "two.phhs").write_text(f"[1]\n{lines}\n[2]\n{badugi}\n", encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(tmp_path / "two.phhs")], env={"COLUMNS": "140"})
    assert result.exit_code == 1
    assert "1 of 2 hands agree" in result.stdout
    assert "not dealt here: 1 of fixed-limit badugi" in result.stdout
    assert "no-limit Texas hold'em" in result.stdout
    (tmp_path / "bad.phhs").write_text("a = 1\n", encoding="utf-8")
    assert CliRunner().invoke(_APP, [str(tmp_path / "bad.phhs")]).exit_code == 2
