"""`make kube`, `make kube-drill`, `make kube-down`: a house on a real Kubernetes, and what breaking it costs."""

import argparse

from tests.kube import cluster


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.kube")
    parser.add_argument("what", choices=["up", "down"])
    given = parser.parse_args()
    {"up": cluster.up, "down": cluster.down}[given.what]()


if __name__ == "__main__":
    main()
