"""The bench still measures: its hands end alike in both engines, and both sides are timed."""

import warnings

import pytest

from tests.bench.engine import default_archive, measure, play_ours
from tests.bench.hands import pluribus, random_omaha


@pytest.fixture(autouse=True)
def _quiet() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_random_omaha_is_prepared_and_measured() -> None:
    hands = random_omaha(4, seed=1)
    result = measure("random pot-limit Omaha", hands, rounds=1, tick=lambda: None)
    assert result["count"] == 4
    assert result["events_per_hand"] == round(play_ours(hands) / 4, 1)
    assert result["ratio"]["median"] == pytest.approx(result["ours"]["median"] / result["pokerkit"]["median"], rel=0.05)


def test_hands_of_the_pluribus_match_are_prepared() -> None:
    archive = default_archive()
    if not archive.exists():
        pytest.skip("the archive of recorded hands is not beside the repository")
    assert len(pluribus(archive, 20)) == 20
