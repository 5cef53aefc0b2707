"""The configurations of all games as one type: events tell any of them, tagged by `game`."""

from typing import get_args

from libs.contracts.baccarat_configuration import BaccaratConfiguration
from libs.contracts.configurations import Configuration
from libs.contracts.no_draw_poker_configuration import NoDrawConfiguration
from libs.contracts.poker_configuration import PokerConfiguration

AnyConfiguration = PokerConfiguration | NoDrawConfiguration | BaccaratConfiguration
_KINDS: tuple[type[AnyConfiguration], ...] = get_args(AnyConfiguration)


def as_told(configuration: Configuration) -> AnyConfiguration:
    """What an event tells of a configuration: the operator's choices, without what a game makes of them."""
    kind = next(kind for kind in _KINDS if isinstance(configuration, kind))
    return kind(**{name: getattr(configuration, name) for name in kind.__struct_fields__})
