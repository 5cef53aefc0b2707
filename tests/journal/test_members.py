"""What members of a group say of themselves, and what is believed of it."""

from typing import Any

import pytest
from aiokafka.coordinator.protocol import ConsumerProtocolMemberMetadata

from libs.journal.mark_keys import MEMBERS, POSITIONED, Plan, keys_of, marks_of
from libs.journal.marks import Marks
from libs.journal.members import PROTOCOL, Joining, Said, hear
from libs.sealing.key_files import BadKey
from tests.testkit.marks import AUDIT, ROOT, TABLE, WALLET

GROUP, INSTANCE = "table-decider", "table-1"


class HandedOut:
    """Marks that change, as those in a file do."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks

    def __getattr__(self, name: str) -> Any:
        return getattr(self.marks, name)


def says(marks: Marks = TABLE, at: int = 7) -> bytes:
    return bytes(Joining(marks, GROUP, INSTANCE, lambda: at).metadata(["commands"]).encode())


@pytest.mark.parametrize("service", POSITIONED)
def test_the_auditor_hears_members_of_every_service(service: str) -> None:
    theirs, auditors = marks_of(service, ROOT, Plan()), marks_of("audit", ROOT, Plan())
    assert hear(auditors, service, GROUP, INSTANCE, says(theirs)) == Said(7, False)


def test_each_join_is_another_one_though_the_clock_stands() -> None:
    joining = Joining(TABLE, GROUP, INSTANCE, lambda: 7)
    said = [hear(AUDIT, "table", GROUP, INSTANCE, joining.metadata([]).encode()) for _ in range(2)]
    assert said == [Said(7, False), Said(8, False)]
    assert joining.name == PROTOCOL == "roundrobin", "beside members of before"


@pytest.mark.parametrize(
    ("service", "group", "instance"),
    [
        ("table", "table-policies", INSTANCE),
        ("table", GROUP, "table-2"),
        ("table", GROUP, ""),
        ("wallet", GROUP, INSTANCE),
    ],
)
def test_what_was_said_elsewhere_is_not_heard(service: str, group: str, instance: str) -> None:
    assert hear(AUDIT, service, group, instance, says()) is None


def test_another_service_can_say_nothing_in_this_ones_groups() -> None:
    assert hear(AUDIT, "table", GROUP, INSTANCE, says(WALLET)) is None


@pytest.mark.parametrize(
    "user_data", [b"", b" ", b"7", b"7 ", b"8" * 20 + b" x", b"-7 x", "٧ x".encode(), b"\xff \xff"]
)
def test_what_bears_no_mark_is_not_heard(user_data: bytes) -> None:
    assert hear(AUDIT, "table", GROUP, INSTANCE, ConsumerProtocolMemberMetadata(0, [], user_data).encode()) is None


@pytest.mark.parametrize("length", [0, 3, 20])
def test_what_is_no_metadata_is_not_heard(length: int) -> None:
    assert hear(AUDIT, "table", GROUP, INSTANCE, says()[:length]) is None


def test_another_time_is_not_heard() -> None:
    assert hear(AUDIT, "table", GROUP, INSTANCE, says().replace(b"7 ", b"9 ", 1)) is None


def test_a_key_that_was_retired_since_is_told() -> None:
    joined = says(marks_of("table", ROOT, Plan()))
    since = marks_of("audit", ROOT, Plan(accepted=(1, 2), writes=2, retired={1: {}}))
    assert hear(since, "table", GROUP, INSTANCE, joined) == Said(7, True)


def test_a_file_of_marks_of_before_is_told() -> None:
    before = Marks("table", [each for each in keys_of("table", ROOT, Plan()) if each.topic != MEMBERS])
    with pytest.raises(BadKey, match="run `croupier marks hand-out`"):
        Joining(before, GROUP, INSTANCE)


def test_who_joined_under_a_key_of_before_has_to_say_it_anew() -> None:
    held: Any = HandedOut(marks_of("table", ROOT, Plan()))
    joining = Joining(held, GROUP, INSTANCE)
    assert not joining.is_dated(), "nothing was said yet"
    joining.metadata([])
    held.marks = marks_of("table", ROOT, Plan(accepted=(1, 2)))
    assert not joining.is_dated(), "the new key is known, and marks nothing yet"
    held.marks = marks_of("table", ROOT, Plan(accepted=(1, 2), writes=2))
    assert joining.is_dated()
    joining.metadata([])
    assert not joining.is_dated()
