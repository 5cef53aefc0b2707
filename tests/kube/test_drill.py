"""The drill without a cluster: what each row would do to one, and what the page makes of the acts."""

import json
from pathlib import Path
from typing import Any

import pytest

from libs.sealing.kek_file import read_keks
from services.cli.surroundings import local_keys
from tests.kube import drill
from tests.kube.drill import Action, actions
from tests.kube.page import page

Said = list[str]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Said:
    """Every command that would go to it. It has two pods of each service, which see a new file at once."""
    commands: Said = []
    keys = tmp_path / "keys"
    local_keys(keys)

    def kubectl(*command: str, stdin: str | None = None) -> str:
        commands.append(" ".join(("kubectl", *command)))
        if command[:2] == ("get", "pods"):
            return "pod/a-0 pod/a-1"
        if command[:2] == ("get", "pod"):
            return "containerd://0"
        if command[0] == "exec" and "metrics" in command[-1]:
            return f"# HELP\ncroupier_kek_newest {read_keks(keys / 'kek' / 'kek.hex').newest}.0\n"
        return ""

    def told(*command: str | Path, stdin: str | None = None) -> str:
        commands.append(" ".join(map(str, command)))
        if "kek" in command:
            return run(*command)
        return ""

    run = drill.told
    monkeypatch.setattr(drill, "KEYS", keys)
    monkeypatch.setattr(drill, "CONTAINERD", Path("/run/containerd.sock"))
    monkeypatch.setattr(drill, "kubectl", kubectl)
    monkeypatch.setattr(drill, "told", told)
    monkeypatch.setattr(drill, "helm", lambda *command: commands.append(" ".join(("helm", *command))))
    monkeypatch.setattr(drill, "said", lambda *_: reader_says(newest=2**40))
    monkeypatch.setattr(drill.time, "sleep", lambda _: None)
    return commands


def reader_says(newest: float, gaps: int = 0) -> str:
    return (
        json.dumps({"at": 1.0, "wrong": "KafkaConnectionError"}) + "\n" + json.dumps({"newest": newest, "gaps": gaps})
    )


def done(cluster: Said, name: str, number: int = 0) -> Said:
    before = len(cluster)
    action(name).do(number)
    return cluster[before:]


def action(name: str) -> Action:
    (found,) = [each for each in actions("later") if each.name.startswith(name)]
    return found


def test_every_row_does_something_to_the_house(cluster: Said) -> None:
    for each in actions("later"):
        for number in range(each.times(None, 1)):
            assert bool(done(cluster, each.name, number)) == (each.name != "nothing"), each.name
    names = [each.name for each in actions("")]
    for server in ("kafka", "postgres"):
        assert {f"{server}'s pod is deleted", f"{server} is killed (SIGKILL)"} <= set(names)
    assert "another version" not in names, "none is in the cluster"
    assert "SIGKILL" in done(cluster, "postgres is killed")[-1]


def test_the_key_encryption_key_takes_two_steps_and_tables_are_waited_for(cluster: Said) -> None:
    for number, (newest, seals) in enumerate([(2, 1), (2, 2), (3, 2)]):
        commands = done(cluster, "the key-encryption key", number)
        keks = read_keks(drill.KEYS / "kek" / "kek.hex")
        assert (keks.newest, keks.seals) == (newest, seals)
        handed_out = next(n for n, each in enumerate(commands) if "compose --kubernetes" in each)
        looked = [n for n, each in enumerate(commands) if "/metrics" in each]
        assert "kek rotate" in commands[0]
        assert len(looked) == 2, "at both pods"
        assert handed_out < looked[0]


def test_tables_that_do_not_see_the_new_key_end_the_step(cluster: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "_kek_newest", lambda: {1})
    monkeypatch.setattr(drill, "_KUBELET_S", 0.0)
    with pytest.raises(RuntimeError, match="and not 2 alone"):
        done(cluster, "the key-encryption key")


def test_another_key_of_private_deals_comes_to_tables_and_gateways(cluster: Said) -> None:
    file = drill.KEYS / "gateway_key.hex"
    before, mode = file.read_text(), file.stat().st_mode
    commands = done(cluster, "the key of private deals")
    assert (len(file.read_text()), file.stat().st_mode) == (len(before), mode)
    assert file.read_text() != before
    assert [each.split("/")[-1] for each in commands if "rollout restart" in each] == ["casa-table", "casa-gateway"]


def test_a_platform_has_to_read_on_after_its_door_was_gone(cluster: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = done(cluster, "door: its pod is deleted")
    assert commands[-1] == "kubectl delete pod a-0", "and it was not over before the platform read on"
    monkeypatch.setattr(drill.time, "monotonic", iter(range(0, 10_000, 100)).__next__)
    monkeypatch.setattr(drill, "said", lambda *_: reader_says(newest=1.0))
    with pytest.raises(RuntimeError, match="reads nothing new"):
        done(cluster, "door: its pod is deleted")
    monkeypatch.setattr(drill, "said", lambda *_: reader_says(newest=2**40, gaps=1))
    with pytest.raises(RuntimeError, match="misses events"):
        done(cluster, "door: its pod is deleted")


def test_a_platform_that_is_not_there_comes_with_a_login_of_its_own(
    cluster: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drill.platform_comes()
    assert len(cluster) == 1, "it is there"
    asked, monkeypatched = drill.kubectl, lambda *words, **more: "" if "reader" in words else asked(*words, **more)
    monkeypatch.setattr(drill, "kubectl", monkeypatched)
    monkeypatch.setattr(drill, "HOME", tmp_path)
    (tmp_path / "compose" / "door").mkdir(parents=True)
    (tmp_path / "compose" / "door" / "ca.pem").write_text("authority")
    drill.platform_comes()
    assert any("platform add acme --at casa-door.croupier.svc:9100" in each for each in cluster)
    assert any("platform-acme.kafka" in each for each in cluster)
    assert cluster[-1].endswith("platform.yaml")


def test_how_often() -> None:
    assert action("table: a pod is deleted").times(None, None) == 10
    assert action("table: a pod is deleted").times(2, None) == 2
    assert action("nothing").times(2, 12) == 12
    marks = action("keys of marks")
    assert (marks.times(None, None), marks.times(None, 10)) == (3, 30), "all steps of each"
    assert [marks.named(number) for number in (0, 3)] == ["keys of marks are rotated: the new one is known"] * 2


def test_the_page_says_why_acts_were_refused_and_which_had_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(drill, "ACTS", tmp_path / "acts")
    monkeypatch.setattr(drill, "FOUND", tmp_path / "found")
    acts: list[dict[str, Any]] = [
        {"at": 101, "seconds": 0.01, "verdict": "accepted"},
        {"at": 102, "seconds": 60.0, "verdict": "rejected", "reason": "not_your_turn"},
        {"at": 103, "seconds": 61.0, "verdict": "rejected", "reason": "not_your_turn"},
        {"at": 104, "seconds": 9.0, "verdict": "problem", "reason": "busy"},
        {"at": 105, "verdict": "unanswered"},
        {"at": 300, "seconds": 0.01, "verdict": "rejected", "reason": "of_another_time"},
    ]
    drill.ACTS.write_text("".join(json.dumps({"table": "t", **act}) + "\n" for act in acts))
    drill.FOUND.write_text(json.dumps({"name": "kafka is killed", "began": 100, "ended": 200, "ready_s": 60}) + "\n")
    report = {"hands": 5, "void": 0, "started_twice": 0, "acts": 5, "unanswered": 1, "seconds": 100,
              "verdicts": {"accepted": 1}, "reasons": {"not_your_turn": 2}}  # fmt: skip
    written = page(report, "0" * 8, 1, 2.5)
    (row,) = [line for line in written.splitlines() if line.startswith("| kafka is killed")]
    assert row.endswith("| 3 (not_your_turn 2, busy 1) | 1 | 0 |")
    assert '"not_your_turn": 2' in written
    (head,) = [line for line in written.splitlines() if line.startswith("| action")]
    assert head.count("|") == row.count("|")
    again = drill._added(report, report)
    assert (again["reasons"], again["unanswered"]) == ({"not_your_turn": 4}, 2)
