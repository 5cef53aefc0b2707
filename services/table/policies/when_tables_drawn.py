"""Tables were drawn by suits at one of them: the others hear who plays where (pt-217-2007 25)."""

from libs.contracts.draw_commands import AssignPlaces
from libs.contracts.draw_events import TablesDrawn
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.policies import policy_command


def when_tables_drawn(event: PublicEvent, fact: TablesDrawn) -> list[CommandMessage]:
    told = AssignPlaces(
        players=[card.player for card in fact.cards],
        suits=[card.suit for card in fact.cards],
        tables=[card.of_table for card in fact.cards],
        drawn_at=fact.table,
    )
    others = [table for table in fact.tables if table != fact.table]
    return [policy_command(event, table, told, f"table.when_tables_drawn.{table}") for table in others]
