"""`croupier archive` as the chart's CronJob runs it: with a database and no broker; its readers with neither."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.topics import INSPECTOR
from libs.journal.mark_keys import ARCHIVE, ARCHIVED, ARCHIVIST, Plan, file_of, hand_out, marks_of
from libs.journal.marks import MayNotWrite
from libs.projecting.connecting import connect
from libs.stack import Stack
from services.cli.archive.files import Archive, Packing, Piece, read_archive, write_archive
from services.cli.backups.files import Backup, write_manifest, write_marked
from services.wallet import projections as wallet
from tests.conftest import login_at
from tests.testkit.charts import rendered_chart

PROJECT = Path(__file__).resolve().parents[3]
CHART = PROJECT / "deploy" / "chart"
ROOT = b"r" * 32
MARKS, INSPECTORS = (marks_of(each, ROOT, Plan()) for each in (ARCHIVIST, INSPECTOR))
MONTH = "2023-11"
ACCOUNT = "player/player-1/EUR"
TRANSFER = f"wallet\taccount-1/1\t1\treal\toperator-cash/EUR\t{ACCOUNT}\t5\tEUR\tdeposit\tfirst\t1700000000000\n"
COLUMNS = (
    *((name, "text") for name in ("service", "event_id")),
    *(("line", "integer"), ("book", "text"), ("debit", "text"), ("credit", "text"), ("amount", "bigint")),
    *((name, "text") for name in ("currency", "kind", "reference")),
    ("event_time", "bigint"),
)


def croupier(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    """With these variables and no other: what this machine's own has of a stack is not there."""
    told = {"PATH": os.environ["PATH"]} | environment
    command = [sys.executable, "-m", "services.cli", *words]
    return subprocess.run(command, cwd=PROJECT, env=told, text=True, capture_output=True, check=False)


def marks_file(folder: Path, process: str = ARCHIVIST) -> Path:
    hand_out(folder / "marks", ROOT, Plan())
    return file_of(folder / "marks", process)


def of_the_chart(folder: Path, database: str) -> tuple[dict[str, str], list[str]]:
    """Variables and words of the container of `casa-archive`; its paths lie in `folder`, its database is the given."""
    rendered = rendered_chart(CHART, "casa", "archive.volume.persistentVolumeClaim.claimName=archive")
    spec = rendered["CronJob", "casa-archive"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    environment = {each["name"]: each["value"] for each in container["env"]}
    assert environment["DATABASE_URL"].startswith(f"postgresql://{ARCHIVIST}@")
    marks = marks_file(folder)
    assert Path(environment["CROUPIER_MARKS_FILE"]).name == marks.name
    environment |= {"DATABASE_URL": database, "CROUPIER_MARKS_FILE": str(marks)}
    environment["CROUPIER_HOME"] = str(folder / "tmp")
    program, *words = (each.replace("/var/lib/archive", str(folder)) for each in container["args"])
    assert program == "croupier"
    return environment, words


@pytest.mark.stack
async def test_the_charts_job_writes_a_month_without_a_broker(
    stack: Stack, house_database: str, tmp_path: Path
) -> None:
    """Found by an operator: it wanted a login at the broker, which it has not, and never wrote one."""
    connection = await connect(house_database, wallet.SCHEMA)
    try:
        await connection.execute("select make_month('transfers', $1)", MONTH)
        await connection.execute(
            "insert into transfers select 'wallet', 'account-1/1', 1, 'real', 'operator-cash/EUR', $1, 5, 'EUR',"
            " 'deposit', 'first', $2::bigint",
            *(ACCOUNT, 1_700_000_000_000),
        )
    finally:
        await connection.close()
    environment, words = of_the_chart(tmp_path, login_at(stack, house_database, ARCHIVIST))
    wrong = environment | {"DATABASE_URL": environment["DATABASE_URL"].replace("?", "?password=wrong-one&")}
    refused = croupier(wrong, *words)
    assert refused.returncode == 1
    assert f'password authentication failed for user "{ARCHIVIST}"' in refused.stderr
    assert "wrong-one" not in refused.stderr

    done = croupier(environment, *words)

    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert f"wallet {MONTH}: 1 rows" in done.stdout
    folder = tmp_path / "casa"
    held = read_archive(folder, MARKS)
    assert held is not None
    assert done.stdout.splitlines()[-1] == f"sha256 {held.digest}"
    without = {name: value for name, value in environment.items() if name != "DATABASE_URL"}
    found = croupier(without, "archive", "read", str(folder), "--account", ACCOUNT)
    assert [each["reference"] for each in json.loads(found.stdout)] == ["first"]
    assert "DATABASE_URL" in croupier(without, *words).stderr
    restored = croupier(environment | {"DATABASE_URL": house_database}, "archive", "restore", str(folder))
    assert restored.stdout == "schema archive: 1 rows of 1 months\n", restored.stderr


@pytest.fixture
async def archived(tmp_path: Path) -> Path:
    """An archive of one month, made without a database."""
    folder = tmp_path / "archive"
    folder.mkdir()
    packing = Packing(folder)
    await packing(TRANSFER.encode())
    piece = Piece(wallet.SCHEMA, "transfers", MONTH, 1, COLUMNS, 1, packing.end())
    packing.name(piece.file)
    write_archive(folder, Archive("", (piece,)), MARKS)
    return folder


@pytest.mark.parametrize("given", ["file", "home"])
async def test_list_and_read_need_marks_alone(archived: Path, tmp_path: Path, given: str) -> None:
    """Neither a broker nor a database, and no local stack either."""
    file, home = marks_file(tmp_path / "home" / "keys"), tmp_path / "home"
    environment = {"CROUPIER_MARKS_FILE": str(file)} if given == "file" else {"CROUPIER_HOME": str(home)}
    listed = croupier(environment, "archive", "list", str(archived), "--verify", "--json")
    assert listed.returncode == 0, listed.stderr
    months: list[dict[str, Any]] = json.loads(listed.stdout)
    assert [(each["month"], each["rows"]) for each in months] == [(MONTH, 1)]
    read = croupier(environment, "archive", "read", str(archived), "--account", ACCOUNT)
    assert read.returncode == 0, read.stderr
    assert [each["amount"] for each in json.loads(read.stdout)] == [5]


async def test_without_marks_it_says_which_file_is_not_there(archived: Path, tmp_path: Path) -> None:
    told = croupier({"CROUPIER_HOME": str(tmp_path / "nothing")}, "archive", "list", str(archived))
    assert told.returncode == 1
    assert "set CROUPIER_MARKS_FILE" in told.stderr


async def test_an_archive_of_another_prefix_is_refused(archived: Path, tmp_path: Path) -> None:
    held = read_archive(archived, MARKS)
    assert held is not None
    write_archive(archived, replace(held.archive, prefix="b."), MARKS)
    environment = {"CROUPIER_MARKS_FILE": str(marks_file(tmp_path))}
    assert "topic prefix 'b.'" in croupier(environment, "archive", "list", str(archived)).stderr
    assert croupier(environment | {"CROUPIER_TOPIC_PREFIX": "b."}, "archive", "list", str(archived)).returncode == 0


def test_the_archivists_file_holds_the_keys_of_archives_and_no_other(tmp_path: Path) -> None:
    """Found by an attacker: with the inspector's, whoever had this Secret could mark in every service's name."""
    held = json.loads(marks_file(tmp_path).read_text())
    assert [(each["topic"], each["writer"]) for each in held["keys"]] == [
        (ARCHIVE, ARCHIVIST),
        (ARCHIVED, ARCHIVIST),
    ]
    folder = tmp_path / "backup"
    folder.mkdir()
    with pytest.raises(MayNotWrite):
        write_manifest(folder, Backup(1, 2, "", (), (), ()), MARKS)


async def test_the_inspector_reads_an_archive_and_does_not_write_one(archived: Path, tmp_path: Path) -> None:
    environment = {"CROUPIER_MARKS_FILE": str(marks_file(tmp_path, INSPECTOR))}
    assert croupier(environment, "archive", "list", str(archived)).returncode == 0
    told = croupier(environment, "archive", "put", "--to", str(archived))
    assert told.returncode == 1
    assert "inspector.json has no key to mark an archive with: that is in archivist.json" in told.stderr


async def test_an_archivists_file_of_before_writes_nothing(archived: Path, tmp_path: Path) -> None:
    """It has the key of the manifest, and none for what is put down in the database."""
    file = marks_file(tmp_path)
    held = json.loads(file.read_text())
    file.write_text(json.dumps(held | {"keys": [each for each in held["keys"] if each["topic"] == ARCHIVE]}))
    environment = {"CROUPIER_MARKS_FILE": str(file)}
    assert croupier(environment, "archive", "list", str(archived)).returncode == 0
    told = croupier(environment, "archive", "put", "--to", str(archived))
    assert told.returncode == 1
    assert "as this version's `croupier marks hand-out` writes it" in " ".join(told.stderr.split())


async def test_an_archive_with_the_inspectors_mark_is_read_by_the_inspector_or_by_its_digest(
    archived: Path, tmp_path: Path
) -> None:
    """As all were marked before the archivist had a mark of its own."""
    held = read_archive(archived, MARKS)
    assert held is not None
    digest = write_marked(archived, held.archive, INSPECTORS)
    archivist = {"CROUPIER_MARKS_FILE": str(marks_file(tmp_path))}
    inspector = {"CROUPIER_MARKS_FILE": str(marks_file(tmp_path, INSPECTOR))}
    assert croupier(inspector, "archive", "list", str(archived)).returncode == 0
    told = croupier(archivist, "archive", "list", str(archived))
    assert told.returncode == 1
    assert "the inspector's mark" in told.stderr
    assert croupier(archivist, "archive", "list", str(archived), "--digest", digest).returncode == 0
    assert croupier(archivist, "archive", "list", str(archived), "--digest", "0" * 64).returncode == 1
    write_marked(archived, held.archive, marks_of(INSPECTOR, b"s" * 32, Plan()))
    assert croupier(inspector, "archive", "list", str(archived)).returncode == 1, "another house's inspector"
