"""The chart's door for operators' platforms: reached from outside, and alone with the broker's listener for them."""

import json
from pathlib import Path

import pytest
import yaml

from libs.door.door import Doorway
from libs.door.frames import LOGIN_S
from libs.door.settings import DoorSettings
from libs.stack.kafka import PLATFORM_CONNECTIONS
from services.cli.compose import FILES
from tests.testkit.charts import Objects, rendered_chart

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
CHART = DEPLOY / "chart"
PEERS = yaml.safe_load((CHART / "values.yaml").read_text())["kafka"]["peers"]


@pytest.fixture(scope="module")
def rendered() -> Objects:
    return rendered_chart(
        CHART, "casa", "door.brokers={kafka-0:9094,kafka-1:9095}", "kafka.tls=true",
        "monitoring.enabled=true", "monitoring.runbooks=https://docs.example/alerts",
        "metricsPeers[0].podSelector.matchLabels.app=prometheus",
        f"image.manifestSha256={'1' * 64}",
        "backup.volume.persistentVolumeClaim.claimName=backup",
        "archive.volume.persistentVolumeClaim.claimName=archive",
    )  # fmt: skip


def test_platforms_find_a_door_that_reaches_the_brokers_listener_for_them_alone(
    rendered: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod = rendered["Deployment", "casa-door"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    known = {
        str(field.validation_alias or f"CROUPIER_{name}").upper() for name, field in DoorSettings.model_fields.items()
    }
    for each in container["env"]:
        assert each["name"] in known | {"CROUPIER_MANIFEST_SHA256"}
        monkeypatch.setenv(each["name"], each["value"])
    told = DoorSettings()
    assert told.doorways() == [Doorway("0.0.0.0", 9100, "kafka-0:9094"), Doorway("0.0.0.0", 9101, "kafka-1:9095")]
    assert told.door_connections == PLATFORM_CONNECTIONS
    assert told.door_address_connections < told.door_connections, "one address does not keep the others out"
    assert told.door_login_connections < told.door_connections, "nor does one platform"
    assert told.door_certificate_file is not None
    (mount,) = container["volumeMounts"]
    assert {told.door_certificate_file.parent, told.kafka_ca_file and told.kafka_ca_file.parent} == {
        Path(mount["mountPath"])
    }
    (volume,) = pod["volumes"]
    assert volume["secret"]["secretName"] == "croupier-door"
    assert {Path(file).name for file in FILES["door"]} == {told.door_certificate_file.name}, "no login, no mark, no key"
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert ports == {"inner": told.inner_port, "broker-0": 9100, "broker-1": 9101}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] == "inner"
    labels = rendered["Deployment", "casa-door"]["spec"]["template"]["metadata"]["labels"]
    serves_on_s = int(container["lifecycle"]["preStop"]["exec"]["command"][-1])
    assert 0 < serves_on_s < pod["terminationGracePeriodSeconds"] - LOGIN_S, "and then has time to end"
    service = rendered["Service", "casa-door"]["spec"]
    assert [(each["port"], ports[each["targetPort"]]) for each in service["ports"]] == [(9100, 9100), (9101, 9101)]
    assert service["externalTrafficPolicy"] == "Local", "a client's own address is counted"
    for chosen in (
        service["selector"],
        rendered["PodDisruptionBudget", "casa-door"]["spec"]["selector"]["matchLabels"],
    ):
        assert chosen.items() <= labels.items()
    policy = rendered["NetworkPolicy", "casa-door"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    dns, to_brokers = policy["egress"]
    assert [each["port"] for each in dns["ports"]] == [53, 53]
    assert to_brokers == {"to": PEERS, "ports": [{"port": 9094}, {"port": 9095}]}
    inner, outside = policy["ingress"]
    assert inner == {"from": [{"podSelector": {"matchLabels": {"app": "prometheus"}}}], "ports": [{"port": 9080}]}
    assert [each["port"] for each in outside["ports"]] == [9100, 9101]
    others = [
        each["spec"] for (kind, name), each in rendered.items() if kind == "NetworkPolicy" and name != "casa-door"
    ]
    assert "9094" not in json.dumps(others), "nobody else comes to that listener"
    (watched,) = rendered["PodMonitor", "casa"]["spec"]["selector"]["matchExpressions"]
    assert "door" in watched["values"]


def test_without_platforms_there_is_no_door() -> None:
    rendered = rendered_chart(CHART, "casa", "kafka.tls=true")
    assert not [key for key in rendered if key[1] == "casa-door"]


def test_a_door_without_tls_inside_or_outside_has_no_secret() -> None:
    rendered = rendered_chart(CHART, "casa", "door.brokers={kafka:9094}", "door.tls=false", "door.service=ClusterIP")
    pod = rendered["Deployment", "casa-door"]["spec"]["template"]["spec"]
    assert "volumes" not in pod
    assert not [each for each in pod["containers"][0]["env"] if each["name"].endswith("_FILE")]
    assert "externalTrafficPolicy" not in rendered["Service", "casa-door"]["spec"]


def test_the_trial_broker_is_reached_by_the_house_and_its_listener_for_platforms_by_the_door_alone(
    rendered: Objects,
) -> None:
    servers = rendered_chart(DEPLOY / "servers", "servers", "platformAddress=casa-door.croupier.svc:9100")
    (kafka,) = servers["StatefulSet", "kafka"]["spec"]["template"]["spec"]["containers"]
    assert "PLATFORMS://casa-door.croupier.svc:9100" in kafka["command"][-1]
    ours, theirs = servers["NetworkPolicy", "kafka"]["spec"]["ingress"]
    assert [ours["ports"], theirs["ports"]] == [[{"port": 9092}], [{"port": 9094}]]
    (house,), (door,) = ([each["podSelector"] for each in rule["from"]] for rule in (ours, theirs))
    pods = {
        name: each["spec"].get("jobTemplate", each)["spec"]["template"]["metadata"]["labels"]
        for (kind, name), each in rendered.items()
        if kind in ("Deployment", "StatefulSet", "Job", "CronJob")
    }
    (out,) = house["matchExpressions"]
    assert (out["operator"], out["values"]) == ("NotIn", ["door"])
    assert all(house["matchLabels"].items() <= labels.items() for labels in pods.values())
    assert [name for name, labels in pods.items() if door["matchLabels"].items() <= labels.items()] == ["casa-door"]
    (rule,) = servers["NetworkPolicy", "postgres"]["spec"]["ingress"]
    assert rule["ports"] == [{"port": 5432}]
