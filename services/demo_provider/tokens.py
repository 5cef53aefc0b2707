"""Access tokens of the demo's provider, and the keys with which they are signed."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm

LIFE_S = 600


@dataclass(frozen=True, slots=True)
class SigningKey:
    id: str
    private: Ed25519PrivateKey

    @property
    def jwk(self) -> dict[str, Any]:
        """The public half, as it is published."""
        public: dict[str, Any] = OKPAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**public, "kid": self.id, "use": "sig", "alg": "EdDSA"}


def signing_key(seed: bytes) -> SigningKey:
    """Of 32 bytes, always the same one."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return SigningKey(private.public_key().public_bytes_raw().hex()[:16], private)


def access_token(
    key: SigningKey, issuer: str, audience: str, subject: str, roles: Iterable[str], life_s: int = LIFE_S, **more: Any
) -> str:
    now = int(time.time())
    claims = {
        "iss": issuer,
        "aud": audience,
        "sub": subject,
        "roles": list(roles),
        "iat": now,
        "exp": now + life_s,
        "jti": uuid4().hex,
    }
    return jwt.encode(claims | more, key.private, algorithm="EdDSA", headers={"kid": key.id, "typ": "at+jwt"})
