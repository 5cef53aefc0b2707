"""Views are kept over an update of the code: whoever changes how they are folded says whether that may go on."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

import libs.views
from services.gateway.kafka.keeps_views import FOLDS
from services.gateway.views import kept_table, put_by, tables, undecoded

PINNED = b"3", "53f72685c7f8846e"
"""`FOLDS`, and the code that it was said of."""


def test_the_code_that_folds_is_the_one_that_was_said_of_these_views() -> None:
    found = FOLDS, _digest()
    assert found == PINNED, (
        "The code that folds what gateways keep has changed. Where a view of any past log may come out otherwise, or"
        " what is kept has another shape, raise FOLDS (services/gateway/kafka/keeps_views.py): every gateway then reads"
        f" the whole log once. Where not, leave it. Then pin {found} here."
    )


def _digest() -> str:
    """Of what is done, whatever comments and docstrings say."""
    return hashlib.sha256("\n".join(_code()).encode()).hexdigest()[:16]


def _code() -> Iterator[str]:
    own = [Path(str(each.__file__)) for each in (tables, kept_table, put_by, undecoded)]
    for source in [*sorted(Path(libs.views.__file__).parent.glob("*.py")), *own]:
        tree = ast.parse(source.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value = ast.Constant(None)
        yield ast.dump(tree)
