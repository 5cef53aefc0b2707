"""Key files: refused by name, and never shown."""

from pathlib import Path

import pytest

from libs.sealing.key_files import BadKey, hex_key, secret_text


@pytest.mark.parametrize(
    ("content", "fault"),
    [("zz" * 32, "not hexadecimal"), ("ab" * 16, "16 bytes"), ("abc", "shorter"), ("é" * 40, "read")],
)
def test_a_bad_key_is_named_and_not_shown(tmp_path: Path, content: str, fault: str):
    file = tmp_path / "gateway.hex"
    file.write_text(content)
    with pytest.raises(BadKey, match=fault) as bad:
        hex_key(file)
    assert "gateway.hex" in str(bad.value)
    assert content not in str(bad.value)


def test_a_missing_key(tmp_path: Path):
    with pytest.raises(BadKey, match=r"session.hex can't be read"):
        secret_text(tmp_path / "session.hex")


def test_a_good_key(tmp_path: Path):
    file = tmp_path / "gateway.hex"
    file.write_text("ab" * 32 + "\n")
    assert hex_key(file) == bytes.fromhex("ab" * 32)
