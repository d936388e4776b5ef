# Everything runs in a virtual environment of this folder's own: none has to be active, and an
# active one is not touched.  `make` alone lists the targets.
#
#   PYTHON=python3.12   the interpreter to build .venv from (default: the first >= 3.11 found)
#   EXTRAS=             leave out the extras where one has no wheel, and with them what needs it;
#                       the tests install all but memray (default: [native,notebooks,server,client,corpus,viewer])

PYTHON ?= python3 python3.13 python3.12 python3.11
EXTRAS ?= [native,notebooks,server,client,corpus,viewer]

# What is measured: the named profiles, and a real file from disk beside them.
PROFILES = --profile transport --profile published
SAMPLES  = $(wildcard samples/*.jsonl samples/*.jsonl.zst samples/*.jsonl.zstd)

VENV     = .venv
PY       = $(VENV)/bin/python
PIP      = $(PY) -m pip --disable-pip-version-check
INSTALL  = $(PIP) install -qq --constraint constraints.txt --build-constraint constraints.txt
BENCH    = $(VENV)/bin/histbench
PYTEST   = $(PY) -m pytest

# It measures while it runs, so its numbers are other ones each time.
LIVE      = notebooks/04-your-session.ipynb

GENERATED = README.md docs/measuring.md docs/shell.md docs/comparing.md docs/corpus.md docs/privacy.md

# The two Pythons of the notebook that compares, and how the sample is measured on each.
COMPARED     = 3.11 3.13
RUN_COMPARED = run samples/quick.jsonl.zstd --runs 7 --no-memory --encodings gzip-6,br-5,zstd-3
# Recordings for the notebook about the limit: --recorded NAME=FILE for each.  They are no part of
# this repository; without them their figures stay as they are.
RECORDED     =

# Pictures are not kept in notebooks: an export draws them, and needs the extra.
EXPORT    = $(if $(findstring notebooks,$(EXTRAS)),$(BENCH) notebooks export -o build,@true)

# A stranger's shell must not change what is installed, found or tested here.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONHASHSEED PYTHONWARNINGS PYTHONOPTIMIZE
# Hundreds of processes are started: each would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
unexport PYTEST_ADDOPTS PYTEST_PLUGINS VIRTUAL_ENV PIP_USER PIP_TARGET PIP_PREFIX
unexport PIP_REQUIRE_VIRTUALENV PIP_CONSTRAINT COLUMNS

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help report report-full test test-slow test-js test-browser lint types layers unit notebooks docs coverage reference reference-large \
        reference-compare reference-all readme lab pins clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' Makefile

# --- results -----------------------------------------------------------------------------------

# Four minutes behind the installation: the profiles are timed once, without memory, and
# without the encodings that take half a minute on a page; the small sample gets everything.
report: $(VENV)/.installed ## measure the profiles and the sample, write build/report.html
	@mkdir -p build
	$(BENCH) run --profile transport --runs 1 --no-memory -o build/transport.json
	$(BENCH) run --profile published --runs 1 --no-memory --encodings gzip-6,br-5,zstd-3 \
	    -o build/published.json
	$(BENCH) run $(SAMPLES) -o build/sample.json
	$(BENCH) report build/transport.json build/published.json build/sample.json \
	    -o build/report.html
	$(EXPORT)

report-full: $(VENV)/.installed ## everything three times, br-11 of the raw form too (half an hour)
	@mkdir -p build
	$(BENCH) run $(PROFILES) $(SAMPLES) --full -o build/results-full.json
	$(BENCH) report build/results-full.json -o build/report-full.html

reference: $(VENV)/.installed-dev ## measure anew what README and notebooks show (a quarter of an hour)
	@mkdir -p results/reference samples
	$(PY) -m synthetic quick --seed 1 -o samples/quick.jsonl.zstd
	$(BENCH) run --profile transport --client node --client chromium \
	    -o results/reference/transport.json
	$(BENCH) run --profile published -o results/reference/published.json
	$(BENCH) run --profile session --runs 3 --no-memory --encodings gzip-6,br-5,zstd-3 \
	    -o results/reference/session.json
	$(BENCH) run samples/quick.jsonl.zstd --forms raw,packed,joined --encodings br-5 --no-memory \
	    -o results/reference/sample.json
	$(PY) benchmarks/corpus.py
	$(MAKE) readme

# Larger than what most changes touch: files of a gigabyte, ten million events, 200 readers.
reference-large: $(VENV)/.installed-dev reference-compare ## measure anew all that takes longer (two hours)
	$(PY) benchmarks/growth.py
	$(PY) benchmarks/limit.py
	$(if $(RECORDED),$(PY) benchmarks/limit.py $(RECORDED) -o results/reference/limit-recorded.json)
	$(PY) benchmarks/store.py
	$(PY) benchmarks/transcripts.py
	$(PY) benchmarks/serve.py
	$(PY) benchmarks/serve.py --kill -o results/reference/serve-restart.json
	$(PY) benchmarks/importing.py
	$(PY) benchmarks/redaction.py
	$(PY) benchmarks/dictionaries.py
	$(PY) benchmarks/browser.py
	$(MAKE) readme

# In environments of their own, without the extras.
reference-compare: ## measure the sample on two versions of Python
	@set -e; for version in $(COMPARED); do \
	    python$$version -m venv --clear build/python-$$version; \
	    pip="build/python-$$version/bin/python -m pip --disable-pip-version-check install -qq"; \
	    $$pip --constraint constraints.txt --upgrade pip; \
	    $$pip --constraint constraints.txt --build-constraint constraints.txt --editable .; \
	    build/python-$$version/bin/histbench $(RUN_COMPARED) \
	        -o results/reference/compare-python-$$version.json; \
	done

reference-all: reference reference-large ## all of results/reference

readme: $(VENV)/.installed-dev ## write README, docs and notebooks from results/reference
	$(PY) -m cogapp -r $(GENERATED)
	$(BENCH) notebooks run

# --- checks ------------------------------------------------------------------------------------

# What needs one processor goes two by two; the tests take all there are.
test: $(VENV)/.installed-dev ## everything that must hold before a commit
	$(MAKE) --jobs 2 lint types layers notebooks docs
	$(MAKE) unit

lint: $(VENV)/.installed-dev
	$(PY) -m ruff check
	$(PY) -m ruff format --check

types: $(VENV)/.installed-dev
	$(PY) -m mypy

layers: $(VENV)/.installed-dev
	$(VENV)/bin/lint-imports

unit: $(VENV)/.installed-dev
	$(PYTEST) -n auto -m 'not browser and not slow' --doctest-modules src synthetic tests

test-slow: $(VENV)/.installed-dev ## the exhaustive tests, which take seconds each
	$(PYTEST) -n auto -m 'slow and not browser'

# Types by JSDoc; the modules themselves need no build.
test-js: ## check and test the browser's modules (needs Node.js)
	npm install --no-save --no-package-lock --no-fund --no-audit --loglevel=error
	npm run --silent types
	npm run --silent test

test-browser: $(VENV)/.installed-dev ## drive the web shell in the system's Chromium
	$(PYTEST) -n 2 -m browser tests/browser

# In a process of its own: random order and strict warnings do not suit nbval.
notebooks: $(VENV)/.installed-dev
	$(BENCH) notebooks check
	$(PYTEST) notebooks -o addopts= -p no:randomly --nbval --nbval-current-env \
	    --nbval-sanitize-with notebooks/nbval.cfg --nbval-cell-timeout 120 --ignore $(LIVE)
	$(PYTEST) $(LIVE) -o addopts= -p no:randomly --nbval-lax --nbval-current-env \
	    --nbval-cell-timeout 120

docs: $(VENV)/.installed-dev
	$(PY) -m cogapp --check $(GENERATED)

coverage: $(VENV)/.installed-dev ## branch coverage of the tests, as a table
	$(PY) -m coverage run -m pytest
	$(PY) -m coverage report

# --- environment -------------------------------------------------------------------------------

lab: $(VENV)/.installed-dev ## open the notebooks in JupyterLab
	$(INSTALL) --group notebook
	@# JupyterLab asks its yarn.js for a setting, which Node would take for one of our modules.
	@echo '{}' > $(VENV)/package.json
	$(PY) -m jupyterlab notebooks

pins: ## resolve constraints.txt anew, on every supported Python found
	./.ci/pins

clean: ## remove .venv, build and the caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	    .import_linter_cache .coverage
	find src synthetic tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than what it was installed from; a half-done install leaves none.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) --group dev --editable '.[notebooks,server,client,corpus,viewer]'
	@touch $@

# The pip that comes with an older Python knows neither groups nor build constraints.
$(VENV)/.installed: $(PY) pyproject.toml constraints.txt
	@echo "installing into $(VENV); this takes a minute or two"
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
