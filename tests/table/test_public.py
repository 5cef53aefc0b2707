"""Domain events and the public contract are the same facts, one to one."""

import pytest

from libs.contracts.registry import ALL_TABLE_EVENTS, wire_name
from services.table.domain.table.happenings import EVENT_CLASSES
from services.table.public import public_event
from tests.table.samples import sample_events


def test_every_domain_event_has_its_public_event_and_the_other_way_round() -> None:
    assert {event.__name__ for event in EVENT_CLASSES} == {event.__name__ for event in ALL_TABLE_EVENTS}
    public = {event.__name__: set(event.model_fields) for event in ALL_TABLE_EVENTS}
    for event in EVENT_CLASSES:
        assert set(event.__struct_fields__) - {"at", "deck"} == public[event.__name__], event.__name__


@pytest.mark.parametrize("event", sample_events(), ids=lambda event: type(event).__name__)
def test_every_event_maps(event: object) -> None:
    public = public_event(event)  # type: ignore[arg-type]
    assert type(public).__name__ == type(event).__name__
    assert type(public).model_validate_json(public.model_dump_json()) == public
    assert wire_name("table", type(public)).startswith("croupier.table.")
    assert "deck" not in public.model_dump()
