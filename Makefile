# Everything that is done with this repository, in one place: `make help` lists it.

# One kind of build for running and testing, so that nothing is built twice: optimised, with
# internals visible to tests. `make install` builds without the latter.
FLAGS = -c release -Xswiftc -enable-testing --explicit-target-dependency-import-check error
INSTALL_FLAGS = -c release --static-swift-stdlib --scratch-path .build-install \
	--explicit-target-dependency-import-check error
BIN = .build/release
# Not by 'swift test', which now and then waits for ever for a test process that has ended.
RUN_TESTS = scripts/run-tests $(TESTS)
TESTS = $(BIN)/jagaPackageTests.xctest --testing-library swift-testing
PROGRAMS = jaga jaga-ingest jaga-membership jaga-evaluator jaga-timer jaga-notifier
SOURCES = Package.swift Services Shared Tests

PREFIX ?= /usr/local
DESTDIR ?=
BUILT ?= .build-install/release
# Further arguments: `make run ARGS="--lan"`, `make test FILTER=WireTests`.
ARGS ?=
FILTER ?=
RUNS ?= 1000000
MINUTES ?= 10
# Whether a file of Python can be read.
READ_PYTHON := import ast, sys; ast.parse(open(sys.argv[1]).read())

.PHONY: help setup build run test test-long fuzz-wire fuzz-files fuzz-dialects fuzz-photos \
	bench bench-bus bench-evaluator bench-ingest schemathesis abuse fuzz-bus fuzz-http \
	fuzz-mqtt chaos lint \
	format simulate clean install test-deploy env-example install-files test-alerts
.DEFAULT_GOAL := help

help: ## list what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install what building and running need (asks before it uses sudo)
	@scripts/setup

build: setup ## build everything that runs
	swift build $(FLAGS)

run: build ## install what is missing, build, start Jaga at http://127.0.0.1:8080
	@exec $(BIN)/jaga up $(ARGS)

test: ## install what is missing, build, run every test (FILTER=… for some)
	@scripts/setup --tests
	swift build --build-tests $(FLAGS)
ifeq ($(FILTER),)
	$(RUN_TESTS) --skip EndToEndTests --skip SimulationTests
	SWIFT_DETERMINISTIC_HASHING=1 $(RUN_TESTS) --filter SimulationTests
	$(RUN_TESTS) --filter EndToEndTests
else
	SWIFT_DETERMINISTIC_HASHING=1 $(RUN_TESTS) --filter '$(FILTER)'
endif

test-long: setup ## try the evaluator on a million random cases, labelled and real tracks
	swift build --build-tests $(FLAGS)
	LONG_TESTS=1 $(RUN_TESTS) --filter 'ExactnessTests|CrossingTests|LookingUpTests|OracleTests' \
		--filter 'OracleAlarmTests|OffsetTests|DistrictTests|RealTrackTests|LabelledTruthTests'

test-alerts: build ## try alert rules and /metrics of all services with promtool, which it needs
	@scripts/test-alerts $(BIN)

fuzz-wire: setup ## try the bus's readers with a million inputs of libFuzzer (RUNS=… for more)
	@scripts/fuzz wire $(RUNS)

fuzz-files: setup ## try the readers of zone and track files likewise (RUNS=… for more)
	@scripts/fuzz files $(RUNS)

fuzz-dialects: setup ## try the readers of what phones send likewise, RUNS=… of each
	@scripts/fuzz dialects $(RUNS)

fuzz-photos: setup ## try the reader of photos likewise (RUNS=… for more)
	@scripts/fuzz photos $(RUNS)

bench: build ## measure the way from a report to the SMS gateway (ARGS=200 for 200 crossings)
	@scripts/bench $(ARGS)

bench-bus: build ## measure the bus between processes (ARGS=10 for 10 s of load in each case)
	@scripts/bench-bus $(ARGS)

bench-evaluator: setup ## measure the evaluator's core (ARGS=100000 for so many fixes a case)
	swift build $(FLAGS) --product EvaluatorBench
	@$(BIN)/EvaluatorBench $(ARGS)
	@$(BIN)/EvaluatorBench through $(ARGS)

bench-ingest: build ## measure ingest beside the HTTP library alone (ARGS=10 for 10 s of load each)
	@scripts/setup --bench
	@scripts/bench-ingest $(ARGS)

chaos: ## kill, stop, cut and put back a suite under load for MINUTES=… (as root for all of it)
	@scripts/setup --chaos
	swift build --build-tests $(FLAGS)
	CHAOS_MINUTES=$(MINUTES) CHAOS_ROW='$(ROW)' $(TESTS) \
		--filter 'holds every row|When the disk is full'

test-deploy: ## build the images of deploy/, run them, break them under load (as root, with Docker)
	@scripts/test-deploy $(ARGS)

env-example: build ## write deploy/.env.example from what the programs say of their settings
	@scripts/env-example

schemathesis: build ## try the API with what Schemathesis makes of docs/openapi.yaml (ARGS=50 each)
	@scripts/setup --api
	@scripts/schemathesis $(BIN) $(ARGS)

fuzz-bus: build ## send a running suite what somebody with the evaluators' key could (MINUTES=10)
	@scripts/setup --chaos
	@scripts/fuzz-bus $(BIN) --minutes $(MINUTES) $(ARGS)

fuzz-http: build ## send every HTTP port of a running suite broken requests (MINUTES=10)
	@scripts/setup --api
	@scripts/fuzz-http $(BIN) --minutes $(MINUTES) $(ARGS)

fuzz-mqtt: build ## attack a real MQTT broker and the suite behind it as phones (MINUTES=10)
	@scripts/setup --tests
	@scripts/fuzz-mqtt $(BIN) --minutes $(MINUTES) $(ARGS)

abuse: build ## measure what others notice while somebody abuses HTTP (ARGS=30 for 30 s of each)
	@scripts/setup --api
	@scripts/abuse $(BIN) $(ARGS)

lint: ## check format and scripts
	swift format lint --strict --recursive $(SOURCES)
	@for script in $$(git ls-files -s | awk '$$1 == "100755" { print $$4 }'); do \
		case "$$(head -n 1 "$$script")" in \
			*bash) bash -n "$$script" ;; \
			*/sh) sh -n "$$script" ;; \
			*python3) python3 -c "$(READ_PYTHON)" "$$script" ;; \
			*) echo "$$script begins with no name of a shell" >&2; false ;; \
		esac || exit 1; \
	done
	@for script in $$(git ls-files '*.py'); do python3 -c "$(READ_PYTHON)" $$script || exit 1; done

format: ## format the sources in place
	swift format --in-place --recursive $(SOURCES)

simulate: setup ## the whole suite in one process under faults (SEED= STEPS= SEEDS= MINUTES=)
	swift build --build-tests $(FLAGS)
	@TESTS='$(TESTS)' scripts/simulate

clean: ## remove what was built (never ./var)
	rm -rf .build .build-install

install: setup ## build stand-alone programs, install all that runs (DESTDIR=, PREFIX=)
	swift build $(INSTALL_FLAGS)
	$(MAKE) --no-print-directory install-files

install-files: # what was built, and everything that stands beside it
	@scripts/install-files "$(DESTDIR)" "$(PREFIX)" "$(BUILT)" $(PROGRAMS)
