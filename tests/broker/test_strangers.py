"""What a broker has that the house has not given it, and what is gone; on a broker: tests/audit/test_broker_watch."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.broker.protocol import ALLOW, LITERAL, PREFIXED
from libs.broker.quotas import REQUEST_SHARE, WRITE_RATE
from libs.broker.rules import (
    READS,
    REQUEST_PERCENT,
    TABLE_WRITES,
    Operation,
    Resource,
    house_rules,
    is_platform,
    platform_rules,
    readers,
    write_rates,
)
from libs.broker.strangers import Bound, Said, Seen, _said, settings_in, strangers
from libs.broker.users import LOCKED_ITERATIONS

ACME = "platform-acme"


def given(table: int = TABLE_WRITES) -> list[Bound]:
    """Bounds of the house's own logins."""
    rates = write_rates(table)
    return [
        Bound((("user", login),), READS | ({WRITE_RATE: rates[login]} if login in rates else {})) for login in readers()
    ]


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
        self.bounds = given()
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
    kept[ACME] = kept[ACME]._replace(values={REQUEST_SHARE: 500.0})
    kept["gateway"] = kept["gateway"]._replace(values={**READS, WRITE_RATE: 1e12})
    kept["audit"] = kept["audit"]._replace(values={**kept["audit"].values, "consumer_byte_rate": 1.0})
    above = Bound((("client-id", None), ("user", "tournament")), {WRITE_RATE: 1e12})
    at.bounds = [*kept.values(), above]
    # Of the wallet all bounds are gone: how fast it writes, and what goes before a bound of everybody.
    assert at.about() == ["audit", "gateway", ACME, "tournament", "wallet", "wallet"]


def test_what_the_operator_has_set_for_all_services_is_as_it_should_be() -> None:
    at = At()
    at.bounds = given(20_000_000)
    at.bounds.append(Bound((("user", ACME),), {REQUEST_SHARE: 1.0}))
    assert at.told() == []


_OTHERS = [
    ((("user", None),), "consumer_byte_rate"),
    ((("client-id", None),), "consumer_byte_rate"),
    ((("client-id", "croupier-audit"),), "request_percentage"),
    ((("client-id", "croupier-audit"), ("user", None)), "request_percentage"),
    ((("client-id", None), ("user", None)), "producer_byte_rate"),
    ((("ip", None),), "connection_creation_rate"),
    ((("ip", "127.0.0.1"),), "connection_creation_rate"),
]


@pytest.mark.parametrize(("entity", "key"), _OTHERS)
@pytest.mark.parametrize("prefix", ["", "m2."])
def test_what_holds_whoever_comes_so_and_is_none_of_the_houses(
    prefix: str, entity: tuple[tuple[str, str | None], ...], key: str
) -> None:
    """An attacker's of 30 November 2026: the auditor was held up by the name that its client gives itself."""
    at = At(prefix)
    at.bounds.append(Bound(entity, {key: 1.0}))
    [(about, told)] = at.told()
    assert told == f"a bound of the broker is none of the house's: {about}: {key}"
    named = [name for _, name in entity if name]
    assert at.told(*named) == ([] if named else [(about, told)])


@pytest.mark.parametrize("login", ["inspector", "kafka", "admin", ACME])
@pytest.mark.parametrize("prefix", ["", "m2."])
def test_a_bound_of_the_houses_own_that_it_has_not_given(prefix: str, login: str) -> None:
    at = At(prefix)
    kept = next((each for each in at.bounds if each.entity == (("user", login),)), Bound((("user", login),), {}))
    key = "controller_mutation_rate" if login == "inspector" else "consumer_byte_rate"
    at.bounds = [each for each in at.bounds if each is not kept] + [kept._replace(values={**kept.values, key: 1.0})]
    assert at.told() == [(login, f"the login {login} has a bound at the broker that the house has not given it: {key}")]


@pytest.mark.parametrize("key", READS)
def test_who_reads_less_than_the_house_gives_is_told(key: str) -> None:
    at = At()
    kept = next(each for each in at.bounds if each.entity == (("user", "inspector"),))
    at.bounds[at.bounds.index(kept)] = kept._replace(values={**kept.values, key: 0.01})
    assert [about for about, _ in at.told()] == ["inspector"]


def test_all_services_alike_held_to_nothing() -> None:
    at = At()
    at.bounds = [*given(10), at.bounds[-1]]
    assert at.told() == [("table", "the login table may write 10 bytes a second to the broker: the house stands")]


def test_a_bound_of_another_application_is_a_strangers_to_a_house_alone() -> None:
    at, other = At("m2."), Bound((("user", "shop"),), {WRITE_RATE: 1.0})
    at.bounds.append(other)
    assert at.told() == []
    at = At()
    at.bounds.append(other)
    assert at.about() == ["user shop"]
    assert at.told("shop") == []


@pytest.mark.parametrize(
    "login", ["platform-\u00dc 1", "platform-", "platform-Acme", "platform-acme-1", "platform-a\n"]
)
def test_a_login_that_only_begins_as_a_platforms_is_a_stranger(login: str) -> None:
    """`croupier platform` makes none such and takes none away."""
    assert not is_platform(login)
    at = At()
    at.users[login] = {MECHANISM: 4_096}
    at.rules |= {_said(rule) for rule in platform_rules(login)}
    assert len(at.told()) == 1 + len(platform_rules(login))


def test_a_way_in_that_was_set_while_the_broker_ran() -> None:
    way, other = "listener.name.clients.plain.sasl.jaas.config", "max.connections"

    entries: list[tuple[object, ...]] = [
        (way, None, 0, 3, 1, []),
        (other, "2", 0, 2, 0, []),
        (same := "min.insync.replicas", "2", 0, 3, 0, [(same, "2", 3), (same, "2", 4), (same, "1", 5)]),
        (less := "log.cleaner.threads", "1", 0, 3, 0, [(less, "1", 3), (less, "2", 4), (less, "1", 5)]),
        ("listeners", "", 1, 4, 0, []),
    ]
    answer = SimpleNamespace(resources=[(0, None, 4, "1", entries)])
    seen = Seen({}, None, tuple(At().bounds), settings_in(answer))
    found = dict(strangers(seen))
    assert found.keys() == {way, other, less}
    assert [told.endswith("who comes in as whom") for told in (found[way], found[other])] == [True, False]
    assert [about for about, _ in strangers(seen, "", [other, less])] == [way]


def test_names_of_nobodys_making_say_nothing() -> None:
    at = At()
    at.users["gh\x1b[2Jost"] = {MECHANISM: 4_096}
    assert at.about() == ["?"]
