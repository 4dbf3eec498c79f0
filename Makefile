# Only what people type. Each target says in one line what it does; `make` lists them.
.DEFAULT_GOAL := help
.PHONY: help bench-extraction bench-validator bench-recall bench-recall-speed env-bench run test test-pg16 test-pooler pooler soak check fmt openapi screenshots bench-review bench-jobs bench-store bench-api tour clean env env-dev browser

VENV ?= .venv
export VENV
BIN := $(VENV)/bin
# The first one that is new enough, else the first there is, which then says what is wrong.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; \
	done; echo python3)
# Settings like those of a server behind HTTPS, with values that are worth nothing.
PRODUCTION := SECRET_KEY=check-only-check-only-check-only-check-only-check-only-0123456789 \
	MEMORYKIT_FINGERPRINT_KEY=check-only-check-only-check-only-check-only \
	METRICS_TOKEN=check-only-check-only-check-only-check-only \
	ALLOWED_HOSTS=memorykit.example DEBUG=0 \
	DATABASE_URL=postgresql://memorykit:check-only@127.0.0.1:5432/memorykit \
	REDIS_URL=redis://:check-only@127.0.0.1:6379/0

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

env:
	@command -v $(PYTHON) >/dev/null || { echo "install: there is no Python: install it\
 (Debian: apt-get install python3 python3-venv)." >&2; exit 1; }
	@$(PYTHON) project/install.py

env-dev:
	@command -v $(PYTHON) >/dev/null || { echo "install: there is no Python: install it\
 (Debian: apt-get install python3 python3-venv)." >&2; exit 1; }
	@$(PYTHON) project/install.py --dev

env-bench: env
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt \
		-r requirements-bench.txt

run: env ## start everything with the demo, print what to open; Ctrl-C stops it
	@exec $(BIN)/python -m project.run

browser: env-dev
	@$(BIN)/python -m project.browser

test: browser ## run all tests on throw-away servers, keep coverage data
	@rm -f .coverage .coverage.*
	@exec $(BIN)/python -m project.services.testing -- \
		$(BIN)/python -m pytest -n 2 --dist loadgroup --cov --cov-report= $(ARGS)

# The database, and what talks to it: on the oldest server that memorykit supports.
test-pg16: env-dev ## the database's tests on PostgreSQL 16
	@exec $(BIN)/python -m project.services.testing --postgres 16 -- \
		$(BIN)/python -m pytest -n 2 --dist loadgroup tests/integration \
		tests/acceptance/test_api_records.py tests/acceptance/test_commands_erase.py \
		--ignore-glob='tests/integration/test_project_*' $(ARGS)

pooler: env-dev
	@$(BIN)/python -m project.services.pooler

test-pooler: pooler ## tests through PgBouncer in transaction mode
	@exec $(BIN)/python -m project.services.testing --pooler -- \
		$(BIN)/python -m pytest -n 2 --dist loadgroup --reuse-db \
		tests/pooled/sessions.py \
		tests/integration/test_scope_seal.py tests/integration/test_conformance.py \
		tests/integration/test_creation.py tests/integration/test_lifecycle.py \
		tests/integration/test_races.py tests/integration/test_leases.py \
		tests/integration/test_erasure.py tests/integration/test_recall.py \
		tests/integration/test_recall_degraded.py tests/acceptance/test_api_records.py \
		tests/acceptance/test_worker.py::test_a_paused_worker_that_wakes_up_writes_nothing $(ARGS)

soak: browser ## kill a worker 200 times and count what was lost; the API from another seed
	@MEMORYKIT_KILLS=200 MEMORYKIT_CONTRACT_SEED=$${MEMORYKIT_CONTRACT_SEED:-draw} \
		$(BIN)/python -m project.services.testing -- $(BIN)/python -m pytest -s \
		-k "killed_worker or is_one_that_is_described" \
		tests/acceptance/test_worker.py tests/acceptance/test_api_contract.py

bench-extraction: env-dev ## precision and recall of the rule extractor, by kind and language
	@exec $(BIN)/python benchmarks/extraction_quality.py $(ARGS)

bench-validator: env-dev ## what the content validator catches, misses and costs (CASES=folder)
	@exec $(BIN)/python benchmarks/validator_table.py $(ARGS)

check: env-dev ## format, lint, types, layers, deploy check, migrations, coverage of make test
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy memorykit_app memorykit_client project tests docs manage.py
	$(BIN)/lint-imports
	$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING \
		--settings=project.settings_production
	$(PRODUCTION) $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check \
		--dry-run --settings=project.settings_production
	$(BIN)/coverage report --fail-under=95

fmt: env-dev ## format and sort
	@$(BIN)/ruff check --fix --quiet || true
	@$(BIN)/ruff format

openapi: env-dev ## write docs/openapi.json
	@$(PRODUCTION) $(BIN)/python -W ignore::RuntimeWarning -m project.openapi > docs/openapi.json

screenshots: browser ## take pictures of the review desk into docs/screenshots
	@exec $(BIN)/python -m pytest -q -n 0 tests/browser/screenshots.py

bench-recall: env-bench ## what recall finds beside its parts and rivals (BENCH_DATA=folder)
	@exec $(BIN)/python -m benchmarks.recall $(ARGS)

bench-recall-speed: env-bench ## how fast recall answers; long: ARGS="--records 1000000"
	@exec $(BIN)/python -m benchmarks.recall_speed $(ARGS)

bench-jobs: env-bench ## no-op jobs beside procrastinate, start delay, cost of a rebuild
	@exec $(BIN)/python -m benchmarks.jobs $(ARGS)

bench-api: env-bench ## the API under eight clients, beside its bare statement, and under a flood
	@exec $(BIN)/python -m benchmarks.api $(ARGS)

bench-review: env-dev ## time the review desk over 100,000 records
	@exec $(BIN)/python -m project.services.testing -- $(BIN)/python benchmarks/review_desk.py $(ARGS)

bench-store: env-dev ## verbs per second beside the same rows by bare SQL
	@exec $(BIN)/python -m project.services.testing -- $(BIN)/python benchmarks/store.py $(ARGS)

tour: ## walk the whole path against a running `make run`
	@exec bash docs/tour.sh

clean: ## stop the servers, remove their data and the environment
	@if [ -x $(BIN)/python ]; then $(BIN)/python -m project.services.removal; \
		else $(PYTHON) -m project.services.removal; fi
	@rm -rf $(VENV) static-collected .coverage .coverage.* .mypy_cache .ruff_cache \
		.hypothesis .pytest_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
