"""Grafana's dashboard: promises first, then play, then what waits, then what must not be."""

from typing import Any

from services.cli.watching.alerts import OBJECTIVES

_ACTS = 'croupier_gateway_command_seconds_bucket{service="table"}'
ROWS: tuple[tuple[str, tuple[tuple[str, str, dict[str, str]], ...]], ...] = (
    ("Promises", (
        ("Answers of tables: p50, p99", "s", {
            "p50": f"histogram_quantile(0.5, sum by (le) (rate({_ACTS}[$__rate_interval])))",
            "p99": f"histogram_quantile(0.99, sum by (le) (rate({_ACTS}[$__rate_interval])))",
        }),
        ("Books behind", "s", {"behind": "max(croupier_projection_behind_seconds)"}),
        ("Hands void", "short", {"{{end}}": 'sum by (end) (croupier_audit_rounds_total{end!="paid"})'}),
        ("Budget burnt, times the promise (1 h)", "short",
         {each.key: f"{each.recorded('1h')} / {each.budget:g}" for each in OBJECTIVES}),
    )),
    ("Play", (
        ("Commands a second, by outcome", "short",
         {"{{outcome}}": "sum by (outcome) (rate(croupier_gateway_commands_total[$__rate_interval]))"}),
        ("Hands ended a minute", "short",
         {"ended": "60 * sum(rate(croupier_audit_rounds_total[$__rate_interval]))"}),
        ("WebSockets", "short", {"{{instance}}": "croupier_gateway_websocket_connections"}),
        ("Decided a second, by service and verdict", "short",
         {"{{service}} {{verdict}}": "sum by (service, verdict) (rate(croupier_commands_total[$__rate_interval]))"}),
    )),
    ("What waits", (
        ("From command to verdict, p99", "s", {
            "{{service}}": "histogram_quantile(0.99, sum by (service, le) "
                           "(rate(croupier_commit_seconds_bucket[$__rate_interval])))"}),
        ("Records behind", "short", {
            "books": "sum(croupier_projection_lag_records)",
            "auditor": "sum(croupier_audit_journal_lag_records)",
            "followers": "sum(croupier_follower_lag_records)",
        }),
        ("Commands without a verdict", "short", {"{{service}}": "sum by (service) (croupier_commands_open)"}),
        ("Processes that answer", "short", {"{{component}}": 'sum by (component) (up{job="croupier"})'}),
    )),
    ("What must not be", (
        ("Alerts that fire", "short", {"{{alertname}}": 'count by (alertname) (ALERTS{alertstate="firing"})'}),
        ("Not ready", "short", {"{{component}} {{check}}": "max by (component, check) (croupier_not_ready) > 0"}),
        ("Findings of the auditor", "short",
         {"{{kind}} ({{severity}})": "sum by (kind, severity) (croupier_audit_findings_total)"}),
        ("Refused at the edge a second", "short", {
            "{{problem}}": "sum by (problem) (rate(croupier_edge_refused_total[$__rate_interval]))",
            "{{share}}": "sum by (share) (rate(croupier_edge_too_many_requests_total[$__rate_interval]))",
        }),
    )),
    ("Platforms at Kafka", (
        ("Doors that answer", "short", {"doors": 'sum(up{job="croupier",component="door"})'}),
        ("Connections through the door", "short", {"{{instance}}": "croupier_door_connections"}),
        ("Refused at the door a minute", "short",
         {"{{reason}}": "60 * sum by (reason) (rate(croupier_door_refused_total[$__rate_interval]))"}),
    )),
)  # fmt: skip
"""Heading; panels: title, unit, and legend to expression."""
_WIDTH, _HEIGHT = 6, 7


def dashboard() -> dict[str, Any]:
    """As Grafana imports it; the data source is asked for."""
    panels: list[dict[str, Any]] = []
    for row, (heading, those) in enumerate(ROWS):
        top = row * (_HEIGHT + 1)
        panels.append({"type": "row", "title": heading, "gridPos": {"x": 0, "y": top, "w": 24, "h": 1}, "panels": []})
        for column, (title, unit, series) in enumerate(those):
            panels.append({
                "type": "timeseries", "title": title,
                "datasource": {"type": "prometheus", "uid": "${source}"},
                "gridPos": {"x": column * _WIDTH, "y": top + 1, "w": _WIDTH, "h": _HEIGHT},
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "targets": [{"refId": chr(ord("A") + at), "expr": expr, "legendFormat": legend}
                            for at, (legend, expr) in enumerate(series.items())],
            })  # fmt: skip
    for number, panel in enumerate(panels, 1):
        panel["id"] = number
    source = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    return {
        "uid": "croupier", "title": "Croupier", "tags": ["croupier"], "schemaVersion": 39, "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"}, "templating": {"list": [source]}, "panels": panels,
    }  # fmt: skip
