"""Policies, written once: a public event to a command whose id comes from the event, so that twice does it once."""

from libs.policies.commands import policy_command
from libs.policies.handler import Handler, Parking, React, Unanswerable
from libs.policies.router import policy_broker, policy_router

__all__ = ["Handler", "Parking", "React", "Unanswerable", "policy_broker", "policy_command", "policy_router"]
