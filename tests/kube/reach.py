"""`python -m tests.kube reach`: which pod reaches which port, held against what the policies say.

It tells something only where they are enforced: `tests/kube/policies.sh` does so on the tool's node.
"""

import json

from tests.kube.cluster import NAMESPACE, kubectl
from tests.kube.drill import PLATFORM, platform_comes

PORTS = (
    ("casa-door", 9100), ("casa-gateway", 8080), ("casa-wallet", 8080), ("casa-audit", 8080), ("kafka", 9092),
    ("kafka", 9094), ("postgres", 5432),
)  # fmt: skip
_EVERYBODY = {("casa-door", 9100), ("casa-gateway", 8080)}
_LOG, _BOOKS = ("kafka", 9092), ("postgres", 5432)
_READ = {("casa-wallet", 8080), ("casa-audit", 8080)}
MAY: dict[tuple[str, str], set[tuple[str, int]]] = {
    (PLATFORM, "pod/reader"): _EVERYBODY,
    (NAMESPACE, "deploy/casa-door"): {("kafka", 9094)},
    (NAMESPACE, "deploy/casa-gateway"): {_LOG, *_READ},
    (NAMESPACE, "deploy/casa-audit"): {_LOG, _BOOKS},
    (NAMESPACE, "statefulset/casa-wallet"): {_LOG, _BOOKS},
    (NAMESPACE, "statefulset/casa-table"): {_LOG},
    (NAMESPACE, "statefulset/casa-tournament"): {_LOG},
}
"""By namespace and pod. A platform is bound by nobody's policy on its way out, the house's pods by their own."""
_ASK = """
import json, socket
def reached(host, port):
    try:
        socket.create_connection((f"{host}.NAMESPACE.svc", port), 5).close()
    except OSError:
        return False
    return True
print(json.dumps([[host, port] for host, port in PORTS if reached(host, port)]))
"""


def reach() -> int:
    """1 where something is reached that must not be, or the other way round."""
    platform_comes()
    ask = _ASK.replace("NAMESPACE", NAMESPACE).replace("PORTS", repr(PORTS))
    wrong = 0
    for (space, pod), may in MAY.items():
        said = kubectl("exec", "-n", space, pod, "--", "python3", "-c", ask)
        own = pod.rpartition("/")[2]  # no policy keeps a pod from itself
        seen = {(host, port) for host, port in json.loads(said.splitlines()[-1]) if host != own}
        wrong += len(seen ^ may)
        told = ", ".join(f"{host}:{port}" for host, port in sorted(seen))
        print(f"{space} {pod} reaches {told or 'nothing'}", *(f"| WRONG: {each}" for each in sorted(seen ^ may)))
    return 1 if wrong else 0
