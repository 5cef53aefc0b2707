"""The charts: what values may be is said in words and is what templates read; pods get the files that services name."""

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml
from pydantic_settings import BaseSettings
from typer.testing import CliRunner

from libs.journal.seal_keys import SEALED
from libs.stack.postgres import ARCHIVIST
from services.cli.__main__ import app
from services.cli.archive.command import months_in
from services.cli.compose import FILES
from services.cli.house import SETTINGS
from services.cli.watching.alerts import rules, rules_of_cluster
from services.cli.watching.dashboard import dashboard
from services.gateway.app.floors import addresses_in, partitions_in
from services.gateway.ws.sockets import MOVES_S
from tests.testkit.charts import Objects, rendered_chart, undescribed

PROJECT = Path(__file__).resolve().parents[2]
CHART = PROJECT / "deploy" / "chart"
SERVICES = ("table", "wallet", "tournament", "audit", "gateway")
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
TEMPLATES = "".join(file.read_text() for file in (CHART / "templates").rglob("*.*"))


def test_the_values_are_as_the_schema_has_them_and_each_is_explained() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(VALUES, SCHEMA)
    assert undescribed(SCHEMA) == []
    assert VALUES.keys() == SCHEMA["properties"].keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"table": {**VALUES["table"], "replicas": -1}},
        {"table": {**VALUES["table"], "image": {"name": "another"}}},
        {"image": {**VALUES["image"], "digest": "latest"}},
        {"kafka": {**VALUES["kafka"], "servers": "kafka"}},
        {"postgres": {"address": "postgresql://croupier:secret@db:5432/croupier"}},
        {"settings": {"PGPASSWORD": "secret"}},
        {"replicas": 3},
    ],
)
def test_a_wrong_value_is_refused_before_anything_is_installed(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VALUES, **wrong}, SCHEMA)


def test_templates_read_every_value_and_none_that_is_not_there() -> None:
    read = set(re.findall(r"\.Values\.([A-Za-z0-9.]+)", TEMPLATES))
    assert {each.split(".")[0] for each in read} | set(SERVICES) == VALUES.keys()
    for path in read:
        value = VALUES
        for name in path.split("."):
            assert name in value, path
            value = value[name]


def test_each_process_has_the_files_that_its_settings_name_as_in_compose() -> None:
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())["services"]
    for service in SERVICES:
        folders = {f"{service}.json", *(["kek.hex"] if service == "table" else [])}
        folders |= {f"{service}-seal.json"} if service in SEALED else set()
        folders |= {"operators.json"} if service in ("wallet", "audit", "gateway") else set()
        mounted = {*compose[service]["secrets"], *folders}
        assert {Path(file).name for file in FILES[service]} == mounted, service
    for job, beside in (("topics", {"house.json"}), ("migrate", set())):
        assert {Path(file).name for file in FILES[job]} == set(compose[job]["secrets"]) | beside, job
    everything = {file for files in FILES.values() for file in files}
    assert not [file for file in everything if "mark_root" in file or "provider" in file]


def test_one_command_makes_every_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    made = [CliRunner().invoke(app, ["compose", "--kubernetes", "--name", "casa"]) for _ in range(2)]
    assert made[0].output == made[1].output
    secrets = {each["metadata"]["name"]: each["data"] for each in json.loads(made[0].stdout)["items"]}
    logins = {f"casa-login-{user}" for user in ("croupier", "wallet", "audit", "inspector", "archivist")}
    assert secrets.keys() == {f"casa-{process}" for process in FILES} | logins
    kek = (tmp_path / "compose" / "keys" / "kek" / "kek.hex").read_bytes().strip()
    assert base64.b64decode(secrets["casa-table"]["kek.hex"]) == kek
    assert "kek.hex" not in {**secrets["casa-gateway"], **secrets["casa-audit"], **secrets["casa-wallet"]}


def test_a_secret_holds_the_password_and_nothing_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strimzi takes every byte for the password's."""
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    told = CliRunner().invoke(app, ["compose", "--kubernetes"])
    secrets = {each["metadata"]["name"]: each["data"] for each in json.loads(told.stdout)["items"]}
    assert re.fullmatch(rb"[0-9a-f]{32}", base64.b64decode(secrets["croupier-topics"]["table.kafka"]))
    login = {name: base64.b64decode(text).decode() for name, text in secrets["croupier-login-wallet"].items()}
    passfile = base64.b64decode(secrets["croupier-wallet"]["wallet.pgpass"]).decode()
    assert passfile == f"*:*:*:{login['username']}:{login['password']}"


@pytest.fixture(scope="module")
def rendered() -> Objects:
    return rendered_chart(
        CHART, "casa", "oidc.issuer=https://login.example", "gateway.ingress.enabled=true",
        "gateway.trustedProxies={10.244.0.0/16}", "metricsPeers[0].podSelector.matchLabels.app=prometheus",
        "audit.checkpoints.persistentVolumeClaim.claimName=checkpoints",
        "monitoring.enabled=true", "monitoring.runbooks=https://docs.example/alerts", "monitoring.backupSeconds=7200",
        "archive.volume.persistentVolumeClaim.claimName=archive",
        "backup.volume.persistentVolumeClaim.claimName=backup", "backup.drill.servers=croupier-servers",
        "keda.enabled=true", "keda.prometheus=http://prometheus:9090",
        "door.brokers={kafka:9094}",
        f"image.digest=sha256:{'0' * 64}", f"image.manifestSha256={'1' * 64}",
    )  # fmt: skip


def _pods(rendered: Objects) -> dict[str, dict[str, Any]]:
    pods = {f"{kind}/{name}": each["spec"] for (kind, name), each in rendered.items() if kind == "Pod"}
    for (kind, name), each in rendered.items():
        spec = each["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else each.get("spec", {})
        if "template" in spec:
            pods[f"{kind}/{name}"] = spec["template"]["spec"]
    return pods


def test_no_pod_may_more_than_it_needs(rendered: Objects) -> None:
    pods = _pods(rendered)
    assert len(pods) == 13
    for name, pod in pods.items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = pod["containers"]
        assert container["image"] == f"localhost/croupier@sha256:{'0' * 64}"
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert "cpu" not in container["resources"]["limits"]


@pytest.mark.parametrize("service", SERVICES)
def test_each_pod_finds_all_that_it_needs(rendered: Objects, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decides = service in ("table", "wallet", "tournament")
    pod = _pods(rendered)[f"{'StatefulSet' if decides else 'Deployment'}/casa-{service}"]
    (container,) = pod["containers"]
    known = _variables(SETTINGS[service])
    for each in container["env"]:
        assert each["name"] in known | {"CROUPIER_INSTANCE", "CROUPIER_MANIFEST_SHA256", "TMPDIR"}, each["name"]
        if each["name"] == "TMPDIR":
            continue
        monkeypatch.setenv(each["name"], each.get("value", "casa-0"))
    told = SETTINGS[service]().model_dump()
    assert (told["inner_host"], told["inner_port"]) == ("0.0.0.0", 9080)
    files = {file.name for file in told.values() if isinstance(file, Path) and file.parent == Path("/run/croupier")}
    passfile = {f"{service}.pgpass"} if "database_url" in told else set()
    assert files | passfile == {Path(file).name for file in FILES[service]}
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert ports[container[probe]["httpGet"]["port"]] == 9080
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy"):
        assert (kind, f"casa-{service}") in rendered


@pytest.mark.parametrize("service", SERVICES)
def test_what_grows_with_the_house_has_a_disk_to_lie_on(rendered: Objects, service: str) -> None:
    """Idle streams and a month of hands are put by in a file without a name; /tmp has 16 MiB of memory."""
    pods = [pod for name, pod in _pods(rendered).items() if name.endswith(f"/casa-{service}")]
    (pod,) = pods
    (container,) = pod["containers"]
    told = {each["name"]: each.get("value") for each in container["env"]}
    (mount,) = [each for each in container["volumeMounts"] if each["mountPath"] == told["TMPDIR"]]
    assert {"name": mount["name"], "emptyDir": {}} in pod["volumes"]


def _variables(settings: type[BaseSettings]) -> set[str]:
    fields = settings.model_fields.items()
    return {str(field.validation_alias or f"CROUPIER_{name.upper()}") for name, field in fields}


def test_checkpoints_lie_on_the_volume_that_was_given_and_verify_reads_them(
    rendered: Objects,
) -> None:
    pods = _pods(rendered)
    for name in ("Deployment/casa-audit", "CronJob/casa-verify"):
        volumes = {each["name"]: each for each in pods[name]["volumes"]}
        claim = {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints"}}
        assert volumes["checkpoints"] == claim, "one kind of volume, never merged with another"
        told = {each["name"]: each.get("value") for each in pods[name]["containers"][0]["env"]}
        assert told["CROUPIER_CHECKPOINT_FILE"] == "/var/lib/checkpoints/checkpoints.jsonl"


def test_the_drill_of_a_restore_reaches_no_server_of_the_house(
    rendered: Objects,
) -> None:
    policy = rendered["NetworkPolicy", "casa-restore-drill"]["spec"]
    assert (policy["ingress"], policy["egress"]) == ([], [])
    pod = _pods(rendered)["CronJob/casa-restore-drill"]
    assert pod["hostAliases"] == [{"ip": "127.0.0.1", "hostnames": ["kafka", "postgres"]}]
    assert [each["name"] for each in pod["initContainers"]] == ["kafka", "postgres"]
    (restore,) = pod["containers"]
    told = {each["name"]: each["value"] for each in restore["env"]}
    assert told["CROUPIER_PARTITIONS"] == str(VALUES["kafka"]["partitions"])
    for process, name in (("backup", "casa-backup"), ("restore", "casa-restore-drill")):
        own = _pods(rendered)[f"CronJob/{name}"]
        env = [each["value"] for each in own["containers"][0]["env"]]
        needed = {Path(text).name for text in env if text.startswith("/run/croupier/")}
        assert needed <= {Path(file).name for file in FILES[process]}, process
    assert not [file for file in FILES["backup"] if "kek" in file or "admin" in file]
    assert [Path(file).name for file in FILES["restore"] if file.endswith(".kafka")] == ["admin.kafka"]
    (words,) = [each for each in restore["args"] if "croupier topics" in each]
    assert "--passwords" not in words, "the drill's broker has no other user, and needs no password of the house"


def test_the_archive_has_a_login_of_its_own_and_reaches_the_database_alone(rendered: Objects) -> None:
    job = rendered["CronJob", "casa-archive"]["spec"]
    assert job["schedule"] == VALUES["archive"]["schedule"]
    assert job["concurrencyPolicy"] == "Forbid"
    pod = _pods(rendered)["CronJob/casa-archive"]
    (put,) = pod["containers"]
    told = {each["name"]: each["value"] for each in put["env"]}
    assert told.keys() == {"DATABASE_URL", "CROUPIER_HOME", "CROUPIER_MARKS_FILE"}, "and no login at the broker"
    assert urlsplit(told["DATABASE_URL"]).username == ARCHIVIST
    assert {Path(file).name for file in FILES["archive"]} == {
        "archivist.pgpass",
        Path(told["CROUPIER_MARKS_FILE"]).name,
    }
    assert not [file for file in FILES["archive"] if "kek" in file or "kafka" in file or "croupier.pgpass" in file]
    assert Path(told["CROUPIER_MARKS_FILE"]).name == f"{ARCHIVIST}.json", "and no key of a mark at the broker"
    assert {"name": "archive", "persistentVolumeClaim": {"claimName": "archive"}} in pod["volumes"]
    *_, to, _, age = put["args"]
    (mount,) = [each["mountPath"] for each in put["volumeMounts"] if each["name"] == "archive"]
    assert Path(to).parent == Path(mount)
    assert months_in(age) == 24
    once = rendered_chart(
        CHART, "casa", "archive.volume.persistentVolumeClaim.claimName=a", f"archive.digest={'a' * 64}"
    )
    assert _pods(once)["CronJob/casa-archive"]["containers"][0]["args"][-2:] == ["--digest", "a" * 64]
    labels = job["jobTemplate"]["spec"]["template"]["metadata"]["labels"]
    policy = rendered["NetworkPolicy", "casa-archive"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    ports = [port["port"] for rule in policy["egress"] for port in rule["ports"]]
    assert (policy["ingress"], ports) == ([], [53, 53, 5432])


def test_keda_owns_the_number_of_pods_that_it_scales(rendered: Objects) -> None:
    scaled = {name for kind, name in rendered if kind == "ScaledObject"}
    assert scaled == {"casa-gateway"}
    assert "replicas" not in rendered["Deployment", "casa-gateway"]["spec"]
    assert rendered["Deployment", "casa-audit"]["spec"]["replicas"] == VALUES["audit"]["replicas"]
    assert rendered["ScaledObject", "casa-gateway"]["spec"]["minReplicaCount"] == VALUES["gateway"]["replicas"]


FLOORS: dict[str, dict[str, Any]] = {
    "a": {"partitions": "0-15", "address": "https://floor-a.casino.example"},
    "b": {"partitions": "16-30", "serves": "16-31", "address": "http://floor-b:8443", "replicas": 3, "tlsSecret": "b"},
    "c": {"partitions": "31", "address": "https://floor-c.casino.example"},
}


@pytest.fixture(scope="module")
def with_floors() -> Objects:
    return rendered_chart(
        CHART, "casa", "gateway.ingress.enabled=true", "gateway.ingress.host=casino.example",
        "gateway.trustedProxies={10.244.0.0/16}", "gateway.ingress.tlsSecret=all",
        "monitoring.enabled=true", "monitoring.runbooks=https://docs.example/alerts",
        "metricsPeers[0].podSelector.matchLabels.app=prometheus", "keda.enabled=true",
        f"gateway.floors={json.dumps(FLOORS)}",
    )  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"Floor": FLOORS["a"]},
        {"a": {"partitions": "0-15"}},
        {"a": {**FLOORS["a"], "partitions": "0-"}},
        {"a": {**FLOORS["a"], "address": "https://casino.example/a"}},
        {"a": {**FLOORS["a"], "replicas": 0}},
        {"a": {**FLOORS["a"], "peers": []}},
    ],
)
def test_a_wrong_floor_is_refused(wrong: dict[str, Any]) -> None:
    jsonschema.validate({**VALUES, "gateway": {**VALUES["gateway"], "floors": FLOORS}}, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VALUES, "gateway": {**VALUES["gateway"], "floors": wrong}}, SCHEMA)


def test_each_floor_has_gateways_behind_an_address_of_its_own(with_floors: Objects) -> None:
    """Whoever is sent to an address finds only gateways that serve the table: so a table's WebSocket stays there."""
    file = with_floors["ConfigMap", "casa-floors"]["data"]["floors.json"].encode()
    addresses = addresses_in(file)
    assert addresses.keys() == set(range(VALUES["kafka"]["partitions"]))
    for name, floor in FLOORS.items():
        deployment = with_floors["Deployment", f"casa-gateway-{name}"]["spec"]
        (container,) = deployment["template"]["spec"]["containers"]
        told = {each["name"]: each.get("value") for each in container["env"]}
        (mount,) = [each for each in container["volumeMounts"] if each["name"] == "floors"]
        assert Path(told["CROUPIER_FLOORS_FILE"] or "").parent == Path(mount["mountPath"])
        assert "subPath" not in mount, "the file is renewed where it changes"
        own = partitions_in(told["CROUPIER_FLOOR"] or "")
        assert own >= {number for number, address in addresses.items() if address == floor["address"]}
        assert container["args"] == ["python3", "-m", "services.gateway"]
        (rule,) = with_floors["Ingress", f"casa-{name}"]["spec"]["rules"]
        assert rule["host"] == urlsplit(str(floor["address"])).hostname
        behind = rule["http"]["paths"][0]["backend"]["service"]["name"]
        assert with_floors["Service", behind]["spec"]["selector"] == deployment["selector"]["matchLabels"]
        assert with_floors["Ingress", f"casa-{name}"]["spec"]["tls"][0]["secretName"] == floor.get("tlsSecret", "all")
    assert with_floors["Ingress", "casa"]["spec"]["rules"][0]["host"] == "casino.example"


def test_a_floor_is_kept_scaled_and_watched_by_itself(with_floors: Objects) -> None:
    everywhere = {"gateway", *(f"gateway-{name}" for name in FLOORS)}
    deployments = {name: with_floors["Deployment", f"casa-{name}"]["spec"] for name in everywhere}
    for name, spec in deployments.items():
        labels = spec["template"]["metadata"]["labels"]
        for kind in ("Deployment", "PodDisruptionBudget"):
            chosen = [each for each in everywhere if spec_of(with_floors, kind, each).items() <= labels.items()]
            assert chosen == [name], "no pod is counted twice"
        scaled = with_floors["ScaledObject", f"casa-{name}"]["spec"]
        assert scaled["scaleTargetRef"]["name"] == f"casa-{name}"
        floor = name.removeprefix("gateway").removeprefix("-")
        assert f'floor="{floor}"' in scaled["triggers"][0]["metadata"]["query"]
        assert scaled["minReplicaCount"] == FLOORS.get(floor, {}).get("replicas", 2)
        assert "replicas" not in spec
    for name, direction in (("gateway", "ingress"), ("wallet", "ingress"), ("audit", "ingress"), ("bots", "egress")):
        policy = with_floors["NetworkPolicy", f"casa-{name}"]["spec"]
        peer = {"podSelector": policy["podSelector"]} if name == "gateway" else None
        told = json.dumps(peer or policy[direction])
        assert all(json.dumps(each) in told for each in everywhere), "each of them may, and may be reached"
    (watched,) = with_floors["PodMonitor", "casa"]["spec"]["selector"]["matchExpressions"]
    assert everywhere <= set(watched["values"])
    relabelled = with_floors["PodMonitor", "casa"]["spec"]["podMetricsEndpoints"][0]["relabelings"]
    for each in relabelled[-2:]:
        (named,) = re.fullmatch(each["regex"], "gateway-a").groups() or ("a",)  # type: ignore[union-attr]
        assert each.get("replacement", named) == {"floor": "a", "component": "gateway"}[each["targetLabel"]]
        assert not re.fullmatch(each["regex"], "gateway"), "alerts know one component"


def spec_of(rendered: Objects, kind: str, name: str) -> dict[str, str]:
    labels: dict[str, str] = rendered[kind, f"casa-{name}"]["spec"]["selector"]["matchLabels"]
    return labels


def test_floors_alone_may_be_the_house(with_floors: Objects) -> None:
    one = f"gateway.floors={json.dumps({'a': FLOORS['a']})}"
    ingress = ("gateway.ingress.enabled=true", "gateway.trustedProxies={10.244.0.0/16}")
    rendered = rendered_chart(CHART, "casa", "gateway.replicas=0", *ingress, one)
    assert {name for kind, name in rendered if kind == "Ingress"} == {"casa-a"}
    assert ("Deployment", "casa-gateway") not in rendered
    assert "http://casa-gateway-a:8080" in rendered["Pod", "casa-bots"]["spec"]["containers"][0]["args"]
    with pytest.raises(AssertionError, match="nobody would come in"):
        rendered_chart(CHART, "casa", "gateway.replicas=0")


def test_without_floors_nobody_hears_of_them(rendered: Objects) -> None:
    assert "floor" not in json.dumps(
        [each for key, each in rendered.items() if key[0] not in ("ConfigMap", "PrometheusRule")]
    )


def test_a_gateway_serves_on_until_nobody_is_sent_to_it(with_floors: Objects) -> None:
    """Whom it moved would be sent back to it by an ingress that has not heard yet."""
    for name in ("gateway", *(f"gateway-{name}" for name in FLOORS)):
        pod = with_floors["Deployment", f"casa-{name}"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        serves_on_s = int(container["lifecycle"]["preStop"]["exec"]["command"][-1])
        assert 0 < serves_on_s < pod["terminationGracePeriodSeconds"] - MOVES_S, "and then has time to move them"
    wallet = with_floors["StatefulSet", "casa-wallet"]["spec"]["template"]["spec"]["containers"][0]
    assert "lifecycle" not in wallet, "nobody is sent to it by an ingress"


def test_only_the_gateway_is_for_everybody(rendered: Objects) -> None:
    policies = {name: each["spec"] for (kind, name), each in rendered.items() if kind == "NetworkPolicy"}
    opened = {name for name, spec in policies.items() for rule in spec["ingress"] if not rule.get("from")}
    assert opened == {"casa-gateway", "casa-door"}, "players and platforms"
    assert all(spec["policyTypes"] == ["Ingress", "Egress"] for spec in policies.values())


def test_the_rules_that_ship_are_those_of_the_code(rendered: Objects) -> None:
    assert rendered["PrometheusRule", "casa"]["spec"] == rules(runbooks="https://docs.example/alerts")
    of_cluster = json.dumps(rules_of_cluster(runbooks="https://docs.example/alerts"))
    of_cluster = of_cluster.replace('croupier\\"', 'default\\"').replace('> 3600"', '> 7200"')
    assert rendered["PrometheusRule", "casa-cluster"]["spec"] == json.loads(of_cluster)
    assert json.loads(rendered["ConfigMap", "casa-dashboard"]["data"]["croupier.json"]) == dashboard()
