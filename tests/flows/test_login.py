"""Who may talk to a Prefect server that we start: nobody without its login, and nobody by another name."""

import base64
import os
import stat

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from rarefy.flows.engine import prefect_server
from rarefy.flows.faults import Fault
from rarefy.flows.serving.login import (
    NAMES,
    SERVER,
    allowed_origins,
    create_login,
    host_names,
    restrict_hosts,
    write_login,
)
from rarefy.flows.serving.processes import _folder


async def fine(request: object) -> PlainTextResponse:
    return PlainTextResponse("fine")


async def socket(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.close()


APP = Starlette(routes=[Route("/", fine), WebSocketRoute("/ws", socket)])


def test_each_login_is_another_one_and_no_guess():
    found = {create_login() for _ in range(100)}
    assert len(found) == 100 and all(len(one.partition(":")[2]) > 40 for one in found)


def test_the_file_of_the_login_is_its_owners_alone_whatever_stood_there(tmp_path):
    before = os.umask(0)
    try:
        (tmp_path / "login").write_text("an older one")
        place = write_login(tmp_path, "rarefy:x")
    finally:
        os.umask(before)
    assert place.read_text() == "rarefy:x\n" and stat.S_IMODE(place.stat().st_mode) == 0o600


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:4200", "localhost:4200", "LOCALHOST", "[::1]:4200", "a.lan"])
def test_the_names_of_a_server_are_answered(host):
    client = TestClient(restrict_hosts(APP, host_names("a.lan")))
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:4200", "127.0.0.1.evil.example", "localhost.evil.example", "", "a b", "*", "127.1"],
)
def test_other_names_are_not(host):
    client = TestClient(restrict_hosts(APP, host_names("127.0.0.1")))
    assert client.get("/", headers={"Host": host}).status_code == 400
    with pytest.raises(WebSocketDenialResponse) as caught, client.websocket_connect("/ws", headers={"Host": host}):
        pass
    assert caught.value.status_code == 400


def test_a_server_for_all_has_the_names_of_its_machine_and_those_that_it_is_told(monkeypatch):
    monkeypatch.setenv(NAMES, "bench.example.org, other.example.org")
    found = host_names("0.0.0.0")
    assert {"localhost", "127.0.0.1", "bench.example.org", "other.example.org"} <= set(found)
    assert "0.0.0.0" not in found and "*" not in found and "" not in found
    assert "https://bench.example.org" in allowed_origins("0.0.0.0", 4200)
    monkeypatch.delenv(NAMES)
    assert allowed_origins("127.0.0.1", 4200) == ["http://localhost:4200", "http://127.0.0.1:4200", "http://[::1]:4200"]


def test_a_report_is_shown_to_whoever_has_the_login(monkeypatch, tmp_path):
    monkeypatch.setenv(SERVER, "rarefy:right")
    (tmp_path / "report.html").write_text("<html>")
    client = TestClient(Starlette(routes=[_folder("benchmark", str(tmp_path))]))

    def status(told: str) -> int:
        return client.get("/rarefy/benchmark/report.html", headers={"Authorization": told}).status_code

    assert client.get("/rarefy/benchmark/report.html").headers["WWW-Authenticate"] == 'Basic realm="rarefy"'
    assert status("Basic " + base64.b64encode(b"rarefy:right").decode()) == 200
    for wrong in ("", "Basic", "Basic !", "Bearer rarefy:right", "Basic " + base64.b64encode(b"rarefy:").decode()):
        assert status(wrong) == 401
    monkeypatch.setenv(SERVER, "")
    assert status("Basic ") == 401, "where there is no login, nobody has it"


@pytest.mark.parametrize("password", ["Zx81pass", "Zx81/pass", "pa/Zx81", "pa:Zx81", "pa@Zx81", "pa?Zx81"])
def test_a_password_in_the_address_of_a_server_that_does_not_answer_is_not_told(monkeypatch, password):
    monkeypatch.setenv("PREFECT_API_URL", f"http://me:{password}@127.0.0.1:1/api?token=Zx81more")
    monkeypatch.setattr(prefect_server, "_server", None)
    with pytest.raises(Fault, match="does not answer") as caught:
        prefect_server.wait()
    assert "Zx81" not in str(caught.value) and caught.value.__cause__ is None
