"""Members of a group without a mark of their own are told; true ones are not, however they come and go."""

from dataclasses import dataclass, field

from libs.contracts.groups import group_of
from libs.journal.members import PROTOCOL, Joining
from services.audit.strangers import EVERY_S, FRESH_MS, OFTEN, STALL_S, Described, Member, Strangers
from tests.testkit.marks import AUDIT, TABLE, WALLET

GROUP = group_of("table-decider")
SHARES = ("consumer", PROTOCOL)
PATIENCE_S = 9.0


@dataclass
class Site:
    """The auditor looks every two seconds, from when it is made."""

    now: float = 1_000.0
    members: dict[str, Member] = field(default_factory=dict)
    state: str = "Stable"
    shares: tuple[str, str] = SHARES

    def __post_init__(self) -> None:
        self.strangers = Strangers(GROUP, GROUP.name, AUDIT, PATIENCE_S)
        self.look()

    @property
    def clock(self) -> int:
        return 1_700_000_000_000 + int(self.now * 1000)

    def joins(self, id_: str, instance: str = "table", metadata: bytes | None = None) -> Member:
        if metadata is None:
            metadata = Joining(TABLE, GROUP.name, instance, lambda: self.clock).metadata([]).encode()
        self.members[id_] = Member(id_, instance, "/127.0.0.1", metadata)
        return self.members[id_]

    def look(self, seconds: float = 0.0) -> dict[str, str]:
        """Why each stranger is one, after some seconds."""
        until = self.now + seconds
        while self.now + EVERY_S < until:
            self.now += EVERY_S
            self._look()
        self.now = until
        return self._look()

    def _look(self) -> dict[str, str]:
        is_stable = self.state == "Stable"
        members = tuple(each if is_stable else each._replace(metadata=b"") for each in self.members.values())
        found = self.strangers.look(Described(self.state, self.shares, members), self.now, self.clock)
        return {member.id: why for member, why in found}


def test_members_of_the_house_are_none() -> None:
    site = Site()
    site.joins("a")
    site.joins("b", "table-2")
    assert site.look(2.0) == {}
    assert site.look(3_600.0) == {}, "nobody joins anew"
    site.joins("a")
    assert site.look(2.0) == {}, "at each rebalance it says so anew"


def test_who_has_no_mark_is_told_at_once() -> None:
    site = Site()
    site.joins("a")
    site.joins("x", "", b"")
    site.joins("w", "wallet", Joining(WALLET, GROUP.name, "wallet").metadata([]).encode())
    assert site.look() == dict.fromkeys(("x", "w"), "it has no mark of this house")


def test_a_copied_mark_is_the_first_ones() -> None:
    site = Site()
    true = site.joins("a")
    site.look()
    site.joins("x", metadata=true.metadata)
    assert site.look() == {"x": "it has the mark of another member"}
    del site.members["a"]
    assert site.look(60.0) == {"x": "it has the mark of another member"}, "also once the true one is sent away"
    site.members.clear()
    assert site.look(600.0) == {}
    site.joins("y", metadata=true.metadata)
    assert site.look() == {"y": "it has a mark of before"}


def test_two_with_one_mark_are_told_though_nobody_has_seen_them_come() -> None:
    site = Site()
    site.joins("x", metadata=site.joins("a").metadata)
    site.now += STALL_S + 1
    assert len(site.look()) == 1


def test_a_mark_that_was_taken_down_long_ago_is_told() -> None:
    site = Site()
    old = site.joins("a").metadata
    site.members.clear()
    site.look(FRESH_MS / 1000 + 10)
    site.joins("x", metadata=old)
    assert site.look(2.0) == {"x": "it has a mark of before"}


def test_an_auditor_that_begins_or_was_away_believes_marks_of_before() -> None:
    site = Site()
    site.joins("a")
    site.now += 86_400
    assert site.look() == {}
    assert site.look(2.0) == {}


def test_a_mark_that_waited_for_the_group_to_be_shared_out_is_new() -> None:
    site = Site()
    site.state = "PreparingRebalance"
    site.joins("a")
    site.look(4 * FRESH_MS / 1000)
    site.state = "Stable"
    assert site.look() == {}


def test_who_shares_out_as_nobody_does_is_told() -> None:
    for shares in (("consumer", "mine"), ("connect", PROTOCOL), ("consumer", "\x1b[2J")):
        site = Site(shares=shares)
        site.joins("a")
        (why,) = site.look().values()
        assert why.startswith("it shares out by ")
        assert why.isprintable()


def test_who_keeps_a_group_from_being_shared_out_is_told() -> None:
    site = Site()
    site.joins("a")
    site.look()
    site.state = "PreparingRebalance"
    site.joins("x", "table-2")
    assert site.look(PATIENCE_S - 1) == {}, "a dead member keeps it so for as long as its session"
    assert list(site.look(4.0)) == ["x"]
    site.state = "CompletingRebalance"
    assert list(site.look(2.0)) == ["x"]
    site.members.clear()
    assert site.look(2.0) == {}


def test_an_instance_that_joins_again_and_again_is_told() -> None:
    site = Site()
    for number in range(OFTEN):
        site.members.clear()
        site.joins(f"a{number}")
        assert site.look(2.0) == {}
    site.members.clear()
    site.joins("a")
    assert list(site.look(2.0)) == ["a"]
    assert site.look(30.0) == {}


def test_restarts_are_none() -> None:
    site = Site()
    for number in range(20):
        site.members.clear()
        site.joins(f"a{number}")
        assert site.look(6.0) == {}
