# make demo    the packaged benchmark, built from documents and recorded replies of a model, and how robust the offline
#              baseline is on it, from nothing but Python 3.11+ and GNU make; RULES=1: the same documents by rules alone
# make test         the tests of behaviour, two files at a time
# make test-slow    the tests that kill processes, start workers and servers
# make docs         this documentation as a site in rarefy-out/site, which fetches nothing
# make test-vllm    the tests against vLLM itself, for the CPU, in an environment of its own
# make test-containers   infra/compose.yaml, really run: wants Docker with Compose 2, and nothing of the others
# VENV=DIR and VLLM=DIR put the environments elsewhere, PYTHON=python3.12 chooses the interpreter. Where no GPU is found,
# torch comes from PyTorch's index of builds for the CPU; TORCH_INDEX= switches that off, TORCH_INDEX=URL is another index.

# where this is set, every process would compile anew all that it imports, a quarter of a short run
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
VLLM ?= .venv-vllm
OUT ?= rarefy-out/demo
TESTS ?=
CONSTRAINTS := infra/constraints.txt
FITS := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

.PHONY: demo docs test test-slow test-vllm test-containers clean

demo: $(VENV)/.installed
	$(VENV)/bin/rarefy build $(if $(RULES),tasks/sample/corpus,sample) --out $(OUT) --store $(OUT)-store
	$(VENV)/bin/rarefy evaluate $(OUT) --system extractive --questions 60 --out $(OUT)-result --store $(OUT)-store

PYTEST := $(VENV)/bin/python -m pytest
TWO := -n 2 --dist loadfile --no-loadscope-reorder
SLOW := crash or machines or server
# what bounds a clock, or has a server, a worker and runs of its own, runs beside nothing else
CLOCKS := tests/tasks/models/llm
SERVED := tests/flows/test_served_for_real.py

test: $(VENV)/.installed-dev
ifeq ($(strip $(TESTS)),)
	$(PYTEST) $(CLOCKS) -m "not ($(SLOW))"
	$(PYTEST) $(TWO) --ignore=$(CLOCKS) -m "not ($(SLOW))"
else
	$(PYTEST) $(TESTS)
endif

test-slow: $(VENV)/.installed-dev
	$(PYTEST) $(CLOCKS) $(SERVED) -m "$(SLOW)"
	$(PYTEST) $(TWO) --ignore=$(CLOCKS) --ignore=$(SERVED) -m "$(SLOW)"

test-vllm: $(VENV)/.installed-dev $(VLLM)/.installed
	RAREFY_VLLM_PYTHON="$(abspath $(VLLM))/bin/python" RAREFY_VLLM_MODEL="$(abspath $(VLLM))/tiny" \
	  $(VENV)/bin/python -m pytest tests/served
	RAREFY_VLLM_MODEL="$(abspath $(VLLM))/tiny" $(VLLM)/bin/python -m pytest tests/served/test_in_process.py

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build -q --strict -f infra/mkdocs.yml
	@echo "the documentation is in rarefy-out/site/index.html"

test-containers:
	$(or $(PYTHON),python3) -u infra/trial/run.py

clean:
	rm -rf $(VENV) $(VLLM) rarefy-out

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	@echo "installing the pinned versions into $(VENV), once"
	infra/install.sh $(VENV)/bin/python -e .
	@du -sh $(VENV) | awk '{ print "installed: " $$1 " in " $$2 }'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	infra/install.sh $(VENV)/bin/python -e ".[dev]"
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	infra/install.sh $(VENV)/bin/python -e ".[docs]"
	touch $@

$(VLLM)/.installed: $(wildcard infra/vllm/*) $(CONSTRAINTS) | $(VENV)/bin/python
	@echo "installing vLLM for the CPU into $(VLLM), once"
	PYTHON=$(VENV)/bin/python infra/vllm/install.sh $(VLLM)
	$(VLLM)/bin/uv pip install --python $(VLLM)/bin/python -q accelerate==1.15.0 pytest==9.2.0 hypothesis==6.170.15
	$(VLLM)/bin/python infra/vllm/tiny.py $(VLLM)/tiny
	touch $@

$(VENV)/bin/python:
	@for python in $(PYTHON) python3 python3.11 python3.12 python3.13; do \
	  if "$$python" -c '$(FITS)' >/dev/null 2>&1; then \
	    echo "$$python -m venv $(VENV)"; "$$python" -m venv "$(VENV)" && exit 0; exit 1; \
	  fi; \
	done; \
	echo "rarefy needs Python 3.11, 3.12 or 3.13 with its venv module (on Debian and Ubuntu: python3-venv);" >&2; \
	echo "found: $$(python3 --version 2>&1). Install one, or say which: make PYTHON=/path/to/python3.12 demo" >&2; \
	exit 1
