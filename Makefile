# Everything runs in a virtual environment of this folder's own: none has to be active, and an
# active one is not touched.  `make` alone lists the targets.
#
#   PYTHON=python3.12   the interpreter to build .venv from (default: the first >= 3.11 found)
#   EXTRAS=             leave out the extras, where memray has no wheel (default: [native])

PYTHON ?= python3 python3.13 python3.12 python3.11
EXTRAS ?= [native]

# What `make report` measures: the named profiles, and a real file from disk beside them.
PROFILES = --profile transport --profile published
SAMPLES  = $(wildcard samples/*.jsonl samples/*.jsonl.zst samples/*.jsonl.zstd)

VENV     = .venv
PY       = $(VENV)/bin/python
PIP      = $(PY) -m pip --disable-pip-version-check
INSTALL  = $(PIP) install -qq --constraint constraints.txt --build-constraint constraints.txt
BENCH    = $(VENV)/bin/histbench
PYTEST   = $(PY) -m pytest

NOTEBOOKS = $(wildcard notebooks/*.ipynb)

# A stranger's shell must not change what is installed, found or tested here.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONHASHSEED PYTHONWARNINGS PYTHONOPTIMIZE
unexport PYTEST_ADDOPTS PYTEST_PLUGINS VIRTUAL_ENV PIP_USER PIP_TARGET PIP_PREFIX
unexport PIP_REQUIRE_VIRTUALENV PIP_CONSTRAINT COLUMNS

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help report report-full test lint types layers unit notebooks docs coverage reference \
        readme lab pins clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

# --- results -----------------------------------------------------------------------------------

report: $(VENV)/.installed ## measure the profiles and the sample, write build/report.html
	@mkdir -p build
	$(BENCH) run $(PROFILES) $(SAMPLES) -o build/results.json
	$(BENCH) report build/results.json -o build/report.html

report-full: $(VENV)/.installed ## the same with every encoding on every form (br-11 takes minutes)
	@mkdir -p build
	$(BENCH) run $(PROFILES) $(SAMPLES) --full -o build/results-full.json
	$(BENCH) report build/results-full.json -o build/report-full.html

reference: $(VENV)/.installed-dev ## measure anew what the README and the notebooks show
	$(BENCH) run --profile transport -o results/reference/transport.json
	$(BENCH) run --profile published -o results/reference/published.json

readme: $(VENV)/.installed-dev ## write the README's tables from results/reference
	$(PY) -m cogapp -r README.md

# --- checks ------------------------------------------------------------------------------------

test: lint types layers unit notebooks docs ## everything that must hold before a commit

lint: $(VENV)/.installed-dev
	$(PY) -m ruff check
	$(PY) -m ruff format --check

types: $(VENV)/.installed-dev
	$(PY) -m mypy

layers: $(VENV)/.installed-dev
	$(VENV)/bin/lint-imports

unit: $(VENV)/.installed-dev
	$(PYTEST) -n auto --doctest-modules src synthetic tests

# In a process of its own: random order and strict warnings do not suit nbval.
notebooks: $(VENV)/.installed-dev
ifeq ($(NOTEBOOKS),)
	@echo "no notebooks yet"
else
	$(PYTEST) notebooks -o addopts= -p no:randomly --nbval --nbval-current-env \
	    --nbval-sanitize-with notebooks/nbval.cfg --nbval-cell-timeout 120
endif

docs: $(VENV)/.installed-dev
	$(PY) -m cogapp --check README.md

coverage: $(VENV)/.installed-dev ## branch coverage of the tests, as a table
	$(PY) -m coverage run -m pytest
	$(PY) -m coverage report

# --- environment -------------------------------------------------------------------------------

lab: $(VENV)/.installed-dev ## open the notebooks in JupyterLab
	$(INSTALL) --group notebook
	$(PY) -m jupyterlab notebooks

pins: ## resolve constraints.txt anew, on every supported Python found
	./.ci/pins

clean: ## remove .venv, build and the caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	    .import_linter_cache .coverage
	find src synthetic tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than what it was installed from; a half-done install leaves none.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) --group dev
	@touch $@

# The pip that comes with an older Python knows neither groups nor build constraints.
$(VENV)/.installed: $(PY) pyproject.toml constraints.txt
	@echo "installing into $(VENV); this takes a minute"
	$(PIP) install -qq --constraint constraints.txt --upgrade pip
	$(INSTALL) --editable '.$(EXTRAS)'
	@touch $@

# A python3 without ensurepip (Debian keeps it in python3-venv) cannot make an environment.
$(PY):
	@for python in $(PYTHON); do \
	    if "$$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' \
	        2>/dev/null; then \
	        echo "making $(VENV) with $$python ($$("$$python" --version))"; \
	        exec "$$python" -m venv --clear $(VENV); \
	    fi; \
	done; \
	echo "histbench needs Python 3.11 or newer, with its venv module (on Debian: python3-venv)." >&2; \
	echo "None of these is one: $(PYTHON)" >&2; \
	echo "Name another with: make $(MAKECMDGOALS) PYTHON=/path/to/python" >&2; \
	exit 1
