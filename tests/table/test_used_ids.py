"""Ids that count once: as many as a table was ever asked with, and no more of them kept than its formats allow."""

from services.table.domain.table.state import USED_KEPT, UsedIds


def test_the_last_thousand_are_known_and_what_is_kept_stays_bounded() -> None:
    used, most = UsedIds(), 0
    for number in range(10 * USED_KEPT):
        used = used.and_(f"reservation-{number}")
        most = max(most, len(used))
        assert f"reservation-{max(0, number - USED_KEPT + 1)}" in used
    assert most <= 2 * USED_KEPT
    assert "reservation-0" not in used
