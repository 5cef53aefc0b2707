"""`croupier topics` says what to type where the broker has a topic otherwise."""

from libs.contracts.topics import SEGMENT_BYTES
from libs.stack.provision import FORMERLY, TopicState
from services.cli.topics import cures


def test_a_topic_of_an_older_table_is_told_with_what_mends_it() -> None:
    """Segments of a gigabyte, which Kafka gives itself: the broker may not come up again after an unclean end."""
    older = {"segment.bytes": (str(SEGMENT_BYTES), FORMERLY["segment.bytes"])}
    (line,) = cures([TopicState("croupier.table.journal.v1", 4, older), TopicState("croupier.table.events.v1", 4)])
    assert "`croupier topics --create` sets segment.bytes 33554432" in line


def test_what_somebody_has_set_is_his_to_set_back() -> None:
    (line,) = cures([TopicState("croupier.table.journal.v1", 4, {"retention.ms": ("-1", "1000")})])
    assert line.startswith("kafka-configs.sh --alter --entity-type topics --entity-name croupier.table.journal.v1 ")
    assert "--add-config retention.ms=-1 (1000 there;" in line


def test_nothing_is_said_of_what_is_as_it_should_be_and_missing_ones_are_made() -> None:
    assert cures([TopicState("croupier.table.journal.v1", 4)]) == []
    assert cures([TopicState("croupier.table.journal.v1", 0)]) == ["`croupier topics --create` makes what is missing."]
