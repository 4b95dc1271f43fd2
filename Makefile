# Entry point for building, running and testing; `make help` lists the targets.

# Running and testing share one build, optimised and with testability enabled: 240 test files read
# internal declarations of 23 modules, the six programs among them, by `@testable import`, which
# the compiler accepts only of modules built with -enable-testing. `package` access could replace it
# only if every declaration that a test reads became `package`, visible to all other targets. The
# flag holds for the whole build, so programs without it need a second build of everything (8 min
# on two cores) beside that of the tests. `make install` and the container images do that.
FLAGS = -c release -Xswiftc -enable-testing --explicit-target-dependency-import-check error
INSTALL_FLAGS = -c release --static-swift-stdlib --scratch-path .build-install \
	--explicit-target-dependency-import-check error
BIN = .build/release
# Not `swift test`: it sometimes hangs after the test process has exited.
RUN_TESTS = scripts/run-tests $(TESTS)
# Test targets that start processes of their own: services, nginx, gateways, brokers.
PROCESS_TESTS = --skip 'CLITests|EvaluatorDaemonTests|GatewaysTests|HostingTests' \
	--skip 'MembershipDaemonTests|MQTTTests|RuntimeTests'
LATER_TESTS = --skip 'EndToEndTests|SimulationTests|TidyTests'
# Random simulations of the bus: a third of the time of all tests without processes.
RANDOM_TESTS = --skip 'nder random faults'
TESTS = $(BIN)/jagaPackageTests.xctest --testing-library swift-testing
PROGRAMS = jaga jaga-ingest jaga-membership jaga-evaluator jaga-timer jaga-notifier jaga-report
SOURCES = Package.swift Services Shared Tests

PREFIX ?= /usr/local
DESTDIR ?=
BUILT ?= .build-install/release
# Extra arguments: `make run ARGS="--lan"`, `make test FILTER=WireTests`.
ARGS ?=
FILTER ?=
RUNS ?= 1000000
MINUTES ?= 10
# Exits with an error if a Python file has a syntax error.
READ_PYTHON := import ast, sys; ast.parse(open(sys.argv[1]).read())

.PHONY: help setup build run test test-fast test-long fuzz-wire fuzz-files fuzz-dialects \
	fuzz-photos fuzz-sign-on bench bench-bus bench-emergencies bench-evaluator bench-ingest \
	bench-membership schemathesis abuse fuzz-bus fuzz-http fuzz-mqtt chaos lint format report \
	simulate clean install test-deploy env-example install-files test-alerts
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install the packages for building and running (asks before it uses sudo)
	@scripts/setup

build: setup ## build all programs
	swift build $(FLAGS)

run: build ## build and start Jaga at http://127.0.0.1:8080 (ARGS=…)
	@exec $(BIN)/jaga up $(ARGS)

test: ## run all checks and tests, the cheap ones first (FILTER=… for some tests)
	@scripts/setup --tests
ifeq ($(FILTER),)
	@$(MAKE) --no-print-directory lint
	swift build --build-tests $(FLAGS)
	$(RUN_TESTS) --filter TidyTests
	$(RUN_TESTS) $(LATER_TESTS)
	SWIFT_DETERMINISTIC_HASHING=1 $(RUN_TESTS) --filter SimulationTests
	$(RUN_TESTS) --filter EndToEndTests
else
	swift build --build-tests $(FLAGS)
	SWIFT_DETERMINISTIC_HASHING=1 $(RUN_TESTS) --filter '$(FILTER)'
endif

test-fast: ## build, check the repository's rules, run quick unit tests without processes
	@scripts/setup
	swift build --build-tests $(FLAGS)
	$(RUN_TESTS) --filter TidyTests
	$(RUN_TESTS) $(LATER_TESTS) $(PROCESS_TESTS) $(RANDOM_TESTS)

test-long: setup ## run evaluator tests on a million random cases and on tracks, and time cancels
	swift build --build-tests $(FLAGS)
	LONG_TESTS=1 $(RUN_TESTS) --filter 'ExactnessTests|CrossingTests|ZoneIndexTests|OracleTests' \
		--filter 'OracleAlarmTests|OffsetTests|DistrictTests|RealTrackTests|LabelledTruthTests' \
		--filter 'Sign-in at LemonLDAP' \
		--filter 'ends no process while its connections wait' --filter 'The time of a cancel'

test-alerts: build ## check alert rules and /metrics of all services (needs promtool)
	@scripts/test-alerts $(BIN)

fuzz-wire: setup ## fuzz the decoders of the bus protocol (RUNS=1000000)
	@scripts/fuzz wire $(RUNS)

fuzz-files: setup ## fuzz the parsers of zone and track files (RUNS=1000000)
	@scripts/fuzz files $(RUNS)

fuzz-dialects: setup ## fuzz the parsers of phone protocols (RUNS=1000000 for each)
	@scripts/fuzz dialects $(RUNS)

fuzz-photos: setup ## fuzz the photo parser (RUNS=1000000)
	@scripts/fuzz photos $(RUNS)

fuzz-sign-on: setup ## fuzz tokens, cookies, passkeys, sign-in and invitation bodies (RUNS=1000000)
	@scripts/fuzz tokens $(RUNS)
	@scripts/fuzz sign-in $(RUNS)

bench: build ## measure latency from report to SMS gateway (ARGS=200: crossings)
	@scripts/bench $(ARGS)

bench-bus: build ## measure the bus between processes (ARGS=10: seconds of load per case)
	@scripts/bench-bus $(ARGS)

bench-evaluator: setup ## measure the evaluator core (ARGS=100000: fixes per case)
	swift build $(FLAGS) --product EvaluatorBench
	@$(BIN)/EvaluatorBench $(ARGS)
	@$(BIN)/EvaluatorBench through $(ARGS)

bench-ingest: build ## compare ingest with the bare HTTP library (ARGS=10: seconds per case)
	@scripts/setup --bench
	@scripts/bench-ingest $(ARGS)

bench-membership: build ## measure rights, sign-ins, streams, a directory (ARGS="PEOPLE N")
	@scripts/bench-membership $(ARGS)

bench-emergencies: build ## measure emergencies under load (ARGS="PEOPLE CALLS DEADLINES")
	@scripts/setup --bench
	@scripts/bench-emergencies $(ARGS)

chaos: ## inject faults into a suite under load (MINUTES=10, ROW=…; as root for all faults)
	@scripts/setup --chaos
	swift build --build-tests $(FLAGS)
	CHAOS_MINUTES=$(MINUTES) CHAOS_ROW='$(ROW)' $(TESTS) \
		--filter 'holds every row|When the disk is full'

test-deploy: ## test the containers of deploy/ with faults (as root, needs Docker; ARGS=…)
	@scripts/test-deploy $(ARGS)

env-example: build ## write deploy/.env.example from the settings of the programs
	@scripts/env-example

schemathesis: build ## test the API with Schemathesis and docs/openapi.yaml (ARGS=50: cases each)
	@scripts/setup --api
	@scripts/schemathesis $(BIN) $(ARGS)

fuzz-bus: build ## fuzz a running suite over the bus, with the evaluators' key (MINUTES=10)
	@scripts/setup --chaos
	@scripts/fuzz-bus $(BIN) --minutes $(MINUTES) $(ARGS)

fuzz-http: build ## fuzz every HTTP port of a running suite (MINUTES=10)
	@scripts/setup --api
	@scripts/fuzz-http $(BIN) --minutes $(MINUTES) $(ARGS)

fuzz-mqtt: build ## fuzz a real MQTT broker and the suite behind it (MINUTES=10)
	@scripts/setup --tests
	@scripts/fuzz-mqtt $(BIN) --minutes $(MINUTES) $(ARGS)

abuse: build ## measure the effect of HTTP attacks on other clients (ARGS=30: seconds per attack)
	@scripts/setup --api
	@scripts/abuse $(BIN) $(ARGS)

lint: ## check formatting and the syntax of scripts
	swift format lint --strict --recursive $(SOURCES)
	@for script in $$(git ls-files -s | awk '$$1 == "100755" { print $$4 }'); do \
		case "$$(head -n 1 "$$script")" in \
			*bash) bash -n "$$script" ;; \
			*/sh) sh -n "$$script" ;; \
			*python3) python3 -c "$(READ_PYTHON)" "$$script" ;; \
			*) echo "$$script: the first line names no known interpreter" >&2; false ;; \
		esac || exit 1; \
	done
	@for script in $$(git ls-files '*.py'); do python3 -c "$(READ_PYTHON)" $$script || exit 1; done

format: ## format the sources in place
	swift format --in-place --recursive $(SOURCES)

report: ## print code sizes, the types with most methods, and duplicated code
	@scripts/report

simulate: setup ## simulate the whole suite with faults (SEED= STEPS= SEEDS= MINUTES=)
	swift build --build-tests $(FLAGS)
	@TESTS='$(TESTS)' scripts/simulate

clean: ## remove build products (never ./var)
	rm -rf .build .build-install

install: setup ## build stand-alone programs and install them (DESTDIR=, PREFIX=)
	swift build $(INSTALL_FLAGS)
	$(MAKE) --no-print-directory install-files

install-files: # installs the built programs with units, documents and configuration
	@scripts/install-files "$(DESTDIR)" "$(PREFIX)" "$(BUILT)" $(PROGRAMS)
