"""What earlier builds left in journals means today what it meant then."""

from pathlib import Path

import pytest

from tests.journal.golden_journals import folded, read, recordings


def test_there_are_recordings() -> None:
    assert recordings()


@pytest.mark.parametrize("file", recordings(), ids=lambda file: file.name.partition(".")[0])
def test_journals_of_earlier_builds_fold_to_what_they_were(file: Path) -> None:
    journals = read(file)
    assert {journal.service for journal in journals} == {"table", "wallet", "tournament"}
    for journal in journals:
        assert folded(journal) == journal.ends, f"{journal.service}, partition {journal.partition}"


def test_a_byte_that_is_another_shows() -> None:
    journal = next(each for each in read(recordings()[0]) if each.service == "table")
    last = max(offset for offset, value in enumerate(journal.values) if value)
    value = journal.values[last]
    assert value is not None
    journal.values[last] = value[:-1] + bytes([value[-1] ^ 1])
    assert folded(journal) != journal.ends
