"""How much is written by hand to add one banked game, and one event; and taking them away leaves nothing.

Both are added to a copy of the house: the game from `red_black`, the event `ReentryWaived` by edits and its test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.adding.laying import House

Edits = Mapping[str, tuple[tuple[str, str], ...]]
"""File to the text before which something is put, and what is put there."""
HERE = Path(__file__).parent
GAME: Edits = {
    "libs/contracts/any_configuration.py": (
        ("\nAnyConfiguration = ", "from libs.contracts.red_black_configuration import RedBlackConfiguration\n"),
        ("\nKINDS: ", " | RedBlackConfiguration"),
    ),
    "services/table/domain/games/registry.py": (
        (
            "from services.table.domain.games.tournament_poker import",
            "from services.table.domain.games.red_black.game import RedBlack\n",
        ),
        (")}\nLIVE_GAMES", ", RedBlack()"),
    ),
}
"""All that is changed beside the game's own files."""
OF_THE_GAME = ("libs/contracts/red_black_", "services/table/domain/games/red_black/", "tests/table/red_black/")
RULEBOOK = "libs/rulebooks/red-black.yaml"
EVENT: Edits = {
    "libs/contracts/table_events.py": (
        (
            "class TableSuspended(TableEvent):\n",
            '''class ReentryWaived(TableEvent):
    """The table stood: who had left may come back with any buy-in (pt-811-2015 10)."""

    player: str


''',
        ),
    ),
    "services/table/domain/table/closing.py": (
        (
            "    story.tell(e.TableResumed(by=story.by, left_out=story.game.left_out(story.state, story.now)))\n",
            """    for player in story.state.departures:
        story.tell(e.ReentryWaived(player=player))
""",
        ),
    ),
    "services/table/domain/table/evolve.py": (
        (
            "def _closing(",
            """def _waived(game: Game, state: Table, event: at.ReentryWaived) -> Table:
    return replace(state, departures=_without(state.departures, event.player))


""",
        ),
    ),
    "tests/table/samples.py": (
        ("        seating.TableSuspended(**_HEAD),\n", '        seating.ReentryWaived(**_HEAD, player="p1"),\n'),
    ),
}
NAME = "croupier.table.reentry_waived.v1"


@dataclass
class Added:
    house: House
    before: dict[str, bytes]
    of_the_game: list[str]
    elsewhere: int
    """Lines added or changed beside the game's own files."""
    for_the_event: set[str]
    """Files changed by hand, its test left aside."""
    generated: list[str]
    tests: list[str]


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Added:
    house = House(tmp_path_factory.mktemp("house"))
    before = house.files()
    of_the_game = house.lay(HERE / "red_black")
    elsewhere = sum(house.edit(file, edits) for file, edits in GAME.items())
    with_the_game = house.files()
    for file, edits in EVENT.items():
        house.edit(file, edits)
    for_the_event = {file for file, text in house.files().items() if with_the_game.get(file) != text}
    tests = house.lay(HERE / "reentry_waived")
    return Added(house, before, of_the_game, elsewhere, for_the_event, house.generate(), tests)


def test_a_game_is_its_files_its_rulebook_and_four_lines_elsewhere(added: Added) -> None:
    assert [path for path in added.of_the_game if not path.startswith(OF_THE_GAME)] == [RULEBOOK]
    assert added.elsewhere == 4


def test_an_event_is_four_files_by_hand(added: Added) -> None:
    assert added.for_the_event == set(EVENT)
    assert len(added.for_the_event) <= 4
    published = {f"docs/events/{NAME}.schema.json", "docs/events/asyncapi.yaml", f"tests/golden/events/{NAME}.json"}
    assert published <= set(added.generated)
    assert {file.partition("/")[0] for file in added.generated} == {"docs", "tests"}, "nothing else is generated"


def test_both_work_and_taken_away_leave_nothing_but_what_is_generated(added: Added) -> None:
    """Their own tests pass there, and those of all games and events."""
    house, before = added.house, added.before
    house.tests(
        *added.tests,
        "tests/table/red_black",
        "tests/table/test_every_game.py",
        "tests/table/test_machine.py",
        "tests/docs/test_reference.py",
        "tests/docs/test_platforms.py",
        "tests/contracts/test_golden_facts.py",
        "tests/gateway/app/test_doors.py",
        only="waived or red_black or red-black or olour or table_of_every_game or every_command or every_reason "
        "or platforms or every_event_is_frozen or document",
    )

    new = [file for file in added.generated if file not in before]
    house.remove(*added.of_the_game, *added.tests, *new)
    for file, edits in {**GAME, **EVENT}.items():
        house.edit(file, edits, back=True)
    assert {file for file, text in house.files().items() if before[file] != text} <= set(added.generated)
