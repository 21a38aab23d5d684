# make demo    a benchmark of the sample corpus, from nothing but Python 3.11+ and GNU make
# make test    the tests
# VENV=DIR puts the environment elsewhere, PYTHON=python3.12 chooses the interpreter.

VENV ?= .venv
OUT ?= rarefy-out/demo
TESTS ?=
CONSTRAINTS := infra/constraints.txt
INSTALL := $(VENV)/bin/python -m pip install --disable-pip-version-check --progress-bar off -q -c $(CONSTRAINTS)
FITS := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

.PHONY: demo test clean

demo: $(VENV)/.installed
	$(VENV)/bin/rarefy build tasks/sample/corpus --out $(OUT) --store $(OUT)-store

test: $(VENV)/.installed-dev
	$(VENV)/bin/python -m pytest $(TESTS)

clean:
	rm -rf $(VENV) rarefy-out

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	@echo "installing the pinned versions into $(VENV) (about 4 minutes and 2 GB, once)"
	$(INSTALL) torch  # by itself first, so that what needs it takes this build of it
	$(INSTALL) -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) -e ".[dev]"
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
