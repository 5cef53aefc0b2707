"""What a broker has that the house has not given it, and what is gone; on a broker: tests/audit/test_broker_watch."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.broker.protocol import ALLOW, LITERAL, PREFIXED
from libs.broker.quotas import REQUEST_SHARE, WRITE_RATE
from libs.broker.rules import REQUEST_PERCENT, Operation, Resource, house_rules, platform_rules, write_rates
from libs.broker.strangers import Bound, Said, Seen, _said, settings_in, strangers
from libs.broker.users import LOCKED_ITERATIONS

ACME = "platform-acme"


@dataclass
class At:
    """A broker as the house sets it up, with one platform."""

    prefix: str = ""
    users: dict[str, dict[str, int]] = field(default_factory=dict)
    rules: set[Said] = field(default_factory=set)
    bounds: list[Bound] = field(default_factory=list)

    def __post_init__(self) -> None:
        for login in (*write_rates(), "inspector", "admin", "kafka"):
            self.users[login] = {MECHANISM: 4_096}
        self.users[ACME] = {PLATFORMS_MECHANISM: 4_096}
        self.rules = {_said(rule) for rule in (*house_rules(self.prefix), *platform_rules(ACME, self.prefix))}
        self.bounds = [Bound((("user", login),), {WRITE_RATE: rate}) for login, rate in write_rates().items()]
        self.bounds.append(Bound((("user", ACME),), {REQUEST_SHARE: REQUEST_PERCENT}))

    def told(self, *further: str) -> list[tuple[str, str]]:
        return strangers(Seen(self.users, frozenset(self.rules), tuple(self.bounds)), self.prefix, further)

    def about(self) -> list[str]:
        return [login for login, _ in self.told()]


def rule(
    login: str,
    operation: Operation,
    resource: Resource,
    name: str,
    pattern: int = LITERAL,
    host: str = "*",
    permission: int = ALLOW,
) -> Said:
    return Said(resource, name, pattern, f"User:{login}", host, operation, permission)


@pytest.mark.parametrize("prefix", ["", "m2."])
def test_of_a_broker_as_the_house_gives_it_nothing_is_told(prefix: str) -> None:
    assert At(prefix).told() == []


def test_whoever_comes_in_and_is_nobody_is_told_unless_named() -> None:
    at = At()
    at.users["ghost"] = {MECHANISM: 4_096}
    at.rules.add(rule("ghost", Operation.ALL, Resource.TOPIC, "croupier.", PREFIXED))
    at.rules.add(rule("ghost", Operation.ALL, Resource.CLUSTER, "kafka-cluster"))
    assert at.told() == [
        ("ghost", "a rule of the broker is none of the house's: User:ghost may ALL CLUSTER kafka-cluster"),
        ("ghost", "a rule of the broker is none of the house's: User:ghost may ALL TOPIC croupier.*"),
        ("ghost", "the login ghost of the broker is none of the house's"),
    ]
    assert at.told("ghost") == []


def test_a_second_password_is_told_until_nobody_knows_it() -> None:
    at = At()
    at.users["table"][PLATFORMS_MECHANISM] = 4_096
    at.users[ACME][MECHANISM] = 4_096
    at.users["admin"] = {PLATFORMS_MECHANISM: 4_096}
    at.users["gone"] = {MECHANISM: LOCKED_ITERATIONS}
    assert at.about() == ["admin", ACME, "table"]
    at.users["table"][PLATFORMS_MECHANISM] = at.users[ACME][MECHANISM] = LOCKED_ITERATIONS
    assert at.about() == ["admin"]


def test_strimzi_has_one_mechanism_for_all() -> None:
    at = At()
    at.users[ACME] = {MECHANISM: 4_096}
    assert at.told() == []


@pytest.mark.parametrize(
    "added",
    [
        rule("table", Operation.READ, Resource.TOPIC, "croupier.wallet.journal.v1"),
        rule("table", Operation.ALL, Resource.TOPIC, "crou", PREFIXED),
        rule("table", Operation.WRITE, Resource.TOPIC, "*"),
        rule("table", Operation.READ, Resource.GROUP, "wallet-books"),
        rule("table", Operation.READ, Resource.GROUP, "w", PREFIXED),
        rule("table", Operation.WRITE, Resource.TRANSACTIONAL_ID, "any"),
        rule("table", Operation.DESCRIBE, Resource.CLUSTER, "kafka-cluster"),
        rule("*", Operation.READ, Resource.TOPIC, "croupier.table.private.v1"),
        rule(ACME, Operation.READ, Resource.TOPIC, "croupier.table.private.v1"),
        rule(ACME, Operation.READ, Resource.GROUP, "platform-other-1"),
        rule("ghost", Operation.CREATE_TOKENS, Resource.USER, "User:table"),
        rule("audit", Operation.READ, Resource.TOPIC, "croupier.sessions.v1", permission=2),
        rule("table", Operation.WRITE, Resource.TOPIC, "croupier.replies.v1", host="10.0.0.1"),
        Said(99, "new", LITERAL, "User:table", "*", 99, ALLOW),
    ],
)
@pytest.mark.parametrize("prefix", ["", "m2."])
def test_rules_that_the_house_has_not_given(prefix: str, added: Said) -> None:
    at = At(prefix)
    if added.resource in (Resource.TOPIC, Resource.GROUP) and added.name != "*":
        added = added._replace(name=prefix + added.name)
    at.rules.add(added)
    assert at.about() == [added.principal.removeprefix("User:")]


def test_several_houses_and_others_on_one_broker() -> None:
    """Of a house with a prefix: who has nothing of it is no matter; its own logins are also the other one's."""
    at = At("m2.")
    at.rules |= {_said(each) for prefix in ("", "m3.") for each in house_rules(prefix)}
    at.users["shop"] = {MECHANISM: 4_096}
    at.rules |= {
        rule("shop", Operation.ALL, Resource.TOPIC, "shop.", PREFIXED),
        rule("shop", Operation.ALL, Resource.TRANSACTIONAL_ID, "*"),
    }
    assert at.told() == []
    at.rules.add(rule("shop", Operation.READ, Resource.TOPIC, "m", PREFIXED))
    assert at.about() == ["shop"]


def test_a_house_alone_is_not_told_of_the_one_that_it_is_moved_to() -> None:
    at = At()
    at.rules |= {_said(each) for each in house_rules("m2.")}
    assert at.told() == []


def test_what_is_gone() -> None:
    at = At()
    at.rules.remove(rule("gateway", Operation.WRITE, Resource.TOPIC, "croupier.sessions.v1"))
    told = "a rule of the house is gone from the broker: User:gateway may WRITE TOPIC croupier.sessions.v1"
    assert at.told() == [("gateway", told)]


def test_bounds_that_were_taken_away_or_raised() -> None:
    at = At()
    kept = {bound.entity[0][1]: bound for bound in at.bounds}
    kept.pop("wallet")
    kept["gateway"] = kept["gateway"]._replace(values={WRITE_RATE: 1e12})
    kept[ACME] = kept[ACME]._replace(values={REQUEST_SHARE: 500.0})
    kept["audit"] = kept["audit"]._replace(values={**kept["audit"].values, "consumer_byte_rate": 1.0})
    above = Bound((("client-id", None), ("user", "tournament")), {WRITE_RATE: 1e12})
    at.bounds = [*kept.values(), above, Bound((("user", None),), {WRITE_RATE: 1.0})]
    assert at.about() == ["audit", "gateway", ACME, "tournament", "wallet"]


def test_what_the_operator_has_set_for_all_services_is_as_it_should_be() -> None:
    at = At()
    at.bounds = [Bound((("user", login),), {WRITE_RATE: rate}) for login, rate in write_rates(20_000_000).items()]
    at.bounds.append(Bound((("user", ACME),), {REQUEST_SHARE: 1.0}))
    assert at.told() == []


def test_a_way_in_that_was_set_while_the_broker_ran() -> None:
    way, other = "listener.name.clients.plain.sasl.jaas.config", "log.cleaner.threads"

    entries: list[tuple[object, ...]] = [
        (way, None, 0, 3, 1, []),
        (other, "2", 0, 3, 0, []),
        ("listeners", "", 1, 4, 0, []),
    ]
    answer = SimpleNamespace(resources=[(0, None, 4, "1", entries)])
    found = strangers(Seen({}, None, tuple(At().bounds), settings_in(answer)))
    assert [about for about, _ in found] == [way]


def test_names_of_nobodys_making_say_nothing() -> None:
    at = At()
    at.users["gh\x1b[2Jost"] = {MECHANISM: 4_096}
    assert at.about() == ["?"]
