"""What stands against a roll, in both directions, told of builds that differ from this one in one thing each."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from services.cli.__main__ import app
from services.cli.upgrading.build import Build, as_text, read_build, this_build
from services.cli.upgrading.judging import judged

NOW = this_build()
BET, LEFT = "croupier.table.bet_placed.v1", "croupier.table.player_left.v1"
FIRST = next(iter(NOW.migrations))
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "builds").glob("*.json"))


def changed(change: Callable[[Any], None]) -> Build:
    """This build with its schemas changed in place."""
    schemas = deepcopy(NOW.schemas)
    change(schemas)
    return replace(NOW, schemas=schemas)


def without_event(name: str) -> Build:
    return replace(NOW, events={each: kind for each, kind in NOW.events.items() if each != name})


def findings(old: Build, new: Build) -> list[tuple[str, str, str]]:
    return [(each.weight, each.service, each.what) for each in judged(old, new).findings]


def test_a_build_may_replace_itself() -> None:
    roll = judged(NOW, NOW)
    assert (roll.findings, roll.no_way_back, roll.safe) == ((), (), True)
    assert roll.order[-1] == "gateway"


def test_it_is_told_as_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "wire.json"
    file.write_text(as_text(NOW))
    assert read_build(file) == NOW
    assert NOW.settings["wallet"]["DATABASE_URL"] is True
    assert NOW.settings["table"]["CROUPIER_KAFKA_USER"] is False


def test_an_event_of_a_new_type_stops_old_deciders_and_bars_the_way_back() -> None:
    roll = judged(without_event(BET), NOW)
    assert findings(without_event(BET), NOW) == [
        ("stop", "table", f"{BET}: an old process that takes over stops at it")
    ]
    assert (roll.safe, roll.possible, roll.no_way_back) == (False, True, (BET,))
    assert "replicas=0" in roll.findings[0].do, "it says how the chart does it"


def test_a_build_that_does_not_read_what_journals_hold_is_never_installed() -> None:
    assert judged(NOW, without_event(BET)).possible is False
    needs_more = changed(
        lambda it: (
            it["BetPlaced"]["required"].append("why") or it["BetPlaced"]["properties"].update(why={"type": "string"})
        )
    )
    assert judged(NOW, needs_more).possible is False


def test_a_field_that_an_old_owner_would_fold_without_needs_states_of_another_format_or_a_stop() -> None:
    more = changed(lambda it: it["BetPlaced"]["properties"].update(why={"type": "string", "default": ""}))
    what = "BetPlaced.why is new: an old process that takes over folds and snapshots without it"
    assert findings(NOW, more) == [("stop", "table", what)]
    moved = replace(more, states={**more.states, "table": ("8",)})
    roll = judged(NOW, moved)
    assert roll.safe
    assert [each.weight for each in roll.findings] == ["note"]


def test_who_reads_a_new_command_is_replaced_before_who_sends_it() -> None:
    """`TakeSeat` is decided by the table, looked up by the wallet, and sent by the gateway."""
    more = changed(lambda it: it["TakeSeat"]["properties"].update(why={"type": "string", "default": ""}))
    order = judged(NOW, more).order
    assert order.index("gateway") > max(order.index("table"), order.index("wallet"))
    back = judged(more, NOW).order
    assert back.index("gateway") < min(back.index("table"), back.index("wallet"))
    assert judged(NOW, more).safe


def test_what_a_service_sends_itself_can_be_changed_only_while_it_stands_still() -> None:
    """`ReserveFunds` is sent by the wallet's own policies: an old decider would park what a new policy asks."""
    more = changed(lambda it: it["ReserveFunds"]["properties"].update(why={"type": "string", "default": ""}))
    what = "ReserveFunds: processes of both builds send and read it, and one refuses what the other sends"
    assert findings(NOW, more) == [("stop", "wallet", what)]


def test_no_order_will_do_where_each_refuses_the_others_command() -> None:
    def change(it: Any) -> None:
        it["TakeSeat"]["properties"] = {"other": {"type": "string"}}
        it["TakeSeat"]["required"] = ["other"]

    roll = judged(NOW, changed(change))
    assert {"table", "gateway"} <= {each.service for each in roll.findings if each.weight == "stop"}
    assert roll.possible
    assert not roll.safe


@pytest.mark.parametrize(
    ("old", "weight", "of", "says"),
    [
        (replace(NOW, topics={}), "first", "broker", "new topic"),
        (replace(NOW, migrations=dict(list(NOW.migrations.items())[:-1])), "first", "database", ".sql"),
        (replace(NOW, migrations=NOW.migrations | {FIRST: "0"}), "never", "database", "another now"),
        (replace(NOW, settings={**NOW.settings, "table": {}}), "first", "table", "has to be given"),
        (replace(NOW, settings={**NOW.settings, "table": {"OLD": False}}), "note", "table", "OLD"),
        (replace(NOW, formats={**NOW.formats, "commit": "2"}), "never", "journal", "commit"),
        (replace(NOW, states={**NOW.states, "wallet": ("02",)}), "note", "wallet", "reads its journal whole"),
    ],
)  # fmt: skip
def test_what_is_to_be_done_around_it(old: Build, weight: str, of: str, says: str) -> None:
    assert any((each[0], each[1]) == (weight, of) and says in each[2] for each in findings(old, NOW))


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_everything_that_a_build_before_this_one_wrote_is_still_read(file: Path) -> None:
    """Frozen descriptions of builds; a new one is added at each release, none is ever changed."""
    found = [each for each in judged(read_build(file), NOW).findings if each.weight == "never"]
    assert not found


def test_there_are_builds_before_this_one() -> None:
    assert GOLDEN


def test_the_command_says_what_stands_against_it(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["upgrade", "--describe"])
    assert json.loads(said.stdout)["version"] == NOW.version
    file = tmp_path / "wire.json"
    file.write_text(said.stdout)
    assert "play goes on throughout" in CliRunner().invoke(app, ["upgrade", "--check", str(file)]).stdout
    file.write_text(as_text(without_event(LEFT)))
    told = CliRunner().invoke(app, ["upgrade", "--check", str(file)])
    assert told.exit_code == 1
    assert "not while people play" in told.stdout
    told = CliRunner().invoke(app, ["upgrade", "--check", str(file), "--json"])
    assert json.loads(told.stdout)["no_way_back"] == [LEFT]
    file.write_text("{}")
    assert CliRunner().invoke(app, ["upgrade", "--check", str(file)]).exit_code == 1
