"""Drawn hands in both engines; the long form is `python -m tests.differential`."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.differential.play import play_hand
from tests.differential.setting import drawn_setting


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_drawn_hand_goes_the_same_way_in_pokerkit(data: st.DataObject) -> None:
    def pick(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    play_hand(drawn_setting(pick), pick)
