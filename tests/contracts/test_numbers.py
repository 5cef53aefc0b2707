"""No number that somebody may send is without bounds: what the journal's JSON takes, a snapshot has to take, too."""

from collections.abc import Iterator

import msgspec
import pytest
from msgspec import inspect as shapes

from libs.contracts.commands import Command, wrong_fields
from libs.contracts.facts import MAX_NUMBER
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TOURNAMENT_COMMANDS, ALL_WALLET_COMMANDS
from libs.contracts.tournaments_commands import ProposeTournament

_COMMANDS: list[type[Command]] = [*ALL_TABLE_COMMANDS, *ALL_TOURNAMENT_COMMANDS, *ALL_WALLET_COMMANDS]


def _numbers(shape: shapes.Type, place: str) -> Iterator[tuple[str, shapes.IntType]]:
    match shape:
        case shapes.IntType():
            yield place, shape
        case shapes.Metadata(type=inner):
            yield from _numbers(inner, place)
        case shapes.StructType(fields=fields):
            for field in fields:
                yield from _numbers(field.type, f"{place}.{field.name}")
        case shapes.UnionType(types=parts):
            for part in parts:
                yield from _numbers(part, place)
        case shapes.ListType(item_type=item) | shapes.VarTupleType(item_type=item):
            yield from _numbers(item, f"{place}[]")
        case shapes.DictType(value_type=value):
            yield from _numbers(value, f"{place}{{}}")
        case shapes.StrType() | shapes.BoolType() | shapes.NoneType() | shapes.LiteralType() | shapes.EnumType():
            pass
        case _:
            raise AssertionError(f"{place}: nothing says what a {type(shape).__name__} may be")


@pytest.mark.parametrize("kind", _COMMANDS, ids=lambda kind: kind.__name__)
def test_every_number_of_a_command_has_bounds(kind: type[Command]) -> None:
    for place, number in _numbers(shapes.type_info(kind), kind.__name__):
        assert number.ge is not None, f"{place} has no least value"
        assert number.le is not None, f"{place} has no greatest value"
        assert -MAX_NUMBER <= number.ge <= number.le <= MAX_NUMBER, place


@pytest.mark.parametrize("moment", [10**30, 10**19, -(10**30), -1])
def test_a_tournament_does_not_begin_at_a_time_that_no_snapshot_holds(moment: int) -> None:
    """Seen: accepted from one of the staff, and a minute later the service died of its snapshot, for good."""
    for name in ("starts_at", "registration_opens_at"):
        example = {**ProposeTournament.example, "definition": {**ProposeTournament.example["definition"], name: moment}}
        wrong = wrong_fields(ProposeTournament, example)
        assert [each.place for each in wrong] == [("definition", name)]


def test_the_example_is_taken() -> None:
    assert wrong_fields(ProposeTournament, msgspec.to_builtins(ProposeTournament.example)) == []
