"""`make kube`, `kube-drill`, `kube-alerts`, `kube-down`: a house on a real Kubernetes, and what breaking it costs."""

import argparse
import asyncio
import json
import subprocess

from tests.conftest import PROJECT
from tests.kube import cluster
from tests.kube.alerts import alerts
from tests.kube.drill import actions, drill
from tests.kube.page import PAGE, page
from tests.kube.reach import reach


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kube")
    parser.add_argument("what", choices=["up", "down", "drill", "alerts", "reach"])
    parser.add_argument("--only", default="", help="words of the names of actions, with commas between")
    parser.add_argument("--rounds", type=int, help="how often each is done at most")
    parser.add_argument("--repeat", type=int, help="how often each is done, with all its steps")
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--think", type=float, default=2.5, help="seconds a bot thinks before an act, on average")
    parser.add_argument("--other", default="", help="tag of an image of another version, which is in the cluster")
    parser.add_argument("--append", action="store_true", help="beside what the drill before found")
    parser.add_argument("--write", action="store_true", help="write the page in docs of what was found")
    given = parser.parse_args()
    if given.what == "reach":
        return reach()
    if given.what == "alerts":
        return alerts(given.write)
    if given.what != "drill":
        {"up": cluster.up, "down": cluster.down}[given.what]()
        return 0
    words = given.only.split(",")
    chosen = [each for each in actions(given.other) if any(word in each.name for word in words)]
    report = asyncio.run(drill(chosen, given.tables, given.think, given.rounds, given.repeat, given.append))
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    text = page(report, commit.stdout.strip(), given.tables, given.think)
    print(text)
    print(json.dumps(report))
    if given.write:
        PAGE.write_text(text)
    return 1 if report["void"] or report["unanswered"] or report["started_twice"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
