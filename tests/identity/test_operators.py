"""Operators' credentials: added, rotated and revoked while somebody uses them; kept as digests alone."""

import threading
from pathlib import Path

import pytest

from libs.identity.operators import (
    LOOK_AGAIN_S,
    Operators,
    UnknownCredential,
    add_operator,
    read_credentials,
    revoke_operator,
    rotate_operator,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += LOOK_AGAIN_S
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "operators.json"


def test_added_used_and_revoked_without_a_restart(file: Path) -> None:
    operators = Operators(file, Clock())
    token = add_operator(file, "acme", ["money"], 0)
    caller = operators.caller(token, 1)
    assert caller is not None
    assert (str(caller.principal), caller.scopes, caller.roles) == ("operator:acme", {"money"}, frozenset())
    assert token not in file.read_text()
    assert token not in repr(operators)
    other = add_operator(file, "beta", ["tables"], 0)
    revoke_operator(file, "acme")
    assert operators.caller(token, 2) is None
    assert operators.caller(other, 2) is not None
    with pytest.raises(UnknownCredential):
        revoke_operator(file, "acme")


def test_the_old_token_of_a_rotated_credential_is_good_for_its_grace(file: Path) -> None:
    operators = Operators(file, Clock())
    old = add_operator(file, "acme", ["money"], 0)
    new = add_operator(file, "acme", ["money"], 1_000, grace_ms=5_000)
    assert operators.caller(old, 5_999) is not None
    assert operators.caller(old, 6_000) is None
    assert operators.caller(new, 10**15) is not None
    newest = add_operator(file, "acme", ["money"], 7_000)
    assert [operators.caller(token, 7_001) is not None for token in (old, new, newest)] == [False, False, True]


def test_a_file_that_breaks_changes_nothing_and_is_told(file: Path) -> None:
    operators = Operators(file, Clock())
    token = add_operator(file, "acme", ["money"], 0)
    assert operators.told() is None
    for broken in ("{", '{"operators":[{"name":"x","scopes":["everything"],"digests":[]}]}'):
        file.write_text(broken)
        assert operators.caller(token, 1) is not None
        assert operators.told() is not None
    file.unlink()
    assert operators.told() is not None
    add_operator(file, "beta", [], 0)
    assert (operators.told(), operators.caller(token, 1)) == (None, None)


def test_without_a_file_nobody_comes_in() -> None:
    operators = Operators(None)
    assert operators.caller("croupier-operator.acme.x", 0) is None
    assert operators.told() is None


@pytest.mark.parametrize("name", ["", "Acme", "a b", "x" * 33, "-a", "a/b", "a\n"])
def test_a_name_is_plain(file: Path, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        add_operator(file, name, ["money"], 0)


def test_of_two_who_change_the_file_at_once_neither_undoes_the_other(file: Path) -> None:
    """A revoked credential must not come back by somebody else's rotation that had read the file before."""
    names = [f"a{number}" for number in range(20)]
    for name in (*names, "kept"):
        add_operator(file, name, ["money"], 0)
    go = threading.Barrier(2)

    def rotating() -> None:
        go.wait()
        for _ in range(40):
            rotate_operator(file, "kept", 1, 1_000)

    other = threading.Thread(target=rotating)
    other.start()
    go.wait()
    for name in names:
        revoke_operator(file, name)
    other.join()
    [kept] = read_credentials(file).operators
    assert (kept.name, len(kept.digests)) == ("kept", 41)


def test_who_is_revoked_meanwhile_gets_no_new_token(file: Path) -> None:
    add_operator(file, "acme", ["money"], 0)
    revoke_operator(file, "acme")
    with pytest.raises(UnknownCredential):
        rotate_operator(file, "acme", 1, 1_000)
    assert read_credentials(file).operators == []


def test_the_houses_own_scope_stands_alone(file: Path) -> None:
    """Found by an attacker: with `reports` beside it somebody read hands and statements without a purpose on record."""
    with pytest.raises(ValueError, match="stands alone"):
        add_operator(file, "ghost", ["house", "reports"], 0)
    token = add_operator(file, "wallet", ["house"], 0)
    operators = Operators(file, Clock())
    file.write_text(file.read_text().replace('"house"', '"house", "reports"', 1))
    assert operators.caller(token, 1) is None, "a file that somebody has written into lets nobody in"
    assert operators.trouble is not None
