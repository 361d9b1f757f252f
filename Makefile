# Every target makes .venv on first use and installs what it needs; a second call does not.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP := $(VENV)/.installed
LOCK := requirements/dev.txt
HASHES := requirements/hashes.txt
PYTEST := $(BIN)/pytest -q -n auto --dist loadgroup --durations 20 --durations-min 5
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser)
POSTGRES := $(shell ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null || command -v initdb)
NO_CHROMIUM := there is no chromium: apt-get install chromium, or set CHROMIUM to its path


.PHONY: docs site-check lock demo pictures examples check types format test test-jit test-nojit test-bounds test-slow test-browser \
	test-versions test-beside test-peers smoke release-check deploy-check coverage bench bench-learners bench-loop bench-detection bench-polls bench-duelpy reproduce benchmark clean

$(STAMP): pyproject.toml $(LOCK) $(HASHES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "driftduel needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement $(HASHES)
	$(BIN)/python -m pip install --quiet --constraint $(LOCK) --editable '.[dev]'
	@touch $@

UV := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --strip-extras --no-header --no-annotate \
	--no-emit-index-url
.PHONY: hashes audit
lock: $(STAMP)  ## the newest versions of all that development needs, written to requirements/dev.txt, with hashes
	$(BIN)/python -m pip install --quiet uv
	$(UV) --upgrade --extra dev --extra gym --output-file $(LOCK) pyproject.toml
	$(MAKE) hashes

hashes: $(STAMP)  ## the hashes of what requirements/dev.txt has, and of what a server of the arena needs of it
	$(BIN)/python -m pip install --quiet uv
	$(UV) --generate-hashes --extra dev --constraint $(LOCK) --output-file $(HASHES) pyproject.toml
	$(UV) --generate-hashes --extra arena --extra postgres --constraint $(LOCK) --output-file requirements/arena.txt \
		pyproject.toml

audit: $(STAMP)  ## known vulnerabilities of what a server of the arena runs on, if PyPI can be asked
	$(BIN)/python requirements/audit.py

# The demonstration needs the library with charts and pages alone, not what development needs.
DEMO := $(if $(wildcard $(STAMP)),$(STAMP),$(VENV)/.demo)
$(VENV)/.demo: pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "driftduel needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint $(LOCK) --editable '.[arena,report]'
	@touch $@

demo: $(DEMO)  ## three doors: votes of the Premier League, a program that asks, a poll on a page
	$(BIN)/driftduel demo --out demo

pictures: $(STAMP)  ## the pictures of README and docs
	$(BIN)/driftduel demo --research --out demo
	mkdir -p docs/images
	cp demo/changes-of-taste.svg demo/formula-1.svg docs/images/
	CHROMIUM=$(CHROMIUM) $(BIN)/python -m tests.pictures

docs: $(STAMP)  ## the site, in build/site; warnings are errors, nothing is fetched
	$(BIN)/python -m website build
	@echo "open build/site/index.html"

site-check: docs  ## the site in chromium: links, search, dark, on a phone, nothing from elsewhere
	@test -n "$(CHROMIUM)" || { echo "$(NO_CHROMIUM)"; exit 1; }
	CHROMIUM=$(CHROMIUM) $(BIN)/python -m website check

examples: $(STAMP)  ## the notebooks, run again and written with what they show
	$(BIN)/python -m tests.notebooks

check: $(STAMP) types  ## format, lint, types, import layers
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

types: $(STAMP)  ## README, docs and examples under mypy --strict and pyright
	$(BIN)/python -m tests.types_of_examples

format: $(STAMP)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

test: test-jit test-nojit test-bounds  ## tests and doctests: compiled, interpreted, with bounds checks
ifeq ($(POSTGRES),)
	@echo "left out: the tests of the arena on PostgreSQL; there is none: apt-get install postgresql"
endif
ifeq ($(CHROMIUM),)
	@echo "left out: the tests of the report in a browser; $(NO_CHROMIUM)"
else
	$(MAKE) test-browser
endif

test-jit: $(STAMP)
	$(PYTEST) -m "not slow and not browser" tests src studies website README.md CONTRIBUTING.md docs --doctest-glob='*.md'

# What has kernels is tested in two more ways; the rest is the same in all of them. Without the JIT
# Python checks every index of all of these tests. Compiled code computes the same to the bit
# (tests/learners/test_interpreted.py), so that it stays in bounds is checked once more for each
# kernel, not for each test: by the suite that every learner passes, by damaged files, by folds.
KERNELS := tests/learners tests/worlds/measures tests/votes/test_smoothing.py tests/votes/test_noise.py \
	tests/votes/test_evidence.py tests/votes/test_drift.py tests/votes/test_proofs.py \
	tests/experiments/simulation tests/support/test_jit.py
BOUNDED := tests/learners/test_conformance.py tests/learners/test_fuzz.py tests/learners/test_fold.py \
	$(filter-out tests/learners,$(KERNELS))
SMALL := not slow and not large and not browser

test-nojit: $(STAMP)  ## the small tests of kernels, interpreted
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "$(SMALL) and not once" $(KERNELS)

test-bounds: $(STAMP)  ## every kernel compiled with numba's bounds checks
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "$(SMALL) and not once" $(BOUNDED)

coverage: $(STAMP)  ## all small tests, interpreted and measured line by line
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "$(SMALL)" --cov --cov-report=term:skip-covered tests

test-slow: $(STAMP)  ## what takes long; TEST_EVERYTHING=1 repeats all of it as often as anybody would wish
	$(PYTEST) -m slow tests

test-versions: $(STAMP)  ## a smoke test with the lowest declared versions, and with the newest
	$(BIN)/python requirements/smoke.py

test-beside: $(STAMP)  ## data frames, gymnasium and obp, with the real packages
	$(BIN)/python requirements/beside.py

test-peers: $(STAMP)  ## choix, arena-rank, kickscore and TrueSkill Through Time on the same votes
	$(BIN)/python requirements/beside.py peers

smoke: $(STAMP)  ## the smoke tests and the examples of the README, in this environment
	$(BIN)/python -m pytest -q tests/test_smoke.py README.md docs/start.md --doctest-glob='*.md'

release-check: $(STAMP)  ## what is released: built, looked at, installed and tried; sizes
	TAG=$(TAG) $(BIN)/python requirements/release.py

deploy-check: $(STAMP)  ## the steps of deploy/Dockerfile, in a folder of their own, and the server they make
	$(BIN)/python requirements/image.py

test-browser: $(STAMP)  ## reports and the arena in chromium: keys, dark, on a phone
	@test -n "$(CHROMIUM)" || { echo "$(NO_CHROMIUM)"; exit 1; }
	CHROMIUM=$(CHROMIUM) $(BIN)/pytest -q -m browser tests/browser

bench: $(STAMP)
	$(BIN)/python -m benchmarks

bench-learners: $(STAMP)  ## rounds a second of every learner, written to docs/learners.md
	$(BIN)/python -m benchmarks learners

bench-loop: $(STAMP)  ## how long test-jit takes from nothing, and after an edit of this and that
	$(BIN)/python -m benchmarks loop

bench-detection: $(STAMP)  ## how soon a change is declared, written to detection.parquet; resumes
	$(BIN)/python -m benchmarks detection

bench-polls: $(STAMP)  ## how many votes a poll needs, written to docs/polls.md and benchmarks/polls.json
	$(BIN)/python -m benchmarks polls

bench-duelpy: $(STAMP)  ## regret and speed beside duelpy, which gets an environment of its own
	$(BIN)/python -m benchmarks.duelpy_peer

reproduce: $(STAMP)  ## what the paper promises, measured; prints its expected time first, resumes
	$(BIN)/python -m studies reproduce

benchmark: $(STAMP)  ## our learners beside rivals tuned in hindsight, written to docs/benchmark.md; resumes
	$(BIN)/python -m studies benchmark --half all --page docs/benchmark.md

clean:
	rm -rf $(VENV) .duelpy-venv .predictions-venv build dist demo .coverage htmlcov .hypothesis .mypy_cache .pytest_cache \
		.ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
