"""Runs a service on a machine that is worse than it knows: `python -m tests.watching.weakened services.table`.

`DRILL_WEAKENED=entropy`: its random source gives the same byte for ever. `checks`: it looks at its own files every two
seconds, not once a day.
"""

import os
import runpy
import sys

from libs import integrity


def main() -> None:
    if os.environ["DRILL_WEAKENED"] == "entropy":
        os.urandom = lambda size: b"\x07" * size  # before anything that shuffles binds it
    else:
        integrity.EVERY_S = 2
    runpy.run_module(sys.argv[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
