"""Coming to the broker: address, login, encryption; who may read and write what; a cluster's users and rules."""

from libs.broker import lines
from libs.broker.broker import Broker, BrokerSettings
from libs.broker.refusal import LoginRefused, check_login

lines.install()

__all__ = ["Broker", "BrokerSettings", "LoginRefused", "check_login"]
