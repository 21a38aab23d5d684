"""Where modules of this package went: importing an old name fails with the new one."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FLOWS = {  # folders of rarefy.flows: each old name, and the new one where it changed
    "cli": "arguments options commands evaluating=evaluation_commands under_evaluation=evaluation_options "
    "feeds_commands=feed_commands perturbing=file_commands standalone=file_options serving_commands "
    "versions=version_commands versions_commands=version_options template "
    "catalogue=perturbation_catalogue explain=cache_explanation doctor doctor_models plan",
    "engine": "day=as_of_day run workers cluster jobs=stages jobs_of_evaluation=evaluation_stages "
    "spread=question_batches apart=document_batches portions=evaluation_batches "
    "surroundings=dependency_fingerprint server=prefect_server this_run=current_run "
    "mending=damaged_tables places=reachability conclude=aggregate under_test=resolve_systems "
    "bench=benchmark_folder schemas=table_versions deliver as_of core=common_core "
    "sides=comparison_inputs perturbed=perturbed_folder progress labels=sheet_labels",
    "reports": "report=build_report compared=comparison_report compared_versions=comparison_versions "
    "renewed=refresh_report published=published_versions outlook=estimate_report shown=tables "
    "terminal=console remarks=document_remarks failing=failure_notes",
    "models": "asking=accounting estimate forecast=request_forecast rates=request_rates dry=dry_run "
    "spent=spending expect=expected_questions expected=expectation_report sampling=corpus_sample "
    "counts=request_counts counts_of_variants=variant_counts",
    "serving": "hook=webhook hook_server=webhook_server triggers feed=edgar_feed watch=folder_watch "
    "serving.told=run_summary serving.seen=ui_progress serving.left=unfinished_runs "
    "serving.ending=shutdown serving.starting=start_run serving.setting=run_settings "
    "serving.work=deployment_run serving.keys=artifact_keys serving.host=server_process",
}
TASKS = {  # of rarefy.tasks
    "feeds.landing": "feeds.atomic_file",
    "feeds.bells": "feeds.polling",
    "feeds.settled": "feeds.debounce",
    "feeds.kept": "feeds.feed_memory",
    "wanted": "refresh_queue",
    "running": "active_runs",
    "results.drill.carried": "results.drill.drilldown_payload",
    "results.drill.island": "results.drill.json_script",
    "results.drill.coded": "results.drill.categorical",
    "correct.standing": "correct.claim_status",
    "systems.outsider": "systems.callable_system",
    "systems.handed": "systems.coerce_response",
    "statistics.several": "statistics.multiple_testing",
    "statistics.drawing": "statistics.bootstrap_intervals",
    "extract.said": "extract.cell_context",
    "layouts.asked": "layouts.layout_row",
    "perturb.query.asked": "perturb.query.question_parts",
    "retrieve.kept": "retrieve.index_cache",
    "systems.asked": "systems.interface",
    "text.kept": "text.memo",
    "llm.books": "llm.reply_store",
    "llm.books_postgres": "llm.reply_store_postgres",
    "llm.books_sqlite": "llm.reply_store_sqlite",
    "llm.flight": "llm.in_flight",
    "systems.hands": "systems.thread_pool",
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
        if name in MOVED:
            raise ModuleNotFoundError(f"{name} is {MOVED[name]} now (CHANGELOG.md)", name=name)
        return None


def watch() -> None:
    """Let the imports of this process be told where modules went; once, however often it is called."""
    if not any(isinstance(finder, Moved) for finder in sys.meta_path):
        sys.meta_path.append(Moved())
