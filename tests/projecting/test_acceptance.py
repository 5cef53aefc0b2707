"""Which records count: the next version of each stream, once (journal 20)."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import TableClosed
from libs.projecting.acceptance import accept, rolled
from libs.projecting.positions import Head, Reached
from libs.projecting.projection import Told
from libs.projecting.source import Arrived

TOPIC = "croupier.table.events.v1"


def event(stream: str, version: int, type_: str = "croupier.table.table_closed.v1") -> PublicEvent:
    data = encode_fact(TableClosed(table=stream))[1]
    return PublicEvent(stream=stream, version=version, type=type_, time=version, causation="c", data=data)


def records(*events: PublicEvent | None) -> list[Arrived]:
    return [Arrived(TOPIC, 0, offset, each, "nonsense" if each is None else "") for offset, each in enumerate(events)]


def heads() -> dict[tuple[str, int], Head]:
    return {(TOPIC, 0): Head()}


def test_takes_the_next_skips_the_lower_and_reports_the_higher() -> None:
    batch = accept(records(event("a", 1), event("a", 1), event("a", 3), event("b", 1), event("a", 2)), heads(), {})
    assert [e.id for e, _ in batch.facts] == ["a/1", "b/1", "a/2"]
    assert batch.duplicates == 1
    assert [(gap.stream, gap.expected, gap.found) for gap in batch.gaps] == [("a", 2, 3)]
    assert batch.streams[TOPIC, "a"] == Reached(version=2, seen=3), "the gap is open until 3 comes again"
    assert batch.heads[TOPIC, 0].position == 5
    assert batch.heads[TOPIC, 0].accepted == 3


def test_a_type_of_the_future_has_its_place_but_no_meaning_here() -> None:
    batch = accept(records(event("a", 1, "croupier.table.jackpot_won.v1"), event("a", 2)), heads(), {})
    assert [e.id for e, _ in batch.facts] == ["a/2"]
    assert batch.heads[TOPIC, 0].accepted == 2


def test_a_wrong_body_is_parked_and_its_stream_waits() -> None:
    wrong = replace(event("a", 1), data=b'{"table": ["As"]}')
    batch = accept(records(wrong, event("a", 2), event("b", 1)), heads(), {})
    assert [e.id for e, _ in batch.facts] == ["b/1"]
    assert len(batch.gaps) == 1
    [(_, reason)] = batch.parked
    assert "As" not in reason


def test_what_is_no_event_is_parked_and_the_partition_goes_on() -> None:
    batch = accept(records(None, event("a", 1)), heads(), {})
    assert [reason for _, reason in batch.parked] == ["nonsense"]
    assert len(batch.facts) == 1


def test_nothing_given_is_changed() -> None:
    before, streams = heads(), {(TOPIC, "a"): Reached(1, 1)}
    accept(records(event("a", 2)), before, streams)
    assert before == heads()
    assert streams == {(TOPIC, "a"): Reached(1, 1)}


@given(st.lists(st.integers(0, 8), max_size=12), st.integers(1, 5))
def test_publishing_again_from_anywhere_changes_nothing(restarts: list[int], limit: int) -> None:
    """A follower that starts over publishes from an acknowledged point: prefix-closed, with repetitions."""
    log = [event("a", version) for version in range(1, 9)]
    published = []
    top = 0
    for start in [*restarts, 0]:
        start = min(start, top)
        published += log[start : start + 4] if start + 4 > top else log[start:]
        top = max(top, min(start + 4, 8))
    published += log
    head = heads()
    streams: dict[tuple[str, str], Reached] = {}
    facts: list[Told] = []
    arriving = records(*published)
    for at in range(0, len(arriving), limit):
        batch = accept(arriving[at : at + limit], head, streams)
        head, streams, facts = head | batch.heads, streams | batch.streams, facts + batch.facts
    digest = b""
    for each in log:
        digest = rolled(digest, each)
    assert [e.version for e, _ in facts] == list(range(1, 9))
    assert (head[TOPIC, 0].digest, head[TOPIC, 0].accepted) == (digest, 8)
