"""What wakes somebody, or waits until morning: each alert with its expression, and what to do when it comes.

Rules for Prometheus and docs/alerts.md are made of it. Durations stand in `[…]`, after `offset` and in `lasting`: a
drill shortens them all alike.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from libs.telemetry.figures import ALL

JOB = 'job="croupier"'
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"((?:\[|offset ))(\d+)([smhd])")


@dataclass(frozen=True, slots=True)
class Alert:
    """`page` wakes somebody, `ticket` is of the same day. `more`: how the heading in docs/sre.md begins."""

    name: str
    severity: Literal["page", "ticket"]
    expr: str
    lasting: str
    says: str
    do: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Objective:
    """An SLO. `ratio` of what was not as promised, in a window `W`; `budget` is how much of it may be so."""

    key: str
    alert: str
    budget: float
    ratio: str
    says: str
    do: str

    def recorded(self, window: str) -> str:
        return f"croupier:{self.key}:ratio{window}"

    def above(self, factor: float, long: str, short: str) -> str:
        least = f"{factor * self.budget:g}"
        return f"({self.recorded(long)} > {least} and {self.recorded(short)} > {least})"


WINDOWS = ("5m", "30m", "1h", "6h", "3d")
_SLOW = 'croupier_gateway_command_seconds_bucket{service="table",le="0.1"}'
_ANSWERED = 'croupier_gateway_command_seconds_count{service="table"}'
_UNKNOWN = 'croupier_gateway_commands_total{outcome="unknown"}'
OBJECTIVES = (
    Objective(
        "acts_slow", "CroupierActsSlow", 0.01,
        f"(sum(rate({_ANSWERED}[W])) - sum(rate({_SLOW}[W])) + (sum(rate({_UNKNOWN}[W])) or vector(0)))"
        f" / (sum(rate({_ANSWERED}[W])) + (sum(rate({_UNKNOWN}[W])) or vector(0)))",
        "Of 100 commands to tables 99 are answered within 100 ms of their arrival at the gateway (act accepted ≤ "
        "100 ms "
        "p99); one without an answer counts as late.",
        "See which part waits: `croupier_commit_seconds` high is the table service or the broker (its disk, its "
        "request "
        "queue); low is the gateway (CPU, `croupier_edge_connections`). One process hot: more of them, up to one "
        "for each partition; gateways without bound. All at once: the broker.",
    ),
    Objective(
        "books_behind", "CroupierBooksBehind", 0.001, "avg_over_time(croupier:books_behind[W])",
        "The books have everything public within 5 s, 999 seconds of 1,000.",
        "Play goes on. Balances, statements and reports are old; who paid in meanwhile and asks for a seat is answered "
        "503 `books-behind`, and seats and top-ups may wait for the wallet's policies. Look at PostgreSQL first (up? "
        "locks? disk?), then at the wallet's log. They catch up by themselves.",
    ),
)  # fmt: skip
RECORDED = {"croupier:books_behind": "max(croupier_projection_behind_seconds) > bool 5"} | {
    each.recorded(window): each.ratio.replace("W", window) for each in OBJECTIVES for window in WINDOWS
}


def _any(*series: str) -> str:
    """It was counted within a quarter of an hour. A counter with labels appears with its first event, at 1, which
    `increase` does not see; one that was only not scraped for a while, as its process stood still, is nothing new."""
    seen = "unless on (job, instance) up offset 15m == 0"
    return " or ".join(f"increase({each}[15m]) > 0 or ({each} > 0 unless {each} offset 15m {seen})" for each in series)


def _happens(name: str, severity: Literal["page", "ticket"], series: str, says: str, do: str, more: str = "") -> Alert:
    return Alert(name, severity, _any(*series.split()), "0s", says, do, more)


def _burning() -> Iterator[Alert]:
    soon, slowly = "At this rate the budget of 30 days is gone in five days.", "The budget is being used up."
    for each in OBJECTIVES:
        fast = f"{each.above(14.4, '1h', '5m')} or {each.above(6, '6h', '30m')}"
        yield Alert(each.alert, "page", fast, "0s", f"{each.says} {soon}", each.do)
        yield Alert(f"{each.alert}Long", "ticket", each.above(1, "3d", "6h"), "0s", f"{each.says} {slowly}", each.do)


ALERTS: tuple[Alert, ...] = (
    Alert(
        "CroupierProcessDown", "page", f"up{{{JOB}}} == 0", "1m",
        "{{ $labels.component }} at {{ $labels.instance }} does not answer.",
        "The last line of its log says why it ended (`kubectl logs --previous`, `croupier logs`). A line of level "
        "`critical` or a traceback comes again with each start: do not loop, look it up in docs/sre.md. Gone without a "
        "word: memory (`OOMKilled`), or the node.",
        "Start, stop, kill",
    ),
    Alert(
        "CroupierServiceGone", "page",
        " or ".join(
            f'label_replace(absent(up{{{JOB},component="{each}"}} == 1), "component", "{each}", "", "")' for each in ALL
        ),
        "1m", "No process of {{ $labels.component }} answers, or Prometheus is told of none.",
        "Without table no hand goes on, without gateway nobody plays, without wallet nobody sits down, without "
        "tournament "
        "none begins a hand, without audit nobody watches. All five at once: Prometheus sees nothing; look at its "
        "targets, and play yourself before you touch anything.",
        "Start, stop, kill",
    ),
    Alert(
        "CroupierNotReady", "page", "max by (component, instance, check) (croupier_not_ready) == 1", "2m",
        "{{ $labels.component }} at {{ $labels.instance }} is not ready: {{ $labels.check }}.",
        "`GET /health/ready` on its inner port says it in a sentence. `broker`, `partitions`, `decider`, "
        "`commands`, `policies`: the broker. "
        "`views`, `cards`, `sessions`, `tournaments`, `lobby`: a gateway still reads what it missed; for minutes: the "
        "broker. `books`, `following`: the database, who holds its rows (`held up by LockNotAvailableError`), or a "
        "journal that was rewritten. `entropy`: take the machine out.",
        "Health and metrics",
    ),
    *_burning(),
    _happens(
        "CroupierHandVoid", "page", 'croupier_audit_rounds_total{end="void_by_house"}',
        "The house voided a hand, round or coup, and every stake went back. The promise is none.",
        "The event's `cause` says why. *The sealed cards can't be opened any more*: see CroupierCardsLost. A "
        "standstill: "
        "when and how long the house stood is in CroupierProcessDown and in the chart of acts; tell the floor.",
        "Time that ran out",
    ),
    Alert(
        "CroupierAnswersUnknown", "page", f"sum(increase({_UNKNOWN}[5m])) > 0", "0s",
        "Commands got no answer within CROUPIER_REPLY_TIMEOUT_MS (504 `outcome-unknown`).",
        "Nothing is lost: clients repeat with the same key and get the one answer. The decider of that stream is "
        "gone or "
        "stands, or the broker is away: CroupierProcessDown and CroupierNotReady say which.",
        "Start, stop, kill",
    ),
    Alert(
        "CroupierCommandsBusy", "ticket",
        'sum by (service, verdict) (rate(croupier_commands_total{verdict=~"busy|expired"}[5m])) > 0.1',
        "2m",
        "{{ $labels.service }} answers `{{ $labels.verdict }}`: it can't keep up with a stream.",
        "One table or account gets more than it can decide (`croupier_edge_too_many_requests_total`), or the "
        "process was "
        "away and what lay in the log is too old. If it lasts: CPU of the process, then more partitions' owners.",
        "Scaling",
    ),
    _happens(
        "CroupierForeignRecord", "page", "croupier_foreign_records_total",
        "Somebody who is not of the house writes to {{ $labels.topic }} (it says: {{ $labels.writer }}).",
        "Readers have passed it by. Find out at the broker who connected, take that login away, change its password.",
        "Foreign record",
    ),
    Alert(
        "CroupierPartitionUnowned", "page", "croupier_partitions_unowned > 0", "0s",
        "Nobody of the house has had {{ $value }} partitions of {{ $labels.group }} for 15 s.",
        "A process of that service is gone or restores for long; or a stranger has joined the group with its login at "
        "the broker: `kafka-consumer-groups.sh --describe --members --group` (as `admin`) says from where. Change "
        "that password.",
        "A group was moved or taken",
    ),
    _happens(
        "CroupierJournalBroken", "page",
        "croupier_journal_undecodable_total croupier_chain_failures_total croupier_audit_chain_failures_total",
        "A journal holds what is no commit, or is not the one that was read before.",
        "If a log was cut or replaced, services end and refuse to start: stop all of them, delete nothing, find "
        "the last "
        "checkpoint that holds (`croupier verify`). A single record that is no commit harms nobody: see who wrote it.",
        "Journal rewritten",
    ),
    _happens(
        "CroupierFindingCritical", "page", 'croupier_audit_findings_total{severity="critical"}',
        "The auditor found {{ $labels.kind }}.",
        "`GET /v1/incidents` of the audit service has place and detail; docs/sre.md has what to type, and a section "
        "for each kind.",
        "The auditor found something",
    ),
    _happens(
        "CroupierFindingMajor", "ticket", 'croupier_audit_findings_total{severity="major"}',
        "The auditor found {{ $labels.kind }}.", "As for a critical one, the same day.",
        "The auditor found something",
    ),
    _happens(
        "CroupierEntropyUnhealthy", "page", "croupier_entropy_unhealthy_total",
        "The random source of {{ $labels.instance }} failed its health test: nothing is dealt there.",
        "Take the machine out of service, start the process elsewhere, then resume the paused tables.",
        "Entropy unhealthy",
    ),
    _happens(
        "CroupierCardsLost", "page", "croupier_cards_lost_total",
        "A sealed deck or shoe does not open under any key of {{ $labels.instance }}: its round is void.",
        "Compare its key-encryption keys (`croupier_kek_newest`) with the others' before more tables move to it; then"
        " ask how it was lost.",
        "Sealed cards do not open",
    ),
    Alert(
        "CroupierProgramAltered", "page", "croupier_program_altered > 0", "0s",
        "{{ $value }} files at {{ $labels.instance }} differ from the build.",
        "Take the node out of service, keep its disk, look who reached it; start elsewhere from the image by digest.",
        "The image",
    ),
    Alert(
        "CroupierStreamSetAside", "page", "croupier_projection_set_aside > 0 or croupier_audit_set_aside > 0", "0s",
        "{{ $value }} events could not be written, and their streams stand still in the books or histories.",
        "`croupier mend` lists them with the reason. Stop play at that table or account; `croupier mend --again` after "
        "the cause is gone.",
        "Stream set aside",
    ),
    _happens(
        "CroupierRecordParked", "ticket",
        "croupier_parked_total croupier_policy_parked_total croupier_projection_parked_total",
        "A record that can't be a command or an event was set aside.",
        "Its headers on the parked topic say why and where it lay. Find the sender; of a policy's, look whether money "
        "waits (`reserve_never_ended`).",
        "Parked record",
    ),
    Alert(
        "CroupierViewGap", "ticket", "croupier_gateway_view_gaps > 0", "1m",
        "{{ $value }} tables' views wait for an event that is missing.",
        "It is published again by itself. If not: `croupier_follower_lag_records` and the log of the stream's owner; "
        "restart the owner.",
        "Gap",
    ),
    _happens(
        "CroupierProjectionGap", "ticket", "croupier_projection_gaps_total",
        "The books got an event before the one that it follows.", "As for CroupierViewGap.", "Gap",
    ),
    _happens(
        "CroupierSnapshotAside", "page", "croupier_snapshots_aside_total",
        "A start of {{ $labels.service }} left a snapshot or manifest aside: it has the true mark and no seal.",
        "Somebody has that service's login and its file of marks: stop it, take the login away, rotate the marks. "
        "Nothing false was decided.",
        "A snapshot that its service did not write",
    ),
    _happens(
        "CroupierDecidedStreamAside", "page", "croupier_streams_aside_total",
        "{{ $labels.service }} can't go on with a stream: a valid commit makes no state. The others go on.",
        "The log and the incident `stream_set_aside` name it. Tell its players; look whether somebody has the "
        "service's keys.",
        "Stream set aside",
    ),
    _happens(
        "CroupierSnapshotsFailed", "ticket", "croupier_snapshots_failed_total",
        "A state can't be written as a snapshot at {{ $labels.service }}; play goes on, restarts get longer.",
        "The log names the stream and the field. It is a fault of the program: tell its makers.",
        "Journal, snapshots",
    ),
    _happens(
        "CroupierSessionNoticeBad", "ticket", 'croupier_gateway_session_notices_total{result="undecodable"}',
        "A record on the sessions topic can't be read: a block or the end of a session may be missed.",
        "Only gateways write there, with a mark: a gateway of another version, or a leaked key. Block again who was.",
        "Journal rewritten",
    ),
    _happens(
        "CroupierLoginLocked", "ticket", "croupier_login_locks_total",
        "An address was locked for wrong tokens.",
        "The log has address and kind (`logins locked`). Many addresses: stolen tokens are tried; rotate. One that is "
        "yours: an old credential.",
        "Logins fail",
    ),
    _happens(
        "CroupierRequestsFailed", "ticket", "croupier_edge_failed_total",
        "A request broke on our side: its sender got 500 `internal-error`.",
        "It is a fault of the program: tell its makers. The log (`request failed`) has the trace, the path and the "
        "address that asked; of the same fault one line in five seconds, with how many were left out.",
        "The edge",
    ),
    Alert(
        "CroupierRequestsRefused", "ticket",
        "sum by (component) (rate(croupier_edge_refused_total[5m]) or "
        "rate(croupier_edge_too_many_requests_total[5m])) > 1",
        "10m",
        "{{ $labels.component }} refuses {{ $value }} requests a second: somebody floods, or a share is too small.",
        "`croupier_edge_too_many_requests_total` by `share`, `croupier_edge_refused_total` by `problem`; "
        "addresses are in "
        "the load balancer's log.",
        "The edge",
    ),
    Alert(
        "CroupierDoorGone", "page",
        f'count(max_over_time(up{{{JOB},component="door"}}[1d]) == 1) unless count(up{{{JOB},component="door"}} == 1)',
        "2m", "No door answers, and one did within a day: operators' platforms read no public events.",
        "Play goes on. `kubectl get pods -l app.kubernetes.io/component=door`; the last line of its log says why it "
        "ended (a certificate that can't be read, memory). Once it is back, platforms go on where they were. Taken "
        "away on purpose: silence this for a day.",
        "The platforms' door",
    ),
    _happens(
        "CroupierDoorRefused", "ticket", 'croupier_door_refused_total{reason=~"kind|size|before_login"}',
        "A platform asked the broker for something that no reader needs ({{ $labels.reason }}): its connection ended.",
        "Nothing came to the broker. The log line `platform refused` has login, address and `api_key`. The same again "
        "and again: a client that was set up wrongly, tell its platform. Kind after kind: `croupier platform remove`.",
        "The platforms' door",
    ),
    Alert(
        "CroupierDoorFull", "ticket",
        'sum by (reason) (rate(croupier_door_refused_total{reason=~"full|full_for_.*"}[5m])) > 0.05', "10m",
        "Platforms find the door full ({{ $labels.reason }}): somebody reads nothing, or holds connections.",
        "The log lines `platform refused: full…` have address and login. A platform needs two or three connections to "
        "each broker: one that has more is to close them; more platforms than there is room for: "
        "`CROUPIER_DOOR_CONNECTIONS` and the broker's own bound, both.",
        "The platforms' door",
    ),
    Alert(
        "CroupierDoorCrowded", "ticket",
        'sum(rate(croupier_door_refused_total{reason="crowded_out"}[5m])) > 0.05', "10m",
        "More connections than may wait for a login come to the platforms' door, and the oldest are ended.",
        "Platforms still come in. The log lines `platform refused: crowded_out` have the addresses: where they are no "
        "platform's, shut them out at the firewall; a platform's own client comes again and again with a wrong "
        "password or certificate, tell it.",
        "The platforms' door",
    ),
    Alert(
        "CroupierConnectionsNearLimit", "ticket", "croupier_edge_connections > 8000", "5m",
        "{{ $labels.instance }} has {{ $value }} connections of CROUPIER_CONNECTIONS (10,000).",
        "One gateway more. If they come from few addresses: `CROUPIER_ADDRESS_CONNECTIONS`.",
        "The edge",
    ),
    _happens(
        "CroupierIntegrityCase", "ticket", "croupier_audit_cases_total",
        "The integrity checks opened a case ({{ $labels.kind }}).",
        "For the integrity desk, not for operations: `GET /v1/cases`.",
    ),
    Alert(
        "CroupierRunnerBehind", "page", "max by (service, partition) (croupier_commands_open) > 1500", "1m",
        "{{ $labels.service }} {{ $labels.partition }} has {{ $value }} commands without a verdict; near 2,000 it "
        "reads no further.",
        "The broker acknowledges slowly (`croupier_commit_seconds`), or one process owns too much: start another.",
        "Scaling",
    ),
    Alert(
        "CroupierFollowerBehind", "page", "croupier_follower_lag_records > 5000", "1m",
        "{{ $value }} public records of {{ $labels.service }} {{ $labels.partition }} are not acknowledged; near "
        "10,000 "
        "the partition stands.",
        "The broker takes no records on that topic: its disk, its replicas (`min.insync.replicas`), the login's "
        "rights.",
        "Gap",
    ),
    Alert(
        "CroupierAuditBehind", "ticket", "croupier_audit_journal_lag_records > 5000", "10m",
        "The auditor is {{ $value }} records behind on {{ $labels.topic }} {{ $labels.partition }}.",
        "It never holds up play. PostgreSQL, or CPU; it catches up by itself.",
    ),
    Alert(
        "CroupierCheckpointsStill", "ticket", "sum(increase(croupier_audit_checkpoints_total[10m])) == 0", "1m",
        "The auditor signs no checkpoints: what is played now could be changed unseen.",
        "Its log says why: the file can't be written, the database is away, the key is missing. Without "
        "`CROUPIER_CHECKPOINT_KEY_FILE` there are none, and this comes for ever: give it the key.",
        "Journal rewritten",
    ),
    Alert(
        "CroupierTwoOwners", "ticket",
        "sum by (service) (rate(croupier_commits_void_total[30m])) > 0.02\n"
        "or sum by (service) (rate(croupier_gave_way_total[30m])) > 0.02", "10m",
        "Two processes of {{ $labels.service }} own one partition: one's commits come too late, or it gives way.",
        "Nothing is harmed (journal 3), but both work for nothing. Two processes with one `CROUPIER_INSTANCE`, one "
        "in another group, or one that hangs again and again.",
        "Scaling",
    ),
    Alert(
        "CroupierAppendsUnknown", "ticket",
        "sum by (service) (rate(croupier_appends_unknown_total[10m])) > 0.05", "10m",
        "The broker does not say what became of appends of {{ $labels.service }}.",
        "Its disk and its replicas. What counts is read back from the log; each costs the player a pause.",
        "Start, stop, kill",
    ),
    Alert(
        "CroupierPolicyFails", "ticket",
        "sum by (group) (rate(croupier_policy_batches_failed_total[10m])) > 0.05", "10m",
        "{{ $labels.group }} reads the same events again and again: buy-ins, settlements or tournaments wait.",
        "The process's log has the error. The broker, or an event that the policy does not take.",
        "Reserve never ended",
    ),
)  # fmt: skip


HERE = 'namespace="croupier"'
"""In expressions of `CLUSTER`; the chart puts in its own namespace."""
_JOBS = f'{HERE},job_name=~".+-(backup|verify|archive|restore-drill)-.+"'
_BACKUP = f'{HERE},cronjob=~".+-backup"'
CLUSTER: tuple[Alert, ...] = (
    Alert(
        "CroupierBackupOld", "page",
        f"time() - max by (cronjob) (kube_cronjob_status_last_successful_time{{{_BACKUP}}}"
        f" or kube_cronjob_created{{{_BACKUP}}}) > 3600", "5m",
        "The last backup that came to its end is {{ $value | humanizeDuration }} old, or none ever did.",
        "More than an hour, or what `monitoring.backupSeconds` of the chart says. `kubectl get jobs`, and the last "
        "one's log: the volume is full or gone, a run hangs (delete its job: the next one goes on where it ended), it "
        "was suspended, or a restore reads the same folder. What is played now can't be restored until it runs.",
        "Kubernetes",
    ),
    Alert(
        "CroupierJobFailed", "ticket", f"max by (job_name) (kube_job_failed{{{_JOBS},condition=\"true\"}}) > 0",
        "1m",
        "{{ $labels.job_name }} failed.",
        "`kubectl logs job/NAME`: a verify that found something says what. An archive or a backup is run "
        "again. The job goes with its CronJob's history, and the alert with it.",
        "Kubernetes",
    ),
    Alert(
        "CroupierJobHangs", "ticket",
        f"max by (job_name) (kube_job_status_active{{{_JOBS}}}) > 0 and on (job_name) "
        f"time() - max by (job_name) (kube_job_status_start_time{{{_JOBS}}}) > 21600", "5m",
        "{{ $labels.job_name }} has run for more than six hours; no other run of its kind begins.",
        "Its log shows how far it is. One that stands still is deleted; a whole `verify` of a large house may take as "
        "long, and goes on from a file (`--from`).",
        "Kubernetes",
    ),
    Alert(
        "CroupierDiskNearlyFull", "page",
        f"min by (persistentvolumeclaim) (kubelet_volume_stats_available_bytes{{{HERE}}}"
        f" / kubelet_volume_stats_capacity_bytes{{{HERE}}}) < 0.1", "5m",
        "Nine tenths of {{ $labels.persistentvolumeclaim }} are used.",
        "Make it larger now: a broker whose disk is full ends, and play with it; a database whose disk is full writes "
        "nothing. Journals are kept for ever, so nothing in Kafka may be deleted to make room.",
        "Kafka's disk full",
    ),
    Alert(
        "CroupierDiskFills", "ticket",
        "min by (persistentvolumeclaim) "
        f"(predict_linear(kubelet_volume_stats_available_bytes{{{HERE}}}[6h], 345600)) < 0", "1h",
        "At the pace of the last six hours {{ $labels.persistentvolumeclaim }} is full in less than four days.",
        "Order a larger one; what an act costs on disk is in docs/capacity.md. Old months leave "
        "PostgreSQL with `croupier archive`.",
        "Kafka's disk full",
    ),
)  # fmt: skip
"""Of what runs beside the services, by figures of kube-state-metrics and the kubelet: on Kubernetes alone, where
`make kube-alerts` fires them."""


def shortened(text: str, by: int = 1) -> str:
    """Durations in an expression divided by `by`, in whole seconds, at least five: a drill scrapes each second."""
    if by == 1:
        return text
    return _DURATION.sub(lambda found: f"{found[1]}{max(5, int(found[2]) * _UNITS[found[3]] // by)}s", text)


def rules(by: int = 1, runbooks: str = "docs/alerts.md") -> dict[str, Any]:
    """A file of rules for Prometheus. `by`: all durations divided, for a drill."""
    recorded = [{"record": name, "expr": shortened(expr, by)} for name, expr in RECORDED.items()]
    return {
        "groups": [
            {"name": "croupier-recorded", "rules": recorded},
            {"name": "croupier", "rules": _alerting(ALERTS, by, runbooks)},
        ]
    }


def rules_of_cluster(by: int = 1, runbooks: str = "docs/alerts.md") -> dict[str, Any]:
    """The same of `CLUSTER`."""
    return {"groups": [{"name": "croupier-cluster", "rules": _alerting(CLUSTER, by, runbooks)}]}


def _alerting(alerts: tuple[Alert, ...], by: int, runbooks: str) -> list[dict[str, Any]]:
    return [
        {"alert": each.name, "expr": shortened(each.expr, by)}
        | ({} if each.lasting == "0s" else {"for": shortened(f"[{each.lasting}", by)[1:]})
        | {"labels": {"severity": each.severity}}
        | {"annotations": {"summary": each.says, "runbook_url": f"{runbooks}#{each.name.lower()}"}}
        for each in alerts
    ]
