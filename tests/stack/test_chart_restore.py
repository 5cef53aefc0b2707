"""The chart with `restore.enabled`: no service, and one Job that fills the servers of the house from its backup."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from libs.broker import BrokerSettings
from libs.contracts.topics import INSPECTOR
from libs.journal.mark_keys import Plan, file_of, hand_out
from libs.stack import Stack, create_house, remove
from services.cli.__main__ import app
from services.cli.compose import FILES
from services.cli.surroundings import NAMES
from tests.audit.played import KEK, played
from tests.audit.test_service import Copied, copy
from tests.conftest import database_for, login_at
from tests.stack.test_chart import CHART, PROJECT, SCHEMA, SERVICES, VALUES
from tests.testkit.charts import Objects, rendered_chart
from tests.testkit.marks import HOUSE, ROOT
from tests.testkit.partitions import PARTITIONS

VOLUMES = ("backup.volume.persistentVolumeClaim.claimName=backup", "backup.drill.servers=croupier-servers")
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def restoring() -> Objects:
    return rendered_chart(
        CHART, "casa", "restore.enabled=true", f"restore.digest={DIGEST}", *VOLUMES,
        "archive.volume.persistentVolumeClaim.claimName=archive", "gateway.ingress.enabled=true",
        "audit.checkpoints.persistentVolumeClaim.claimName=checkpoints", "door.brokers={kafka:9094}",
        "keda.enabled=true", "keda.prometheus=http://prometheus:9090", "kafka.tls=true", "kafka.prefix=b.",
    )  # fmt: skip


@pytest.fixture(scope="module")
def playing() -> Objects:
    return rendered_chart(CHART, "casa", *VOLUMES, "kafka.prefix=b.")


def pod_of(rendered: Objects, kind: str, name: str) -> dict[str, Any]:
    spec = rendered[kind, name]["spec"]
    pod: dict[str, Any] = (spec["jobTemplate"]["spec"] if kind == "CronJob" else spec)["template"]["spec"]
    return pod


def told(container: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["env"]}


def parsed(words: list[str]) -> dict[str, Any]:
    """Options as the command line takes them. Raises where it would not."""
    group = typer.main.get_command(app)
    context = group.make_context("croupier", list(words[1:2]), resilient_parsing=True)
    command = group.get_command(context, words[1])  # type: ignore[attr-defined]
    found: dict[str, Any] = command.make_context(words[1], list(words[2:])).params
    return found


def test_nothing_runs_that_could_write_before_the_backup_is_there(restoring: Objects) -> None:
    kinds = {kind for kind, _ in restoring}
    assert kinds == {"CronJob", "Job", "NetworkPolicy"}
    suspended = {name for (kind, name), each in restoring.items() if kind == "CronJob" and each["spec"]["suspend"]}
    assert suspended == {"casa-backup", "casa-restore-drill", "casa-verify", "casa-archive"}
    jobs = {name: each["metadata"].get("annotations", {}) for (kind, name), each in restoring.items() if kind == "Job"}
    assert jobs.keys() == {"casa-topics", "casa-migrate", "casa-restore"}
    hooks = {name for name, each in jobs.items() if "pre-install" in each.get("helm.sh/hook", "")}
    assert hooks == {"casa-topics", "casa-migrate"}, "topics and schemas are there before the Job"


def test_a_house_that_plays_has_no_such_job(playing: Objects) -> None:
    assert ("Job", "casa-restore") not in playing
    assert ("NetworkPolicy", "casa-restore") not in playing
    assert playing["CronJob", "casa-backup"]["spec"]["suspend"] is False
    assert {name for kind, name in playing if kind == "StatefulSet"} == {f"casa-{each}" for each in SERVICES[:3]}


def test_the_job_has_what_a_restore_needs_and_goes_to_the_houses_own_servers(
    restoring: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod = pod_of(restoring, "Job", "casa-restore")
    (restore,) = pod["containers"]
    assert restoring["Job", "casa-restore"]["spec"]["backoffLimit"] == 0, "a second run finds what the first has left"
    for name, value in told(restore).items():
        monkeypatch.setenv(name, value)
    broker = BrokerSettings().broker
    assert (broker.bootstrap, broker.user) == (VALUES["kafka"]["servers"], "admin")
    files = {Path(value).name for value in told(restore).values() if value.startswith("/run/croupier/")}
    assert files - {"ca.pem"} <= {Path(file).name for file in FILES["restore"]}
    assert "croupier.pgpass" in {Path(file).name for file in FILES["restore"]}
    assert told(restore)["DATABASE_URL"].startswith(f"postgresql://croupier@{VALUES['postgres']['address']}?")
    known = {f"CROUPIER_{name.upper()}_FILE" for name in NAMES}
    known |= {"CROUPIER_HOME", "CROUPIER_TOPIC_PREFIX", "CROUPIER_MARKS_FILE", "CROUPIER_CHECKPOINT_FILE"}
    known |= {"DATABASE_URL", "SQLITE_TMPDIR", "TMPDIR", *broker.environment()}
    assert told(restore).keys() <= known
    params = parsed(restore["args"])
    assert (params["verify"], params["digest"], params["drill"]) == (True, DIGEST, False)
    assert Path(params["folder"]) == Path("/var/lib/backup/casa")
    (of_backup,) = pod_of(restoring, "CronJob", "casa-backup")["containers"]
    assert of_backup["args"][-1] == restore["args"][2], "where the backup has put it"


def test_the_job_writes_to_no_backup_and_brings_back_the_checkpoints(restoring: Objects) -> None:
    pod = pod_of(restoring, "Job", "casa-restore")
    (restore,) = pod["containers"]
    mounts = {each["mountPath"]: each for each in restore["volumeMounts"]}
    assert mounts["/var/lib/backup"]["readOnly"] is True
    assert str(Path(told(restore)["CROUPIER_CHECKPOINT_FILE"]).parent) in mounts
    assert not mounts["/var/lib/checkpoints"].get("readOnly")
    claims = {each["name"]: each.get("persistentVolumeClaim", {}).get("claimName") for each in pod["volumes"]}
    assert (claims["backup"], claims["checkpoints"]) == ("backup", "checkpoints")


def test_the_job_reaches_kafka_and_the_database_and_nobody_reaches_it(restoring: Objects) -> None:
    policy = restoring["NetworkPolicy", "casa-restore"]["spec"]
    labels = restoring["Job", "casa-restore"]["spec"]["template"]["metadata"]["labels"]
    assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    ports = [port["port"] for rule in policy["egress"] for port in rule["ports"]]
    assert (policy["ingress"], ports) == ([], [53, 53, 9092, 5432])


def test_a_restore_without_a_backup_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"restore\.enabled needs backup\.volume"):
        rendered_chart(CHART, "casa", "restore.enabled=true")


def restores(objects: Objects) -> dict[str, dict[str, Any]]:
    found = {}
    for kind, name in (("Job", "casa-restore"), ("CronJob", "casa-restore-drill")):
        found[name] = pod_of(objects, kind, name)
    return found


def test_rows_and_what_the_walk_remembers_lie_on_a_disk(restoring: Objects) -> None:
    """Each file of rows is copied before it is believed: trails of reads of some years do not go into 16 MiB."""
    for name, pod in restores(restoring).items():
        (container,) = pod["containers"]
        volumes = {each["name"]: each for each in pod["volumes"]}
        mounts = {each["mountPath"]: volumes[each["name"]] for each in container["volumeMounts"]}
        for variable in ("TMPDIR", "SQLITE_TMPDIR"):
            assert "Memory" not in json.dumps(mounts[told(container)[variable]]), name


def test_a_drill_is_bounded_and_holds_up_no_backup(playing: Objects) -> None:
    pod = pod_of(playing, "CronJob", "casa-restore-drill")
    volumes = {each["name"]: each for each in pod["volumes"]}
    for name in ("data", "postgres"):
        assert volumes[name] == {"name": name, "emptyDir": {"sizeLimit": "20Gi"}}
    (words,) = re.findall(r"croupier restore .*", pod["containers"][0]["args"][-1])
    assert parsed(shlex.split(words))["drill"] is True


def test_a_larger_drill_has_claims_of_its_own() -> None:
    claim = {"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}
    objects = rendered_chart(CHART, "casa", *VOLUMES, f"backup.drill.volume={json.dumps(claim)}")
    volumes = {each["name"]: each for each in pod_of(objects, "CronJob", "casa-restore-drill")["volumes"]}
    for name in ("data", "postgres"):
        assert volumes[name] == {"name": name, **claim}, "one kind of volume, never merged with another"


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("restore", {"enabled": True, "digest": "sha256:1"}),
        ("restore", {"enabled": True, "force": True}),
        ("restore", {"digest": ""}),
        ("drill", {"volume": {"persistentVolumeClaim": {"claimName": "not-empty"}}}),
        ("drill", {"volume": {"emptyDir": {}, "ephemeral": {}}}),
    ],
)
def test_a_wrong_value_is_refused(path: str, wrong: dict[str, Any]) -> None:
    backup = {**VALUES["backup"], "drill": {**VALUES["backup"]["drill"], **wrong}}
    values = {"restore": wrong} if path == "restore" else {"backup": backup}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VALUES, **values}, SCHEMA)


def run(
    pod: dict[str, Any], folder: Path, broker: dict[str, str], database: str, prefix: str
) -> "subprocess.CompletedProcess[str]":
    """The container's own command with its own variables and no other; its paths lie in `folder`."""
    (container,) = pod["containers"]
    places = {"/run/croupier": "files", "/var/lib/backup": "backup", "/var/lib/checkpoints": "checkpoints"}
    places |= {"/var/tmp/walk": "walk", "/tmp": "tmp"}

    def here(text: str) -> str:
        for path, name in places.items():
            if text == path or text.startswith(f"{path}/"):
                return str(folder / name) + text.removeprefix(path)
        return text

    environment = {name: here(value) for name, value in told(container).items()}
    assert environment.keys() >= broker.keys()
    environment |= broker | {"DATABASE_URL": database, "CROUPIER_TOPIC_PREFIX": prefix, "PATH": os.environ["PATH"]}
    words = [here(each) for each in container["args"]]
    return subprocess.run(
        [sys.executable, "-m", "services.cli", *words[1:], "--json"],
        cwd=PROJECT, env=environment, text=True, capture_output=True, check=False,
    )  # fmt: skip


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_what_the_charts_backup_has_copied_its_job_restores(
    stack: Stack, topics: str, house_database: str, template: str, tmp_path: Path
) -> None:
    """Both commands with the variables that their pods have, into a house of the same name that is made anew."""
    await copy(played(hands=2).broker, stack.broker("tests"), topics, Copied())
    for name in ("files", "backup", "checkpoints", "walk", "tmp"):
        (tmp_path / name).mkdir()
    hand_out(tmp_path / "marks", ROOT, Plan())
    shutil.copy(file_of(tmp_path / "marks", INSPECTOR), tmp_path / "files")
    (tmp_path / "files" / "kek.hex").write_text(KEK.hex())
    (tmp_path / "files" / "checkpoint_key.hex").write_text("ab" * 32)
    chart = rendered_chart(CHART, "casa", *VOLUMES, f"kafka.prefix={topics}")
    inspector = login_at(stack, house_database, INSPECTOR)
    backup = pod_of(chart, "CronJob", "casa-backup")
    copied = await asyncio.to_thread(run, backup, tmp_path, stack.broker(INSPECTOR).environment(), inspector, topics)
    assert copied.returncode == 0, copied.stderr
    made = json.loads(copied.stdout)
    assert made["records"] > 20

    await remove(stack.admin, topics)
    await create_house(stack.admin, HOUSE, topics)
    chart = rendered_chart(
        CHART, "casa", *VOLUMES, f"kafka.prefix={topics}", "restore.enabled=true", f"restore.digest={made['sha256']}"
    )
    restore = pod_of(chart, "Job", "casa-restore")
    async with database_for(stack, template) as database:
        done = await asyncio.to_thread(run, restore, tmp_path, stack.admin.environment(), database, topics)
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        assert (done.returncode, found["differences"]) == (0, []), found
    assert (found["records"], found["journals"]) == (made["records"], made["journals"])
    assert len(found["journals"]) == 3 * PARTITIONS
    assert found["verified"]["hands"] == 2
