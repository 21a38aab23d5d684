"""The compose file, read as a person would who is to run it: nothing open, nothing floating, nothing as root.

The files are looked at, not run: `make test-containers` does that.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import machines
import pytest
import yaml

from rarefy.flows.config import load

ROOT = Path(__file__).resolve().parent.parent.parent
INFRA = ROOT / "infra"
TEXT = (INFRA / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ONCE = {"bucket", "deployments", "objects"}  # that do one thing and end
EXAMPLE = dict(
    line.split("=", 1) for line in (INFRA / ".env.example").read_text().splitlines() if line and line[0] != "#"
)
OURS = {name for name, service in SERVICES.items() if str(service["image"]).startswith("rarefy:")}


def environment(service: dict[str, Any]) -> dict[str, str]:
    given = service.get("environment", {})
    return dict(item.split("=", 1) for item in given) if isinstance(given, list) else given


def test_it_has_every_part():
    images = " ".join(service["image"] for service in SERVICES.values())
    assert all(part in images for part in ("postgres", "minio", "elasticsearch:9.", "vllm", "rarefy"))
    commands = " ".join(" ".join(service.get("command", [])) for service in SERVICES.values())
    assert all(part in commands for part in ("dask scheduler", "dask worker", "prefect server", "prefect worker"))


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_pinned_watched_restarted_and_no_root(name):
    service = SERVICES[name]
    tag = service["image"].rpartition(":")[2]
    assert re.search(r"\d", tag) and tag != "latest"
    owner = str(service["user"])
    assert re.fullmatch(r"[1-9]\d*:\d+", owner), owner
    assert service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged") and "network_mode" not in service
    if name in ONCE:
        assert service["restart"] in {"no", "on-failure:5"} and service["healthcheck"] == {"disable": True}
    else:
        assert service["restart"] == "unless-stopped" and service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
        assert service["healthcheck"]["retries"] and service["healthcheck"]["timeout"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_for_what_it_needs(name):
    for other, how in SERVICES[name].get("depends_on", {}).items():
        expected = "service_completed_successfully" if other in ONCE else "service_healthy"
        assert other in SERVICES and how["condition"] == expected
        assert not SERVICES[other].get("profiles")


def test_nothing_waits_in_a_circle():
    waiting = {name: set(service.get("depends_on", {})) for name, service in SERVICES.items()}
    while free := {name for name, needs in waiting.items() if not needs}:
        waiting = {name: needs - free for name, needs in waiting.items() if name not in free}
    assert not waiting


def test_one_service_builds_the_image_of_all_of_ours():
    assert [name for name in OURS if "build" in SERVICES[name]] == ["objects"]
    assert {SERVICES[name]["pull_policy"] for name in OURS} == {"never"}


def test_folders_in_memory_belong_to_their_user():
    """Without the owner they are root's again after a restart."""
    for service in SERVICES.values():
        owner, _, group = service["user"].partition(":")
        for place in service.get("tmpfs", []):
            assert place.endswith(f":uid={owner},gid={group},mode=0700")


def test_links_lead_to_the_page_that_is_published():
    (port,) = SERVICES["prefect"]["ports"]
    page = "http://" + port.rpartition(":")[0]
    assert environment(SERVICES["prefect"])["PREFECT_UI_API_URL"] == f"{page}/api"
    for name in ("prefect-worker", "deployments"):
        assert environment(SERVICES[name])["PREFECT_UI_URL"] == page


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_published_beyond_this_machine(name):
    assert all(str(port).startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


def test_no_secret_is_written_down():
    for name, service in SERVICES.items():
        for key, value in environment(service).items():
            if re.search(r"PASSWORD|SECRET|_KEY|PGPASS|AUTH_STRING", key):
                assert re.fullmatch(r"\$\{\w+:[?-].*\}", str(value)), f"{name}: {key}"
    assert not re.search(r"://[^\s/:@]+:(?!\$\{)[^\s/@]+@", TEXT)
    secret = {name: value for name, value in EXAMPLE.items() if re.search(r"PASSWORD|KEY|URL|LOGIN", name)}
    assert secret and not any(secret.values())


def test_every_variable_is_in_the_example():
    asked = set(re.findall(r"(?<!\$)\$\{(\w+)", TEXT))
    assert asked == set(EXAMPLE)


def test_secrets_that_services_cannot_do_without_are_asked_for():
    for name in ("POSTGRES_PASSWORD", "MINIO_ROOT_PASSWORD", "PREFECT_LOGIN"):
        assert f"${{{name}:?" in TEXT and f"${{{name}:-" not in TEXT


def test_prefect_wants_a_login_and_whoever_talks_to_it_has_it():
    assert "PREFECT_SERVER_API_AUTH_STRING" in environment(SERVICES["prefect"])
    assert "*" not in environment(SERVICES["prefect"])["PREFECT_SERVER_CORS_ALLOWED_ORIGINS"]
    for name, service in SERVICES.items():
        if "PREFECT_API_URL" in environment(service):
            assert "PREFECT_API_AUTH_STRING" in environment(service), name


def test_volumes_are_declared_and_used():
    used = {str(v).split(":")[0] for s in SERVICES.values() for v in s.get("volumes", [])}
    named = {name for name in used if not name.startswith((".", "$", "/"))}
    assert named == set(COMPOSE["volumes"])
    for path in (path for path in used if path.startswith("./")):
        assert (INFRA / path).exists(), path


def test_whatever_is_ours_is_the_version_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {SERVICES[name]["image"] for name in OURS} == {f"rarefy:{version}"}


@pytest.mark.parametrize("name", sorted(OURS - ONCE))
def test_our_services_are_asked_where_they_listen(name):
    service = SERVICES[name]
    url, command = environment(service)["RAREFY_HEALTH"], " ".join(service["command"])
    port = re.search(r":(\d+)/", url)
    assert port and url.startswith("http://127.0.0.1:")
    assert port[1] in command or (name == "prefect-worker" and port[1] == "8080" and "--with-healthcheck" in command)


def test_who_works_and_who_starts_the_work_see_the_same_places():
    worker, starter = environment(SERVICES["dask-worker"]), environment(SERVICES["prefect-worker"])
    for name in ("AWS_ENDPOINT_URL_S3", "RAREFY_STORE", "RAREFY_REPLIES", "OPENAI_API_KEY", "PGPASSWORD"):
        assert worker[name] == starter[name]


def test_the_config_names_what_the_services_are_called():
    config = load(INFRA / "rarefy.toml")
    worker = environment(SERVICES["prefect-worker"])
    assert config.deploy.store == worker["RAREFY_STORE"]
    host, _, port = config.deploy.dask.removeprefix("tcp://").partition(":")
    assert host in SERVICES and port in SERVICES[host]["command"]
    assert config.deploy.work_pool in SERVICES["prefect-worker"]["command"]
    assert config.deploy.out.startswith("/benchmarks") and "benchmarks:/benchmarks" in str(SERVICES["prefect-worker"])


def test_the_bucket_is_made_once_and_left_alone_after():
    """The command of the service, against the S3 server of tests."""
    with machines.object_store() as url:
        import s3fs

        code = SERVICES["bucket"]["command"][2]
        for _ in range(2):
            subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
        store = s3fs.S3FileSystem(use_listings_cache=False)
        assert store.exists("rarefy") and environment(SERVICES["dask-worker"])["RAREFY_STORE"].startswith(
            "s3://rarefy/"
        )
        assert url


def test_scheduler_and_worker_start_as_they_are_told_and_say_that_they_are_well(tmp_path):
    """Their commands, on other ports, with the health check of the image."""
    ports = {port: str(machines.free_port()) for port in ("8786", "8787", "8788")}

    def moved(text: str) -> str:
        text = text.replace("0.0.0.0", "127.0.0.1").replace("dask-scheduler", "127.0.0.1")
        text = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", text)
        for port, other in ports.items():
            text = text.replace(port, other)
        return text

    def healthy(url: str) -> bool:
        check = [sys.executable, str(INFRA / "health.py")]
        return subprocess.run(check, env={**os.environ, "RAREFY_HEALTH": url}, capture_output=True).returncode == 0

    started = []
    try:
        for name in ("dask-scheduler", "dask-worker"):
            command = [sys.executable, "-m", *map(moved, SERVICES[name]["command"])]
            with (tmp_path / name).open("wb") as log:
                started.append(subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True))
            url = moved(environment(SERVICES[name])["RAREFY_HEALTH"])
            machines.until(lambda url=url: healthy(url), name)
    finally:
        for process in started:
            machines.ended(process)


def test_it_keeps_the_compose_specification():
    checker = shutil.which("check-jsonschema")
    if not checker:
        pytest.skip("no check-jsonschema here: pip install check-jsonschema")
    command = [checker, "--builtin-schema", "vendor.compose-spec", str(INFRA / "compose.yaml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
