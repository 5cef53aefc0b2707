"""Policies: an event becomes a command with an id made of the event, so a repetition has no second effect."""

from libs.policies.handler import Handler, Reactions, first_of, policy_command
from libs.policies.router import Policies, policy_log

__all__ = ["Handler", "Policies", "Reactions", "first_of", "policy_command", "policy_log"]
