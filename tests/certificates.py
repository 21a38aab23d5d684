"""A certificate for a name, of this test alone."""

import subprocess
from pathlib import Path

import pytest


def certificate(folder: Path, name: str) -> Path:
    """A file with a key and a self-signed certificate; the test is skipped, visibly, where openssl is not installed."""
    key, made = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-days", "2"]
    try:
        subprocess.run([*command, *named, "-keyout", key, "-out", made], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not here: no certificate can be made")
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both
