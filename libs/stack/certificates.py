"""A certificate authority and a certificate for the brokers of this home, made once: TLS on loopback. And the same for
a platforms' door elsewhere."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from libs.stack.logins import Logins, write_secret

_VALID = timedelta(days=3650)
"""As long as anybody keeps a local stack. The authority's key is thrown away: it vouches for nobody else, ever."""


def ensure(logins: Logins) -> None:
    """Makes both unless they are there."""
    if not (logins.node_certificate.exists() and logins.ca.exists()):
        _make(logins.node_certificate, logins.ca, [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")])


def ensure_for(name: str | None, certificate: Path, ca: Path) -> None:
    """Makes both for the host `name` unless they are there and for it (None: for any). Who believed the authority
    before has to be given the new one."""
    if certificate.exists() and ca.exists():
        there = x509.load_pem_x509_certificate(certificate.read_bytes())
        named = there.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if name is None or named.get_values_for_type(x509.DNSName) == [name]:
            return
    _make(certificate, ca, [x509.DNSName(name or "localhost")])


def _make(certificate: Path, ca: Path, names: list[x509.GeneralName]) -> None:
    authority_key, key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    authority = _authority(authority_key)
    node = _node(key, authority, authority_key, names)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    chain = b"".join((pem, node.public_bytes(Encoding.PEM), authority.public_bytes(Encoding.PEM)))
    write_secret(certificate, chain.decode())
    write_secret(ca, authority.public_bytes(Encoding.PEM).decode())


def _authority(key: EllipticCurvePrivateKey) -> x509.Certificate:
    return (
        _begun("croupier local stack", "croupier local stack", key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _node(
    key: EllipticCurvePrivateKey,
    authority: x509.Certificate,
    authority_key: EllipticCurvePrivateKey,
    names: list[x509.GeneralName],
) -> x509.Certificate:
    # Both: a broker is a client of the other brokers, too.
    both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    return (
        _begun("kafka", "croupier local stack", key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(both), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )  # fmt: skip


def _begun(subject: str, issuer: str, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_named(subject))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs, key_cert_sign=signs, crl_sign=signs,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
