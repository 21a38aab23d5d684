"""The flows, one module each: build, evaluate, refresh, perturb, mix, compare, rescore, scenario, plan, estimate.

`cli` is the command line, `engine` runs stages and stores their tables, `models` counts and prices what models are
asked, `reports` prints results, `serving` schedules flows in Prefect and follows documents.

Importing this package switches off all telemetry and downloads of Prefect, Great Expectations and Hugging Face, before
they are imported; each can be switched on again in the environment.
"""

import os

QUIET = {
    "DO_NOT_TRACK": "1",  # Prefect's client and server
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "GX_ANALYTICS_ENABLED": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",  # it warns of forks, and one process per core is busy already
    # The console belongs to our own progress; with PREFECT_API_URL set the logs still go there.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_CLI_PROMPT": "false",
}

for _name, _value in QUIET.items():
    os.environ.setdefault(_name, _value)
