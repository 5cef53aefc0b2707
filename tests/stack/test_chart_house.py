"""The values that a house with players' money begins with, and what the chart refuses to install without."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from services.cli.compose import FILES, OF_BROKER
from tests.testkit.charts import Objects, rendered_chart

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
CHART, HOUSE = DEPLOY / "chart", DEPLOY / "values-house.yaml"
IMAGE = (f"image.digest=sha256:{'0' * 64}", f"image.manifestSha256={'1' * 64}")
WATCHED = (
    "monitoring.enabled=true",
    "monitoring.runbooks=https://docs.example/alerts",
    "metricsPeers[0].podSelector.matchLabels.app=prometheus",
)
ON_FLOORS = 'gateway.floors={"a":{"partitions":"0-31","address":"https://a.example"}}'
THROUGH_INGRESS = ("gateway.ingress.enabled=true", "gateway.trustedProxies={10.244.0.0/16}")


@pytest.fixture(scope="module")
def rendered() -> Objects:
    return rendered_chart(CHART, "casa", *IMAGE, file=HOUSE)


def containers(each: dict[str, Any]) -> list[dict[str, Any]]:
    spec = each["spec"].get("jobTemplate", each)["spec"]
    found: list[dict[str, Any]] = spec.get("template", {}).get("spec", spec).get("containers", [])
    return found


def told(container: dict[str, Any]) -> dict[str, str | None]:
    return {each["name"]: each.get("value") for each in container.get("env", ())}


def volumes(each: dict[str, Any]) -> list[dict[str, Any]]:
    spec = each["spec"].get("jobTemplate", each)["spec"]
    found: list[dict[str, Any]] = spec.get("template", {}).get("spec", spec).get("volumes", [])
    return found


def test_a_real_house_is_backed_up_watched_and_knows_its_players_apart(rendered: Objects) -> None:
    for kind, name in (
        ("CronJob", "casa-backup"), ("CronJob", "casa-restore-drill"), ("CronJob", "casa-archive"),
        ("PodMonitor", "casa"), ("PrometheusRule", "casa"), ("Ingress", "casa"),
    ):  # fmt: skip
        assert (kind, name) in rendered
    (gateway,) = containers(rendered["Deployment", "casa-gateway"])
    assert told(gateway)["CROUPIER_TRUSTED_PROXIES"] == '["10.244.0.0/16"]'
    (players,) = [
        each
        for each in rendered["NetworkPolicy", "casa-gateway"]["spec"]["ingress"]
        if each["ports"][0]["port"] == 8080
    ]
    assert players["from"], "and none but the ingress can say whose address it is"
    links = {rule["annotations"]["runbook_url"] for group in rendered["PrometheusRule", "casa"]["spec"]["groups"]
             for rule in group["rules"] if "alert" in rule}  # fmt: skip
    assert all(link.startswith("https://") for link in links)


def test_every_volume_of_it_is_one_that_lasts_and_is_there(rendered: Objects) -> None:
    there = {each["metadata"]["name"] for each in yaml.safe_load_all((DEPLOY / "volumes-house.yaml").read_text())}
    named = {
        volume["persistentVolumeClaim"]["claimName"]
        for each in rendered.values() if "spec" in each for volume in volumes(each) if "persistentVolumeClaim" in volume
    }  # fmt: skip
    assert named == there == {"checkpoints", "backup", "archive"}


def test_verify_goes_where_the_auditor_holds_the_checkpoints(rendered: Objects) -> None:
    """A volume of one node alone is mounted by both only there."""
    pod = rendered["CronJob", "casa-verify"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (near,) = pod["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    labels = rendered["Deployment", "casa-audit"]["spec"]["template"]["metadata"]["labels"]
    assert near["podAffinityTerm"]["labelSelector"]["matchLabels"].items() <= labels.items()
    assert near["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"


def test_whoever_is_told_of_a_certificate_has_it_in_its_secret(rendered: Objects) -> None:
    """`croupier compose --kafka-ca` puts it there."""
    behind = rendered_chart(CHART, "casa", *IMAGE, "door.brokers={kafka-0:9094}", file=HOUSE)
    asked = set()
    for (kind, name), each in behind.items():
        if kind in ("Deployment", "StatefulSet", "Job", "CronJob", "Pod"):
            (container,) = containers(each)
            (held,) = [volume for volume in volumes(each) if volume["name"] == "files"]
            if "projected" in held:
                continue  # of a pod to type in: the Secrets of others
            files = held["secret"]["secretName"]
            if told(container).get("CROUPIER_KAFKA_CA_FILE"):
                asked.add(files.removeprefix("croupier-"))
            else:
                assert name in ("casa-migrate", "casa-archive", "casa-bots", "casa-restore-drill")
    assert asked == {*OF_BROKER} - {"restore"}, "whose drill has a broker of its own"
    for processes in TYPED.values():
        assert {*processes} & {*OF_BROKER}


def test_its_servers_are_backed_up_too() -> None:
    servers = rendered_chart(DEPLOY / "operators", "servers", file=DEPLOY / "values-servers.yaml")
    assert servers["ScheduledBackup", "croupier-db"]["spec"]["schedule"] == "0 0 3 * * *"
    assert servers["Cluster", "croupier-db"]["spec"]["backup"]["retentionPolicy"] == "30d"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (THROUGH_INGRESS[:1], "gateway.trustedProxies"),
        ((*THROUGH_INGRESS[:1], ON_FLOORS), "gateway.trustedProxies"),
        (WATCHED[:1], "monitoring.runbooks"),
        (WATCHED[:2], "metricsPeers"),
        ((*WATCHED[:1], "monitoring.runbooks=docs/alerts.md"), "monitoring.runbooks|/monitoring/runbooks"),
    ],
)  # fmt: skip
def test_what_would_only_hurt_later_is_refused_at_once(values: tuple[str, ...], why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        rendered_chart(CHART, "casa", *values)


def test_what_is_complete_is_not_refused() -> None:
    rendered_chart(CHART, "casa", *THROUGH_INGRESS, *WATCHED)
    rendered_chart(CHART, "casa", *WATCHED[:2], "networkPolicies=false")
    kube = DEPLOY.parent / "tests" / "kube" / "values.yaml"
    rendered_chart(CHART, "casa", file=kube)


OLD = {"digest": f"sha256:{'2' * 64}", "manifestSha256": "3" * 64}


def test_versions_follow_each_other_in_an_order() -> None:
    """First the jobs and nobody else, then one service after the other: `croupier upgrade --check` says which."""
    services = {"table": "StatefulSet", "wallet": "StatefulSet", "tournament": "StatefulSet"}
    services |= {"audit": "Deployment", "gateway": "Deployment"}
    for replaced in ([], ["audit"], list(services)):
        kept = [f"{service}.image.{name}={value}" for service in services if service not in replaced
                for name, value in OLD.items()]  # fmt: skip
        rendered = rendered_chart(CHART, "casa", *IMAGE, *kept, ON_FLOORS)
        runs = {
            name.removeprefix("casa-"): (container["image"], told(container).get("CROUPIER_MANIFEST_SHA256"))
            for (kind, name), each in rendered.items()
            if kind in ("Deployment", "StatefulSet", "Job", "CronJob")
            for container in containers(each)
        }
        before = {f"localhost/croupier@{OLD['digest']}", OLD["manifestSha256"]}
        assert {name for name, its in runs.items() if {*its} == before} == {
            *(service for service in services if service not in replaced),
            *(("gateway-a",) if "gateway" not in replaced else ()),
        }
        assert runs["topics"] == (f"localhost/croupier@sha256:{'0' * 64}", "1" * 64)
    with pytest.raises(AssertionError, match="no manifestSha256"):
        rendered_chart(CHART, "casa", *IMAGE, f"table.image.digest={OLD['digest']}")


def test_an_image_of_its_own_is_taken_back_by_empty_values() -> None:
    """As docs/sre.md types it, for what was given before stays given."""
    kept = [f"table.image.{name}={value}" for name, value in OLD.items()]
    empty = [f"table.image.{name}=" for name in OLD]
    assert rendered_chart(CHART, "casa", *IMAGE, *kept, *empty) == rendered_chart(CHART, "casa", *IMAGE)


def test_a_house_may_stand_still_as_a_whole() -> None:
    still = [f"{service}.replicas=0" for service in ("table", "wallet", "tournament", "audit", "gateway")]
    rendered = rendered_chart(CHART, "casa", *still)
    assert ("Deployment", "casa-gateway") not in rendered
    sets = [each for (kind, _), each in rendered.items() if kind in ("StatefulSet", "Deployment")]
    assert {each["spec"]["replicas"] for each in sets} == {0}


@pytest.mark.parametrize("service", ["table", "wallet", "tournament", "audit"])
def test_a_service_may_stand_still_while_versions_change(service: str) -> None:
    scaled = ("keda.enabled=true", "keda.prometheus=http://prometheus:9090", "keda.table.most=8", "keda.audit.most=4")
    rendered = rendered_chart(CHART, "casa", f"{service}.replicas=0", *scaled)
    kind = "Deployment" if service == "audit" else "StatefulSet"
    assert rendered[kind, f"casa-{service}"]["spec"]["replicas"] == 0
    assert ("ScaledObject", f"casa-{service}") not in rendered, "which would start it again"
    assert ("ScaledObject", "casa-gateway") in rendered


HOSTS = '["casino.example"]'
TYPED = {"tools": {"topics", "migrate"}, "inspector": {"backup"}}


@pytest.mark.parametrize("name", TYPED)
def test_a_pod_to_type_in_has_the_secrets_of_its_work_and_reaches_its_servers_alone(name: str) -> None:
    assert not [key for key in rendered_chart(CHART, "casa") if key[1] == f"casa-{name}"]
    rendered = rendered_chart(CHART, "casa", f"{name}.enabled=true", "kafka.tls=true")
    each = rendered["StatefulSet", f"casa-{name}"]
    pod = each["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    (container,) = containers(each)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    (files,) = [volume["projected"]["sources"] for volume in pod["volumes"] if volume["name"] == "files"]
    assert {source["secret"]["name"] for source in files} == {f"croupier-{process}" for process in TYPED[name]}
    mounted = {Path(file).name for process in TYPED[name] for file in FILES[process]}
    env = told(container)
    known = {Path(value).name for value in env.values() if value and value.startswith("/run/croupier/")}
    user = "croupier" if name == "tools" else "inspector"
    assert known - {"ca.pem"} <= mounted
    assert {f"{user}.pgpass", f"{env['CROUPIER_KAFKA_USER']}.kafka"} <= mounted
    assert urlsplit(env["DATABASE_URL"] or "").username == user
    policy = rendered["NetworkPolicy", f"casa-{name}"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= each["spec"]["template"]["metadata"]["labels"].items()
    assert policy["ingress"] == []
    assert [port["port"] for rule in policy["egress"] for port in rule["ports"]] == [53, 53, 9092, 5432]


def test_the_inspectors_pod_opens_cards_only_where_that_was_said() -> None:
    assert not [file for file in FILES["backup"] if "kek" in file or "checkpoint" in file]
    rendered = rendered_chart(CHART, "casa", "inspector.enabled=true", "inspector.decks=true")
    each = rendered["StatefulSet", "casa-inspector"]
    (files,) = [volume["projected"]["sources"] for volume in volumes(each) if volume["name"] == "files"]
    assert [source["secret"]["name"] for source in files] == ["croupier-inspector"]
    env = told(containers(each)[0])
    named = {Path(env[variable] or "").name for variable in ("CROUPIER_KEK_FILE", "CROUPIER_CHECKPOINT_KEY_FILE")}
    assert named <= {Path(file).name for file in FILES["inspector"]}


def test_what_is_set_for_gateways_is_set_for_them_alone() -> None:
    """Asked for by another name, wallet and audit would refuse the gateway that has the public one's setting."""
    own = f"gateway.settings={json.dumps({'CROUPIER_HOSTS': HOSTS, 'CROUPIER_LOG_LEVEL': 'DEBUG'})}"
    rendered = rendered_chart(CHART, "casa", own, "settings.CROUPIER_LOG_LEVEL=ERROR", ON_FLOORS)
    for kind, name in [key for key in rendered if key[0] in ("Deployment", "StatefulSet")]:
        (container,) = containers(rendered[kind, name])
        names = [each["name"] for each in container["env"]]
        assert len(names) == len({*names}), name
        is_gateway = name.startswith("casa-gateway")
        assert told(container).get("CROUPIER_HOSTS") == (HOSTS if is_gateway else None)
        assert told(container)["CROUPIER_LOG_LEVEL"] == ("DEBUG" if is_gateway else "ERROR")


def test_a_provider_and_a_collector_elsewhere_are_reached() -> None:
    rendered = rendered_chart(
        CHART, "casa", "oidc.issuer=https://login.example:8443/realms/house", "oidc.ports={9443}",
        "otlp.endpoint=http://collector:4318", "otlp.peers[0].namespaceSelector.matchLabels.name=watch",
        "door.brokers={kafka:9094}",
    )  # fmt: skip
    for name in ("table", "wallet", "tournament", "audit", "gateway", "door"):
        egress = rendered["NetworkPolicy", f"casa-{name}"]["spec"]["egress"]
        assert egress[-1] == {
            "ports": [{"port": 4318}],
            "to": [{"namespaceSelector": {"matchLabels": {"name": "watch"}}}],
        }
        asks = {"ports": [{"port": 8443}, {"port": 9443}], "to": []} in egress
        assert asks is (name in ("wallet", "audit", "gateway")), name
        kind = "StatefulSet" if name in ("table", "wallet", "tournament") else "Deployment"
        env = told(containers(rendered[kind, f"casa-{name}"])[0])
        assert env["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://collector:4318"
    usual = rendered_chart(CHART, "casa", "oidc.issuer=https://login.example")
    (issuer,) = usual["NetworkPolicy", "casa-wallet"]["spec"]["egress"][3:]
    assert issuer["ports"] == [{"port": 443}]


def test_a_long_migration_may_be_given_longer() -> None:
    for values, seconds in (((), 600), (("hooks.deadlineSeconds=7200",), 7200)):
        rendered = rendered_chart(CHART, "casa", *values)
        for job in ("casa-topics", "casa-migrate"):
            assert rendered["Job", job]["spec"]["activeDeadlineSeconds"] == seconds
