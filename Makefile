# The everyday commands; `make` by itself lists them. Everything else is cargo's and the binary's own.

# The run configuration that `make train` follows, and the run's folder (the binary's choice when empty: runs/
# and the configuration's name).
CONFIG ?= configs/quick.toml
RUN ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
BINARY := $(TARGET)/release/hippolyta

# cargo-nextest when it is there: faster, and a crash of one test leaves the others standing.
RUN_TESTS := $(shell cargo nextest --version >/dev/null 2>&1 && echo cargo nextest run || echo cargo test --tests)
# The packages that the torch feature changes; the others are the same with and without it.
TORCH_PACKAGES := -p hippolyta -p hippolyta-torch -p hippolyta-train -p hippolyta-run --features torch
# These build for the browser too.
WASM_PACKAGES := -p hippolyta-game -p hippolyta-search -p hippolyta-model -p hippolyta-play

# Kills of `make crash-test`.
KILLS ?= 100
# Seconds that `make fuzz` spends on each parser.
SECONDS ?= 60

.NOTPARALLEL:
.PHONY: help train build lite web page bench test lint wasm emulated test-lite test-torch test-docs test-web crash-test \
	fuzz tools torch-tools libtorch

help: ## List these commands
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

train: build ## Train by CONFIG=configs/quick.toml in RUN=runs/quick; the same command goes on after a stop
	$(BINARY) train $(CONFIG) $(if $(RUN),--run $(RUN))

build: libtorch ## Build target/release/hippolyta, with training
	cargo build --release --features torch

lite: tools ## Build target/lite/release/hippolyta: all but training, needs no libtorch
	cargo build --release --target-dir $(TARGET)/lite

web: page lite ## Build the page to play on into target/web, and serve it on this machine
	$(TARGET)/lite/release/hippolyta serve --page $(TARGET)/web

page: tools ## Build the page and the package for front ends into target/web; needs Rust alone
	@scripts/build-web

bench: build ## Measure this machine: moves, evaluations, visits, games a second
	$(BINARY) bench

test: lint wasm test-lite test-torch test-docs test-web ## Run everything that has to hold before a change lands

# Documentation of the libraries only: the binary's doc comments are its help texts, written for a terminal.
lint: libtorch ## Check formatting, clippy and the libraries' documentation, all warnings denied
	cargo fmt --all --check
	cargo clippy --all-targets -- -D warnings
	cargo clippy --all-targets $(TORCH_PACKAGES) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --lib
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --lib $(TORCH_PACKAGES)

wasm: tools ## Check that rules, search, network and players build for wasm32; run the network's tests there
	@scripts/add-target wasm32-unknown-unknown
	cargo check --target wasm32-unknown-unknown $(WASM_PACKAGES)
	cargo clippy --target wasm32-unknown-unknown -p hippolyta-web -- -D warnings
	cargo clippy -p hippolyta-bind -- -D warnings
	@scripts/test-wasm

emulated: tools ## Check under QEMU that processors with NEON, with AVX2 and with SSE4 give the same bits
	@scripts/test-emulated

test-lite: tools ## Run the tests of all that needs no libtorch
	$(RUN_TESTS)

# One torch thread a process: threads that wait for each other on busy cores are many times slower.
test-torch: libtorch ## Run the tests that need libtorch
	OMP_NUM_THREADS=1 $(RUN_TESTS) $(TORCH_PACKAGES)

test-docs: libtorch ## Run the examples in the documentation
	cargo test --doc
	OMP_NUM_THREADS=1 cargo test --doc $(TORCH_PACKAGES)

crash-test: build ## Kill a tiny run KILLS=100 times at random moments, and compare its files with an unkilled one's
	@scripts/crash-test $(KILLS)

test-web: page ## Test the package under node and the page in Chromium
	@scripts/test-web

fuzz: ## Fuzz each parser for SECONDS=60, from real inputs; what it finds stays in fuzz/artifacts
	@cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: cargo install cargo-fuzz" >&2; exit 1; }
	cargo run --quiet --manifest-path fuzz/Cargo.toml --bin seeds
	@for target in fen moves transcript sgf uci records model ladder; do \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target -- -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=1024 \
			|| exit 1; \
	done

tools:
	@scripts/check-tools

torch-tools:
	@scripts/check-tools torch

libtorch: torch-tools
	@scripts/setup-libtorch
