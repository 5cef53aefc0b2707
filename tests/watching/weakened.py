"""Runs a service on a machine that is worse than it knows: `python -m tests.watching.weakened services.table`.

`DRILL_WEAKENED=entropy`: its random source gives the same byte for ever. `checks`: it looks at its own files every two
seconds, not once a day. `snapshots`: none may have more than 64 bytes. `beside`: it decides in a group of its own.
"""

import os
import runpy
import sys

from libs import integrity
from libs.contracts import groups, topics


def main() -> None:
    how = os.environ["DRILL_WEAKENED"]
    if how == "entropy":
        os.urandom = lambda size: b"\x07" * size  # before anything that shuffles binds it
    elif how == "snapshots":
        topics.MAX_SNAPSHOT_BYTES = 64
    elif how == "beside":
        of = groups.group_of
        groups.group_of = lambda name: of(name)._replace(name=f"{name}-beside")
    else:
        integrity.EVERY_S = 2
    runpy.run_module(sys.argv[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
