"""Policies: an event becomes a command with an id made of the event, so a repetition has no second effect."""

from libs.policies.commands import policy_command
from libs.policies.handler import Handler, Parking, React, Unanswerable
from libs.policies.router import policy_broker, policy_router

__all__ = ["Handler", "Parking", "React", "Unanswerable", "policy_broker", "policy_command", "policy_router"]
