"""Who wants something of the house: players, the operator's platform, staff. They ask again when nothing is heard."""
