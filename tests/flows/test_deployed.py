"""What is deployed: flows with small parameters that a server checks, the same by command and by prefect.yaml."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest
import yaml
from evaluated import CONFIG
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter
from prefect.exceptions import PrefectHTTPStatusError
from prefect.states import Running, Scheduled
from prefect.utilities.callables import parameter_schema

from rarefy.flows import deployed
from rarefy.flows.cli import main
from rarefy.flows.config import Config, load
from rarefy.flows.engine import prefect_server
from rarefy.flows.engine.deliver import build_settings
from rarefy.flows.engine.prefect_server import artifact_key
from rarefy.flows.faults import Fault, NobodyAnswers, Outage, UsageFault
from rarefy.flows.serving import deployment_run, deployments, flow_runs, login
from rarefy.flows.serving.config import KINDS, Deploy, full_name, seconds_of
from rarefy.flows.serving.deployments import plan_deployments, register
from rarefy.flows.serving.flow_runs import clean_up_runs
from rarefy.tasks.evaluate.protocols import PROTOCOLS

YAML = Path(__file__).parents[2] / "infra" / "prefect.yaml"


@pytest.fixture
def deploy() -> Deploy:
    """One of its own in the server of these tests, so that no other is changed."""
    return Deploy(name="here", corpus="filings", out="bench", work_pool="of-tests", tags=("one", "two"))


@pytest.fixture
def registered(api, deploy, monkeypatch) -> Deploy:
    monkeypatch.delenv("RAREFY_NOTIFY_URL", raising=False)
    register(deploy, "my.toml", "/srv/rarefy")
    return deploy


def read(kind: str, deploy: Deploy):
    with get_client(sync_client=True) as client:
        return client.read_deployment_by_name(full_name(kind, deploy))


def written(tmp_path, text: str) -> Path:
    path = tmp_path / "my.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_explained_to_whoever_starts_a_run(kind):
    schema = parameter_schema(getattr(deployed, kind)).model_dump()
    assert [name for name, about in schema["properties"].items() if not about.get("description")] == []


def test_the_protocols_that_can_be_chosen_are_those_there_are():
    schema = parameter_schema(deployed.evaluate).model_dump()
    assert set(schema["properties"]["protocols"]["items"]["enum"]) == set(PROTOCOLS)


def test_prefect_yaml_says_the_same_as_the_command():
    told = {one["name"]: one for one in yaml.safe_load(YAML.read_text())["deployments"]}
    plan = {one.name: one for one in plan_deployments(Deploy())}
    assert list(told) == list(plan)
    for name, one in plan.items():
        there = told[name]
        schedule = one.schedule()
        assert there["parameters"] == one.parameters
        assert there["schedules"] == ([schedule] if schedule else [])
        assert there["tags"] == list(one.tags)
        assert there["entrypoint"] == one.entrypoint
        assert there["description"] == one.description
        assert there["version"] == one.version
        assert there["concurrency_limit"]["limit"] == one.timing.concurrency
        assert there["work_pool"] == {"name": one.work_pool, "job_variables": one.job_variables}


def test_what_a_pool_starts_a_run_with_is_passed_on_beside_our_own():
    variables = {"image": "rarefy:0.1.0", "env": {"AWS_SECRET_ACCESS_KEY": "{{ prefect.blocks.secret.s3 }}"}}
    for one in plan_deployments(Deploy(pool_type="docker", job_variables=variables), folder="/srv"):
        assert one.job_variables["image"] == "rarefy:0.1.0" and "working_dir" not in one.job_variables
        assert one.job_variables["env"].items() > variables["env"].items()
    with pytest.raises(ValueError, match=r"env\.AWS_SECRET_ACCESS_KEY: looks like a secret.*prefect\.blocks"):
        Deploy(job_variables={"env": {"AWS_SECRET_ACCESS_KEY": "abc"}})


@pytest.mark.server
def test_prefect_itself_deploys_from_the_yaml(api, tmp_path):
    """By its own command line, as somebody without `rarefy deploy` would."""

    def prefect(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PREFECT_API_URL": api, "PREFECT_HOME": str(tmp_path)}
        command = [sys.executable, "-m", "prefect", "--no-prompt", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)

    prefect("work-pool", "create", "rarefy", "--type", "process")  # it may be there
    done = prefect("deploy", "--all", "--prefect-file", str(YAML))
    assert done.returncode == 0, done.stdout + done.stderr
    there = read("refresh", Deploy())
    assert there.entrypoint == "rarefy.flows.deployed.refresh"
    assert there.pull_steps == []
    assert [one.schedule.cron for one in there.schedules] == ["0 6 * * *"]


def test_what_is_registered_is_what_the_config_says(registered):
    there = read("refresh", registered)
    assert there.name == "refresh-here"
    assert there.work_pool_name == "of-tests"
    assert sorted(there.tags) == ["one", "two"]
    assert there.enforce_parameter_schema
    assert there.global_concurrency_limit.limit == 1
    assert there.concurrency_options.collision_strategy == "ENQUEUE"
    assert [(one.schedule.cron, one.schedule.timezone) for one in there.schedules] == [("0 6 * * *", "UTC")]
    assert there.parameters["corpus"] == "filings" and there.parameters["config_file"] == "my.toml"
    assert there.job_variables["working_dir"] == "/srv/rarefy"
    assert there.description.startswith("Bring a benchmark up to its documents")
    assert there.version == version("rarefy")


@pytest.mark.server
def test_registered_again_it_is_as_the_config_says_now(registered):
    timing = registered.refresh.model_copy(update={"schedule": "every 90 s"})
    register(registered.model_copy(update={"refresh": timing, "tags": ("three",)}))
    there = read("refresh", registered)
    assert [one.schedule.interval.total_seconds() for one in there.schedules] == [90]
    assert there.tags == ["three"]
    register(registered.model_copy(update={"refresh": timing.model_copy(update={"schedule": ""})}))
    assert read("refresh", registered).schedules == []


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("build", {"workers": -1}, "workers"),
        ("build", {"corpus": ""}, "corpus"),
        ("build", {"limit": "many"}, "limit"),
        ("refresh", {"as_of": "last week"}, "as_of"),
        ("refresh", {"only_if_wanted": "perhaps"}, "only_if_wanted"),
        ("refresh", {"dask": "localhost"}, "dask"),
        ("evaluate", {"protocols": ["rare", "hope"]}, "protocols"),
        ("evaluate", {"config_file": "my.yaml"}, "config_file"),
        ("watch", {"out": ""}, "out"),
        ("build", {"nonsense": 1}, "nonsense"),
    ],
)
def test_a_wrong_parameter_is_refused_by_the_server(registered, kind, given, told):
    with get_client(sync_client=True) as client, pytest.raises(PrefectHTTPStatusError) as caught:
        client.create_flow_run_from_deployment(read(kind, registered).id, parameters=given)
    assert caught.value.response.status_code == 409
    assert told in caught.value.response.text


def test_a_run_is_started_once_however_often_it_is_asked_for(registered):
    name = full_name("refresh", registered)
    assert "was started" in flow_runs.start_deployment(name, only_if_wanted=True)
    assert "waits to run already" in flow_runs.start_deployment(name, only_if_wanted=True)


def test_a_deployment_that_is_not_there_is_told(api):
    with pytest.raises(UsageFault, match="rarefy deploy"):
        flow_runs.start_deployment("rarefy refresh/of-nobody")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[deploy.refresh]\nschedule = "daily"', "neither a cron line"),
        ('[deploy.refresh]\nschedule = "every day"', 'write it as "every 15 min"'),
        ('[deploy.refresh]\ntimezone = "Mars/Olympus"', "no timezone"),
        ('[deploy]\nfail_if = ["it gets worse"]', "is no rule"),
        ('[deploy]\ntell = ["everything"]', "deploy.tell"),
        ('[deploy]\nnotify_url = "https://example.com"', "no key"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_registered(tmp_path, text, told):
    with pytest.raises(UsageFault, match=told):
        load(written(tmp_path, text))


def test_a_cron_line_that_means_no_time_is_told_by_its_deployment(api, deploy):
    timing = deploy.refresh.model_copy(update={"schedule": "61 * * * *"})
    with pytest.raises(UsageFault, match=r"deploy\.refresh.*61"):
        register(deploy.model_copy(update={"refresh": timing}))


def test_a_changed_timezone_leaves_the_schedule_as_it_is(tmp_path):
    config = load(written(tmp_path, '[deploy.refresh]\ntimezone = "Europe/Oslo"'))
    (refresh,) = [one for one in plan_deployments(config.deploy) if one.name == "refresh"]
    assert refresh.schedule() == {"cron": "0 6 * * *", "timezone": "Europe/Oslo"}


@pytest.mark.parametrize(("text", "seconds"), [("every 20 s", 20), ("every 2 h", 7_200), ("0 6 * * *", 0), ("", 0)])
def test_a_schedule_may_be_an_interval(text, seconds):
    assert seconds_of(text) == seconds


def test_no_benchmark_hangs_on_how_it_is_deployed():
    config = Config(deploy=Deploy(name="other", systems=("extractive",)))
    assert build_settings(config) == build_settings(Config())


def test_retries_and_timeout_reach_the_flow_by_its_environment():
    timing = Deploy().refresh.model_copy(update={"retries": 7, "timeout_seconds": 90})
    plan = {one.name: one for one in plan_deployments(Deploy(refresh=timing))}
    environment = plan["refresh"].job_variables["env"]
    look = "from rarefy.flows.deployed import refresh as r; print(r.retries, r.timeout_seconds)"
    done = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    assert done.stdout.split() == ["7", "90.0"]


@pytest.mark.parametrize(
    ("error", "tried_again"),
    [
        (Outage("the scheduler is gone"), True),
        (NobodyAnswers("no scheduler answers"), True),
        (OSError("a disk"), True),
        (Fault("a document"), False),
        (ValueError("a bug"), False),
    ],
)
def test_a_run_is_tried_again_after_what_may_pass(error, tried_again, monkeypatch):
    told = []
    monkeypatch.setattr(deployment_run, "_once", lambda: told.append("once"))
    with pytest.raises(type(error)), deployment_run._without_retries_of_faults():
        raise error
    assert told == ([] if tried_again else ["once"])


def test_deploy_without_a_server_says_what_to_do(monkeypatch, capsys):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert main(["deploy"]) == 2
    assert "PREFECT_API_URL is not set" in capsys.readouterr().err


def test_deploy_tells_what_stands_and_who_is_told(api, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("RAREFY_NOTIFY_URL", raising=False)
    file = written(tmp_path, '[deploy]\nname = "by-command"\nwork_pool = "of-tests"\nsystems = ["extractive"]\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "filings").mkdir()
    assert main(["deploy", "filings", "--out", "bench", "--config", str(file)]) == 0
    said = capsys.readouterr().out
    assert "rarefy refresh/refresh-by-command" in said and "0 6 * * * (UTC)" in said
    assert "nobody is notified, for want of RAREFY_NOTIFY_URL" in said
    assert "prefect worker start --pool of-tests" in said
    there = read("refresh", load(file).deploy)
    assert there.parameters["corpus"] == "filings"
    assert there.parameters["evaluation"] == "rarefy evaluate/evaluate-by-command"


@pytest.mark.server
def test_another_benchmark_of_the_same_name_is_not_replaced_by_mistake(registered):
    """Told with both, and nothing is changed; the same folder written otherwise is the same."""
    other = registered.model_copy(update={"corpus": "letters"})
    with pytest.raises(UsageFault) as told:
        register(other, "my.toml", "/srv/rarefy")
    for words in ("/srv/rarefy/filings", "/srv/rarefy/letters", "[deploy] name", "--replace", "build-here"):
        assert words in str(told.value)
    with pytest.raises(UsageFault, match="out /srv/rarefy/bench2"):
        register(registered.model_copy(update={"out": "bench2"}), "my.toml", "/srv/rarefy")
    with pytest.raises(UsageFault, match="/srv/elsewhere/filings"):
        register(registered, "my.toml", "/srv/elsewhere")
    assert read("refresh", registered).parameters["corpus"] == "filings"
    register(registered.model_copy(update={"corpus": "/srv/rarefy/filings/"}), "my.toml", "/srv/rarefy")
    register(other, "my.toml", "/srv/rarefy", replace=True)
    assert read("refresh", registered).parameters["corpus"] == "letters"
    register(registered, "my.toml", "/srv/rarefy", replace=True)


def test_deploy_replaces_another_benchmark_when_told_to(api, tmp_path, monkeypatch, capsys):
    file = written(tmp_path, '[deploy]\nname = "replaced"\nwork_pool = "of-tests"\n')
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    given = ["--out", "bench", "--config", str(file)]
    assert main(["deploy", "one", *given]) == 0
    assert main(["deploy", "two", *given]) == 2
    said = capsys.readouterr().err
    assert str(tmp_path / "one") in said and str(tmp_path / "two") in said and "--replace" in said
    assert main(["deploy", "two", *given, "--replace"]) == 0
    assert read("refresh", load(file).deploy).parameters["corpus"] == "two"


@pytest.mark.parametrize(("own", "more", "replaces"), [(True, (), True), (False, (), False), (False, (True,), True)])
def test_serve_replaces_what_its_own_server_had_and_no_other(tmp_path, monkeypatch, own, more, replaces):
    from rarefy.flows.serving import serve

    asked: list[bool] = []
    monkeypatch.setattr(
        "rarefy.flows.serving.deployments.register", lambda *args, replace=False: asked.append(replace) or []
    )
    monkeypatch.setattr("rarefy.flows.serving.flow_runs.clean_up_runs", lambda pool: (0, 0))
    wish = serve.ServeOptions(Deploy(), "", tmp_path, "127.0.0.1", 4200, (), *more)
    serve._register(wish, own, lambda text: None)
    assert asked == [replaces]


@pytest.mark.parametrize("command", ["deploy", "serve"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('corpus = "nowhere"', "nowhere: no such file or folder; make it first"),
        ('corpus = "filings"\nfolder = "{elsewhere}"', "elsewhere/filings: no such file or folder"),
        (
            'corpus = "filings"\nsystems = ["extractive", "mien"]',
            "[deploy] systems: mien: no such system; did you mean",
        ),
        ('corpus = "s3://bucket/filings"\nsystems = ["mien"]', "[deploy] systems: mien"),
    ],
)
def test_what_every_run_would_fail_of_is_refused(tmp_path, monkeypatch, capsys, command, text, told):
    monkeypatch.setattr("rarefy.flows.engine.prefect_server.wait", lambda: pytest.fail("went on"))
    monkeypatch.setattr("rarefy.flows.serving.serve.serve", lambda *args: pytest.fail("went on"))
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "filings").mkdir()
    text = text.replace("{elsewhere}", str(tmp_path / "elsewhere"))
    file = written(tmp_path, f'[deploy]\n{text}\n[systems.mine]\nkind = "extractive"\n')
    assert main([command, "--config", str(file)]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--port", "0"], ["--port", "65536"], ["--hook", "70000"], ["--port", "http"]])
def test_a_port_that_is_none_is_refused(given, capsys):
    with pytest.raises(SystemExit) as end:
        main(["serve", *given])
    assert end.value.code == 2
    assert "is no port: 1 to 65535" in capsys.readouterr().err


def test_a_work_pool_of_another_type_is_left_alone(registered):
    with pytest.raises(UsageFault, match="of type 'process'"):
        register(registered.model_copy(update={"pool_type": "docker"}))


def test_corpus_and_out_go_together(capsys):
    assert main(["deploy", "filings"]) == 2
    assert "go together" in capsys.readouterr().err


def test_the_address_of_a_notice_is_kept_as_a_secret(api, deploy, monkeypatch, capsys):
    monkeypatch.setenv("RAREFY_NOTIFY_URL", "http://127.0.0.1:9/hooks/a-very-secret-path")
    register(deploy)
    with get_client(sync_client=True) as client:
        block = client.read_block_document_by_name("rarefy-notify", "webhook", include_secrets=False)
        automations = client.read_automations_by_name("rarefy: tell of runs that end badly")
        deployments = [read(kind, deploy).model_dump_json() for kind in KINDS]
    told = [block.model_dump_json(), *(one.model_dump_json() for one in automations), *deployments]
    assert len(automations) == 1
    assert not [text for text in told if "a-very-secret-path" in text]


def test_an_automation_that_says_the_same_is_left_alone(api, deploy, monkeypatch):
    """It remembers who gave a sign of life: a new one would never miss those that were cut off before it."""
    monkeypatch.setenv("RAREFY_NOTIFY_URL", "http://127.0.0.1:9/hooks/a")

    def ids():
        with get_client(sync_client=True) as client:
            return [
                one.id for name in (deployments.TELL, deployments.LOST) for one in client.read_automations_by_name(name)
            ]

    deployments.register_notices(deploy)
    before = ids()
    deployments.register_notices(deploy)
    assert len(before) == 2 and ids() == before
    deployments.register_notices(deploy.model_copy(update={"tell": ("lost",)}))
    assert ids() == before[1:]


@pytest.mark.parametrize("address", ["ftp://example.com/x", "not an address", "http://"])
def test_an_address_that_cannot_be_posted_to_is_told_without_it(api, deploy, monkeypatch, address):
    monkeypatch.setenv("RAREFY_NOTIFY_URL", address)
    with pytest.raises(UsageFault, match="RAREFY_NOTIFY_URL is no http") as caught:
        register(deploy)
    assert address not in str(caught.value)


def test_a_file_is_linked_where_a_server_shows_it(tmp_path, monkeypatch):
    monkeypatch.setenv(login.SHOWN, json.dumps({str(tmp_path): "http://127.0.0.1:4200/rarefy/results"}))
    assert login.address_of_file(tmp_path / "1" / "report.html") == "http://127.0.0.1:4200/rarefy/results/1/report.html"
    assert (
        login.markdown_link("report.html", tmp_path.parent / "x.html") == f"report.html: `{tmp_path.parent / 'x.html'}`"
    )


@pytest.mark.parametrize(
    ("place", "expected"), [("/data/Sec Bench/", "sec-bench-funnel"), ("s3://bucket/b_1", "b-1-funnel")]
)
def test_artifacts_have_keys_that_prefect_takes(place, expected):
    assert artifact_key(place, "funnel") == expected


def test_a_run_that_is_made_outside_of_a_server_is_the_same_work(place, tmp_path, monkeypatch):
    """`build.fn` is what a deployment wraps: it needs no server at all."""
    from rarefy.flows.build import build

    config = load(place / "quick.toml")
    made = build.fn(str(place / "corpus"), str(tmp_path / "out"), config, store=str(tmp_path / "store"), quiet=True)
    assert made.version == json.loads((tmp_path / "out" / "manifest.json").read_text())["version"]


@pytest.mark.server
def test_a_deployed_refresh_says_what_it_did(place, api, tmp_path):
    """In this process, as a worker's would: the run's state has a name of its own, and artifacts hang on it."""
    where = {"out": str(tmp_path / "out"), "store": str(tmp_path / "store"), "config_file": str(place / "quick.toml")}
    shutil.copytree(place / "corpus", tmp_path / "corpus")

    def refreshed(**more: object):
        return deployed.refresh(corpus=str(tmp_path / "corpus"), **where, **more, return_state=True)

    state = refreshed()
    assert (state.name, state.type.value) == ("Refreshed", "COMPLETED")
    assert state.message.startswith("version 1 (") and state.message.endswith("the first")
    assert refreshed(only_if_wanted=True).name == "Not wanted"
    assert refreshed().name == "Unchanged"
    (tmp_path / "corpus" / "acme.html").unlink()
    state = refreshed()
    assert "1 document removed" in state.message or "1 document deleted" in state.message, state.message
    with get_client(sync_client=True) as client:
        run = client.read_flow_run(state.state_details.flow_run_id)
        found = client.read_artifacts(artifact_filter=ArtifactFilter(flow_run_id={"any_": [run.id]}))
    assert run.name == "refresh corpus → out"
    by_key = {one.key: one.data for one in found}
    assert f"`rarefy diff {journal_of(tmp_path)[0][:12]}" in by_key["out-version"]
    assert "# Changes from" in by_key["out-diff"]


@pytest.mark.server
def test_a_server_that_takes_no_artifact_fails_no_run(place, api, tmp_path, monkeypatch, caplog):
    """A deployed refresh, whose build is shown in Prefect; the server answers 500 to every artifact."""
    refused, handle = list[str](), httpx.HTTPTransport.handle_request

    def answer(transport, request):
        if "/artifacts/" not in request.url.path:
            return handle(transport, request)
        refused.append(json.loads(request.content)["key"])
        return httpx.Response(500, text="database is away")

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)
    monkeypatch.setattr(prefect_server, "is_temporary", lambda: False)
    where = {"out": str(tmp_path / "out"), "store": str(tmp_path / "store"), "config_file": str(place / "quick.toml")}
    state = deployed.refresh(corpus=str(place / "corpus"), **where, return_state=True)
    assert (state.name, state.type.value) == ("Refreshed", "COMPLETED"), state.message
    assert {"out-progress", "out-funnel", "out-sample-questions", "out-version"} <= set(refused)
    for key in ("out-funnel", "out-version"):
        assert f"the artifact {key} is not shown: Server error '500" in caplog.text


def journal_of(place: Path) -> list[str]:
    """The versions that were published, in their order."""
    entries = sorted((place / "store" / "versions").glob("*/*.json"))
    return [json.loads(one.read_text())["version"] for one in entries]


@pytest.mark.server
def test_a_system_that_got_worse_ends_its_evaluation_as_regressed(known_place, api, tmp_path):
    def evaluated(kind: str, **more: object):
        settings = f'{CONFIG}[systems.mine]\nkind = "known:{kind}"\ntakes = ["passages"]\n'
        where = {"results": str(tmp_path / "results"), "store": str(tmp_path / "store")}
        file = str(written(tmp_path, settings))
        bench = str(known_place / "bench")
        return deployed.evaluate(bench, **where, config_file=file, systems=["mine"], **more, return_state=True)

    assert evaluated("right").name == "Evaluated"
    (first,) = (tmp_path / "results").iterdir()
    first.rename(first.with_name("0000-before"))
    rules = ["rare Overall Robustness drops 1 points"]
    state = evaluated("right_unless_typo", fail_if=rules)
    assert (state.name, state.type.value) == ("Regressed", "FAILED"), state.message
    assert "dropped" in state.message
    assert evaluated("right_unless_typo").name == "Evaluated", "nothing is asked of it"


def test_a_fault_of_the_config_is_not_tried_again(api, tmp_path, monkeypatch):
    tries = []
    monkeypatch.setattr(deployment_run, "_once", lambda: tries.append("stopped"))
    state = deployed.build(corpus=str(tmp_path / "no"), out=str(tmp_path / "out"), return_state=True)
    assert state.is_failed() and "no such file or folder" in state.message
    assert tries == ["stopped"]


@pytest.mark.server
def test_runs_that_a_dead_machine_left_are_told_from_those_it_missed(registered):
    with get_client(sync_client=True) as client:
        there = read("build", registered)
        long_ago = datetime.now(UTC) - timedelta(hours=1)
        made = [
            client.create_flow_run_from_deployment(
                there.id, state=Scheduled(scheduled_time=long_ago + timedelta(minutes=n)), parameters={}
            )
            for n in range(3)
        ]
        running = client.create_flow_run_from_deployment(there.id, state=Running())
        client.set_flow_run_state(running.id, Running(), force=True)
        clean_up_runs(registered.work_pool)
        states = [client.read_flow_run(one.id).state_name for one in made]
        assert states == ["Skipped", "Skipped", "Scheduled"], "the last of them does what all of them would"
        assert client.read_flow_run(running.id).state_name == "Crashed"
