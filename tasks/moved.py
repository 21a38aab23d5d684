"""Where modules of this package went: importing an old name fails with the new one."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FLOWS = {  # folders of rarefy.flows: each old name, and the new one where it changed
    "cli": "arguments options commands evaluating=evaluation_commands under_evaluation=evaluation_options "
    "feeds_commands=feed_commands perturbing=perturb_commands standalone=perturb_options serving_commands "
    "versions=version_commands versions_commands=version_options template "
    "catalogue=perturbation_catalogue explain=cache_explanation doctor doctor_models plan",
    "engine": "day=as_of_day run workers cluster jobs=stages jobs_of_evaluation=evaluation_stages "
    "spread=question_batches apart=document_batches portions=evaluation_batches "
    "surroundings=dependency_fingerprint server=prefect_server this_run=current_run "
    "mending=store_repair places=reachability conclude=aggregate under_test=resolve_systems "
    "bench=benchmark_folder schemas=table_versions deliver as_of core=shared_questions "
    "sides=comparison_inputs perturbed=perturbed_folder progress labels=human_labels",
    "reports": "report=build_report compared=comparison_report compared_versions=comparison_versions "
    "renewed=refresh_report published=published_versions outlook=estimate_report shown=tables "
    "terminal=console remarks=document_remarks failing=failure_notes",
    "models": "asking=accounting estimate forecast=request_forecast rates=request_rates dry=dry_run "
    "spent=spending expect=expected_questions expected=expectation_report sampling=corpus_sample "
    "counts=request_counts counts_of_variants=variant_counts",
    "serving": "hook=webhook hook_server=webhook_server triggers feed=edgar_feed watch=folder_watch "
    "serving.told=run_summary serving.seen=ui_progress serving.left=unfinished_runs "
    "serving.ending=shutdown serving.starting=start_run serving.setting=run_limits "
    "serving.work=deployment_run serving.keys=artifact_keys serving.host=server_process",
}
TASKS = {  # of rarefy.tasks: modules that have another name
    "feeds.landing": "refresh.feeds.atomic_file",
    "feeds.bells": "refresh.feeds.polling",
    "feeds.settled": "refresh.feeds.debounce",
    "feeds.kept": "refresh.feeds.feed_memory",
    "wanted": "refresh.refresh_queue",
    "running": "store.active_runs",
    "results.drill.carried": "evaluate.results.drill.drilldown_payload",
    "results.drill.island": "evaluate.results.drill.json_script",
    "results.visible": "text.visible",
    "results.drill.coded": "evaluate.results.drill.categorical",
    "correct.standing": "evaluate.correct.claim_status",
    "systems.outsider": "evaluate.systems.callable_system",
    "systems.handed": "evaluate.systems.coerce_response",
    "statistics.several": "evaluate.statistics.multiple_testing",
    "statistics.drawing": "evaluate.statistics.bootstrap_intervals",
    "extract.said": "knowledge.extract.cell_context",
    "layouts.asked": "perturb.layouts.question_record",
    "perturb.query.asked": "perturb.query.question_parts",
    "retrieve.kept": "evaluate.retrieve.index_cache",
    "systems.asked": "evaluate.systems.interface",
    "text.kept": "text.memo",
    "llm.books": "models.llm.reply_store",
    "llm.books_postgres": "models.llm.reply_store_postgres",
    "llm.books_sqlite": "models.llm.reply_store_sqlite",
    "llm.flight": "models.llm.in_flight",
    "systems.hands": "evaluate.systems.thread_pool",
}
PACKAGES = {  # of rarefy.tasks: what went into each folder, with all that is in it
    "corpus": "read chunk",
    "knowledge": "extract normalise supersede graph",
    "questions": "ask gates probe grade",
    "perturb": "mix layouts",
    "evaluate": "systems retrieve protocols correct statistics results",
    "models": "llm embed nli prompts",
    "refresh": "versions feeds refresh_queue",
    "text": "language wordnet syntax",
    "store": "recipe journal lease gc active_runs atomic_write",
}
INSIDE = {
    f"rarefy.tasks.{name}": f"rarefy.tasks.{folder}.{name}"
    for folder, names in PACKAGES.items()
    for name in names.split()
}
MOVED = {f"rarefy.tasks.{old}": f"rarefy.tasks.{new}" for old, new in TASKS.items()} | {
    f"rarefy.flows.{old}": f"rarefy.flows.{folder}.{new or old.rpartition('.')[2]}"
    for folder, names in FLOWS.items()
    for old, _, new in (name.partition("=") for name in names.split())
}


class Moved(MetaPathFinder):
    """Asked last, for what no other finder knows."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """None for a name that was never ours; a ModuleNotFoundError that names the successor of one that was."""
        if successor := MOVED.get(name) or INSIDE.get(name):
            raise ModuleNotFoundError(f"{name} is {successor} now (CHANGELOG.md)", name=name)
        return None


def watch() -> None:
    """Let the imports of this process be told where modules went; once, however often it is called."""
    if not any(isinstance(finder, Moved) for finder in sys.meta_path):
        sys.meta_path.append(Moved())
