"""The configurations of all games as one type: events tell any of them, tagged by `game`."""

from collections.abc import Mapping
from typing import get_args

from libs.contracts.baccarat_configuration import BaccaratConfiguration
from libs.contracts.configurations import Configuration
from libs.contracts.no_draw_poker_configuration import NoDrawConfiguration
from libs.contracts.poker_configuration import PokerConfiguration

AnyConfiguration = PokerConfiguration | NoDrawConfiguration | BaccaratConfiguration
KINDS: Mapping[str, type[AnyConfiguration]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyConfiguration)
}
"""By game, as configurations and rulebooks name it."""


def as_told(configuration: Configuration) -> AnyConfiguration:
    """What an event tells of a configuration: the operator's choices, without what a game makes of them."""
    kind = next(kind for kind in KINDS.values() if isinstance(configuration, kind))
    return kind(**{name: getattr(configuration, name) for name in kind.__struct_fields__})
