"""Who may talk to a Prefect server that we start: whoever has its login, by one of the server's own names.

Whoever may talk to it may have any command run: a deployment can have steps. So each server gets a login of its own,
which goes to our processes through their environment and to its user through a file that nobody else can read."""

import json
import os
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from rarefy.tasks.private import open_file

SERVER, CLIENT = "PREFECT_SERVER_API_AUTH_STRING", "PREFECT_API_AUTH_STRING"  # the same, for the two ends
ORIGINS = "PREFECT_SERVER_CORS_ALLOWED_ORIGINS"
FILE = "login"  # in the home of `rarefy serve`
NAMES = "RAREFY_SERVE_HOSTS"  # more names, with commas between them, by which browsers reach the server


def create_login() -> str:
    """A new login; it has a user and a password, so that a browser's own prompt takes it too."""
    return f"rarefy:{token_urlsafe(32)}"


def write_login(home: Path, credentials: str) -> Path:
    """Write the login into a file that its owner alone can read; returns its path."""
    place = home / FILE
    place.unlink(missing_ok=True)  # with whatever mode it had
    with open_file(place) as file:
        file.write(credentials + "\n")
    return place


def host_names(host: str) -> list[str]:
    """The host names by which a server that listens at this address is reached, as in a Host header.

    Any other name is somebody else's, whose page asks a browser here to talk to this machine (DNS rebinding).
    """
    found = ["localhost", "127.0.0.1", "[::1]"]
    if host in ("0.0.0.0", "::", ""):
        found += [socket.gethostname(), socket.getfqdn(), *_addresses()]
    elif host:
        found.append(_bracketed(host))
    found += [name.strip() for name in os.environ.get(NAMES, "").split(",")]
    return list(dict.fromkeys(name.lower() for name in found if name))


def allowed_origins(host: str, port: int) -> list[str]:
    """The origins of the pages that may talk to this server from a browser: its own."""
    more = [name.strip().lower() for name in os.environ.get(NAMES, "").split(",") if name.strip()]
    return [f"http://{name}:{port}" for name in host_names(host)] + [
        f"{scheme}://{name}" for name in more for scheme in ("https", "http")
    ]


def restrict_hosts(app: Any, hosts: Sequence[str]) -> Any:
    """The ASGI app, which answers 400 to requests for any other host."""
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    return TrustedHostMiddleware(app, allowed_hosts=list(hosts), www_redirect=False)


def _addresses() -> list[str]:
    """The addresses of this machine."""
    import psutil

    families = (socket.AF_INET, socket.AF_INET6)
    return [
        _bracketed(one.address.partition("%")[0])
        for some in psutil.net_if_addrs().values()
        for one in some
        if one.family in families
    ]


def _bracketed(host: str) -> str:
    try:
        return f"[{host}]" if ip_address(host).version == 6 else host
    except ValueError:
        return host


SHOWN = "RAREFY_SHOWN"  # JSON: address by folder


def address_of_file(path: str | Path) -> str:
    """The URL of a file that `rarefy serve` shows, its path where none does."""
    there = Path(path).expanduser().resolve()
    for folder, address in json.loads(os.environ.get(SHOWN, "{}")).items():
        if there.is_relative_to(folder):
            return "/".join([address, *there.relative_to(folder).parts])
    return str(path)


def markdown_link(name: str, path: str | Path) -> str:
    """A Markdown link to a file, or its path where no server shows it."""
    address = address_of_file(path)
    return f"[{name}]({address})" if "://" in address else f"{name}: `{address}`"


ENDING = "RAREFY_ENDING"  # in the environment: a file that is there while `rarefy serve` ends


def is_shutting_down() -> bool:
    """Whether `rarefy serve` is ending, so that what it cuts off is nobody's fault."""
    file = os.environ.get(ENDING, "")
    return bool(file) and Path(file).exists()
