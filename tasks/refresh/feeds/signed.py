"""Who may name a document: one who knows the secret, now, and once (the header X-Rarefy-Signature)."""

import hashlib
import hmac
import re
from collections.abc import Sequence

HEADER = "X-Rarefy-Signature"
VARIABLE = "RAREFY_WEBHOOK_SECRET"
SHORTEST = 16  # letters of a secret
FORM = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")


class Unsigned(Exception):
    """The signature does not hold; the message says why, and tells nothing of the secret."""


def secrets(environment: str) -> tuple[str, ...]:
    """The secrets of the environment variable: one, or with a space between an old and a new one while they change.

    Raises ValueError where there is none, or one that could be guessed.
    """
    found = tuple(environment.split())
    if not found:
        raise ValueError(f"{VARIABLE} is not set: without a secret anybody could name documents; set it on both sides")
    if any(len(secret) < SHORTEST for secret in found):
        raise ValueError(f"{VARIABLE} is shorter than {SHORTEST} letters; `openssl rand -hex 32` makes a good one")
    return found


def sign(body: bytes, secret: str, at: int) -> str:
    """The header's value for this body at this Unix time."""
    return f"t={at},v1={_digest(body, secret, str(at))}"


def verify(header: str, body: bytes, known: Sequence[str], now: float, window: float) -> str:
    """The name under which this signature is remembered, so that it counts once; Unsigned where it does not hold."""
    match = FORM.fullmatch(header.strip())
    if match is None:
        raise Unsigned(f"no signature: {HEADER}: t=<unix time>,v1=<hex of the HMAC-SHA256 of t.body> is wanted")
    at, given = match[1], match[2]
    # every secret is tried, and each comparison takes the same time whatever is wrong
    if not sum(hmac.compare_digest(_digest(body, secret, at), given) for secret in known):
        raise Unsigned("the signature does not fit the body; is the secret the same on both sides?")
    if abs(now - int(at)) > window:
        raise Unsigned(
            f"the signature's time lies {abs(now - int(at)):,.0f} s from ours, {window:,.0f} are allowed; sign anew, "
            "or set the clocks"
        )
    return hashlib.sha256(given.encode()).hexdigest()[:32]


def _digest(body: bytes, secret: str, at: str) -> str:
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
