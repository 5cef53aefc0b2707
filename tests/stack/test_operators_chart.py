"""deploy/operators: Strimzi and CloudNativePG are told what the code's own tables say, and each value is explained."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from libs.broker.rules import READS, house_rules, platform_rules, readers, services, write_rates
from libs.contracts.topics import TOPICS
from libs.door.frames import MOST_WAITING
from libs.stack import postgres
from libs.stack.logins import Logins
from services.cli.operated import operated_files, strimzi
from tests.testkit.charts import Objects, rendered_chart, undescribed

PROJECT = Path(__file__).resolve().parents[2]
CHART = PROJECT / "deploy" / "operators"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
HOUSE = yaml.safe_load((PROJECT / "deploy" / "chart" / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def test_each_value_is_explained_and_as_the_schema_has_it() -> None:
    jsonschema.validate(VALUES, SCHEMA)
    assert undescribed(SCHEMA) == []
    for section in ("kafka", "postgres"):
        assert VALUES[section].keys() == SCHEMA["properties"][section]["properties"].keys()


@pytest.mark.parametrize(
    "wrong", [{"kafka": {**VALUES["kafka"], "platforms": ["Acme"]}}, {"secrets": ""}, {"password": "secret"}]
)
def test_a_wrong_value_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VALUES, **wrong}, SCHEMA)


def test_what_lies_there_is_what_the_code_says() -> None:
    for name, text in operated_files().items():
        assert (PROJECT / name).read_text() == text, f"{name}: run `croupier watching`"


def test_every_topic_and_every_rule_is_in_it() -> None:
    told = strimzi()
    assert {each["name"]: each["config"] for each in told["topics"]} == {each.name: each.config for each in TOPICS}
    assert sum(len(user["acls"]) for user in told["users"]) == len(house_rules())
    assert len(told["platform"]["acls"]) == len(platform_rules("platform-acme"))
    operations = {acl["operation"] for user in told["users"] for acl in user["acls"]}
    assert operations == {"Read", "Write", "Describe", "DescribeConfigs"}


@pytest.fixture(scope="module")
def rendered() -> Objects:
    return rendered_chart(
        CHART, "ops", "kafka.platforms={acme}", "kafka.platformAddress=kafka.example", "kafka.prefix=m2.",
        "kafka.brokers=2", "postgres.backups.schedule=0 0 3 * * *",
    )  # fmt: skip


def test_topics_are_made_with_the_prefix_and_as_many_replicas_as_there_are(
    rendered: Objects,
) -> None:
    for each in TOPICS:
        spec = rendered["KafkaTopic", f"m2.{each.name}"]["spec"]
        assert spec == {"partitions": each.partitions(32), "replicas": 2, "config": each.config}


def test_platforms_come_through_their_door_to_each_broker(rendered: Objects) -> None:
    listeners = {each["name"]: each for each in rendered["Kafka", "croupier"]["spec"]["kafka"]["listeners"]}
    theirs = listeners["platforms"]
    assert theirs["type"] == "internal"
    assert theirs["configuration"]["brokers"] == [
        {"broker": number, "advertisedHost": "kafka.example", "advertisedPort": 9100 + number} for number in (0, 1)
    ]
    assert theirs["configuration"]["maxConnections"] == HOUSE["door"]["connections"] + MOST_WAITING
    house = rendered_chart(PROJECT / "deploy" / "chart", "casa", "door.brokers={a:9094,b:9094}")
    labels = house["Deployment", "casa-door"]["spec"]["template"]["metadata"]["labels"]
    (peer,) = theirs["networkPolicyPeers"]
    assert peer["podSelector"]["matchLabels"].items() <= labels.items()
    ports = [each["port"] for each in house["Service", "casa-door"]["spec"]["ports"]]
    assert ports == [each["advertisedPort"] for each in theirs["configuration"]["brokers"]]


def test_users_take_their_passwords_from_the_secret_of_topics(
    rendered: Objects,
) -> None:
    users = {name: each["spec"] for (kind, name), each in rendered.items() if kind == "KafkaUser"}
    assert users.keys() == {*(user["name"] for user in strimzi()["users"]), "admin", "platform-acme"}
    for name, spec in users.items():
        password = spec["authentication"].get("password")
        if name == "platform-acme":
            assert password is None, "Strimzi makes it"
        else:
            key = {"name": "croupier-topics", "key": f"{name}.kafka"}
            assert password == {"valueFrom": {"secretKeyRef": key}}
    rates = {name: spec["quotas"]["producerByteRate"] for name, spec in users.items() if name in services()}
    assert rates == write_rates(), "as `croupier topics --create` sets them"
    for name in readers():
        kept = users[name]["quotas"]
        assert [kept[each] for each in ("consumerByteRate", "requestPercentage")] == list(READS.values())
    assert "quotas" not in users["admin"], "moves and restores write as it"
    theirs = users["platform-acme"]["authorization"]["acls"]
    assert {each["operations"][0] for each in theirs} == {"Read"}
    groups = [each["resource"]["name"] for each in theirs if each["resource"]["type"] == "group"]
    assert groups == [f"m2.platform-acme-{number}" for number in range(1, 9)]
    of_cluster = [each for each in users["audit"]["authorization"]["acls"] if each["resource"]["type"] == "cluster"]
    assert [(each["resource"], each["operations"]) for each in of_cluster] == [
        ({"type": "cluster"}, [operation]) for operation in ("Describe", "DescribeConfigs")
    ], "it has no name, and no prefix stands before it"


@pytest.mark.parametrize("login", postgres.BOUNDED)
def test_no_login_fills_the_disk_there_either(tmp_path: Path, login: str) -> None:
    """Its operator adopts a login that is there, and sets no bound of its own kind."""
    told, script = postgres.declared()["server"], postgres.script(Logins(tmp_path))
    bounds = [each for each in told if each.startswith(f'alter role "{login}"')]
    assert [each.split()[4] for each in bounds] == ["temp_file_limit", "log_min_messages", "log_min_error_statement"]
    for bound in bounds:
        assert told.index(f'create role "{login}"') < told.index(bound)
        assert bound in script
        assert bound in postgres.bounds()


def test_what_everybody_could_fill_the_disk_with_is_taken_away_there_too(tmp_path: Path) -> None:
    said = postgres.declared()["inside"]
    granted = said.index('grant usage on language plpgsql to "croupier"')
    assert granted < said.index("revoke usage on language plpgsql from public")
    _, inside = postgres.script(Logins(tmp_path)).split("\\connect croupier\n")
    assert all(f"{each};" in inside for each in said)


def test_logins_of_the_database_are_those_of_the_local_stack(rendered: Objects) -> None:
    spec = rendered["Cluster", "croupier-db"]["spec"]
    roles = {role["name"]: role for role in spec["managed"]["roles"]}
    assert roles.keys() == {"croupier", "wallet", "audit", "inspector", "archivist"}
    assert not [role for role in roles.values() if role.get("superuser")]
    assert roles["wallet"]["passwordSecret"] == {"name": "croupier-login-wallet"}
    assert spec["bootstrap"]["initdb"]["owner"] == "croupier"
    assert spec["postgresql"]["parameters"]["max_notify_queue_pages"] == "1024"
    assert ("ScheduledBackup", "croupier-db") in rendered


def test_no_user_leaves_the_broker_with_its_name(rendered: Objects) -> None:
    """Kafka 4.3.1 may forget all users where one is deleted; a topic that leaves takes a journal along."""
    kept = [each["metadata"] for (kind, _), each in rendered.items() if kind in ("KafkaUser", "KafkaTopic")]
    assert all(each["annotations"] == {"helm.sh/resource-policy": "keep"} for each in kept)
    assert "platform-acme" in {each["name"] for each in kept}


def test_ceilings_are_values(rendered: Objects) -> None:
    more = ('kafka.config={"group.max.size":"64"}', 'postgres.parameters={"max_connections":"500"}')
    lifted = rendered_chart(CHART, "ops", *more, "postgres.connections.wallet=200")
    usual, raised = (each["Kafka", "croupier"]["spec"]["kafka"]["config"] for each in (rendered, lifted))
    assert {name: raised[name] for name in raised if raised[name] != usual[name]} == {
        "group.max.size": "64", "default.replication.factor": 3, "min.insync.replicas": 2,
        "offsets.topic.replication.factor": 3, "transaction.state.log.replication.factor": 3,
        "transaction.state.log.min.isr": 2,
    }  # fmt: skip
    spec = lifted["Cluster", "croupier-db"]["spec"]
    assert spec["postgresql"]["parameters"]["max_connections"] == "500"
    assert spec["postgresql"]["parameters"]["max_notify_queue_pages"] == "1024"
    limits = {role["name"]: role.get("connectionLimit") for role in spec["managed"]["roles"]}
    assert limits == {"croupier": None, "wallet": 200, "audit": 70, "inspector": 10, "archivist": 2}
