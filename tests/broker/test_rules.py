"""Rules as they follow from the table of topics."""

import pytest

from libs.broker.rules import Operation, Resource, Rule, house_rules, names_in, platform_login, platform_rules, services
from libs.contracts.groups import GROUPS
from libs.contracts.topics import HOUSE, INSPECTOR, PLATFORM, TOPICS


def test_every_writer_and_reader_of_the_table_has_its_rule_and_nobody_else() -> None:
    literal = {(r.login, r.operation, r.name) for r in house_rules() if r.resource is Resource.TOPIC and not r.prefixed}
    wanted = {(who, Operation.WRITE, topic.name) for topic in TOPICS for who in topic.writers}
    wanted |= {(who, Operation.READ, topic.name) for topic in TOPICS for who in topic.readers}
    assert literal == {each for each in wanted if each[0] not in (PLATFORM, INSPECTOR, HOUSE)}


def test_beyond_that_services_learn_names_the_auditor_settings_and_the_inspector_only_reads() -> None:
    prefixed = {(r.login, r.operation) for r in house_rules() if r.resource is Resource.TOPIC and r.prefixed}
    wanted = {(who, Operation.DESCRIBE) for who in services()} | {(INSPECTOR, Operation.READ)}
    assert prefixed == wanted | {("audit", Operation.DESCRIBE_CONFIGS)}


def test_each_service_joins_its_own_groups_by_name_and_no_other() -> None:
    about = [rule for rule in house_rules() if rule.resource is Resource.GROUP]
    joins = {(rule.login, rule.name) for rule in about if rule.operation is Operation.READ}
    assert joins == {(each.service, each.name) for each in GROUPS}
    assert {(rule.login, rule.operation) for rule in about if rule.operation is not Operation.READ} == {
        (INSPECTOR, Operation.DESCRIBE),
        ("audit", Operation.DESCRIBE),
    }
    assert [rule.name for rule in about if rule.prefixed] == ["platform-"]


def test_no_platform_writes_anything() -> None:
    assert not [topic for topic in TOPICS if PLATFORM in topic.writers]
    assert {rule.operation for rule in platform_rules("platform-acme")} == {Operation.READ}


def test_a_prefix_stands_before_every_name() -> None:
    both = [*house_rules("t1."), *platform_rules("platform-acme", "t1.")]
    assert all(rule.name.startswith("t1.") for rule in both if rule.resource is not Resource.CLUSTER)


def test_the_cluster_is_the_auditors_to_look_at_and_is_of_no_house_alone() -> None:
    about = {(r.login, r.operation, r.name) for r in house_rules("t1.") if r.resource is Resource.CLUSTER}
    assert about == {("audit", each, "kafka-cluster") for each in (Operation.DESCRIBE, Operation.DESCRIBE_CONFIGS)}
    assert not [each for each in names_in(house_rules("t1.")) if each[0] is Resource.CLUSTER], "removed with a house"


def test_groups_of_one_platform_are_not_those_of_another() -> None:
    def groups(name: str) -> Rule:
        return next(r for r in platform_rules(platform_login(name)) if r.resource is Resource.GROUP)

    assert not groups("acme2").name.startswith(groups("acme").name)


@pytest.mark.parametrize("name", ["", "Acme", "ac-me", "1acme", "a" * 32, "acme\n", "ácme", "*"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="can't name a platform"):
        platform_login(name)
