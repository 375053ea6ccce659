# make demo, make test and make check set up all they need in .venv; the prerequisites are Rust, Python 3.11 or newer,
# make.

PYTHON ?= python3
# With LOCKED=1 the versions of requirements.lock are installed, without it the newest within the bounds.
LOCKED ?=
BIN := .venv/bin
# Tests of one file stay together, as they share what takes long to make.
PYTEST := $(BIN)/pytest --numprocesses auto --dist loadscope
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.PHONY: demo build env web web-check test test-web test-wire measure-wire test-cluster test-long template check \
	check-overflow features msrv semver bench bench-parent bench-instructions bench-peers bench-web compare-ns3 \
	site deny dist static fuzz test-dist clean

demo: build
	$(BIN)/faircast reproduce peng-beside-rlm --reps 5

build: .venv/built

env: .venv/ready

# The environment: the packages that pyproject.toml names. Nothing happens while that file stays as it is.
.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "faircast needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@command -v cargo > /dev/null || { echo "faircast needs Rust: https://rustup.rs"; exit 1; }
	@test -x $(BIN)/python || { echo "making the virtual environment .venv"; $(PYTHON) -m venv .venv; }
	@$(BIN)/python tools/requirements.py > .venv/requirements.txt
	@echo "installing into .venv: $$(tr '\n' ' ' < .venv/requirements.txt)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		-r $(if $(LOCKED),requirements.lock,.venv/requirements.txt)
	@$(BIN)/python -m compileall -q python > /dev/null || true
	@touch $@

# The compiled core, installed in place: changes of the Python sources need no build.
.venv/built: .venv/ready Cargo.toml Cargo.lock $(RUST)
	@echo "building faircast"
	@PIP_QUIET=1 $(BIN)/maturin develop --release
	@touch $@

# The web part: viewers that pages hold, built into python/faircast/web. Node comes from PyPI where there is none.
WEB := $(shell find web \( -name node_modules -o -path web/core -o -path web/site \) -prune -o -type f -print \
	2>/dev/null) \
	$(wildcard examples/scenarios/*.toml)
NODE := $(BIN)/python tools/with_node.py web
web: python/faircast/web/licences.txt

web/node_modules/.package-lock.json: web/package.json web/package-lock.json .venv/ready
	@echo "installing into web/node_modules what web/package-lock.json names"
	@$(NODE) npm ci --silent --ignore-scripts
	@touch $@

# The core in WebAssembly, with what calls it from JavaScript. wasm-bindgen's program must be of the version of its
# crate; it is compiled once.
BINDGEN := $(shell sed -n '/^name = "wasm-bindgen"$$/{n;s/.*"\(.*\)"/\1/p}' Cargo.lock)
BINDGEN_CLI := target/web-tools/bin/wasm-bindgen
$(BINDGEN_CLI)-$(BINDGEN):
	@echo "compiling wasm-bindgen-cli $(BINDGEN) into target/web-tools"
	@CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --debug wasm-bindgen-cli --version =$(BINDGEN) \
		--root target/web-tools --force
	@touch $@

web/core/core_bg.wasm: $(BINDGEN_CLI)-$(BINDGEN) Cargo.toml Cargo.lock $(RUST)
	@echo "building the core for browsers"
	@rustup target list --installed | grep -q wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
	@cargo build --quiet --profile web --target wasm32-unknown-unknown -p faircast-wasm
	@$(BINDGEN_CLI) --target web --remove-name-section --remove-producers-section --out-dir web/core --out-name core \
		target/wasm32-unknown-unknown/web/faircast_wasm.wasm

python/faircast/web/licences.txt: web/node_modules/.package-lock.json web/core/core_bg.wasm $(WEB)
	@echo "building the web part"
	@$(NODE) node build.mjs
	@touch $@

web-check: web/node_modules/.package-lock.json web/core/core_bg.wasm
	$(NODE) npm run --silent check

# The web part in a real browser: Debian's chromium if it is there, otherwise the one of @sparticuz/chromium.
test-web: build web web-check site
	cargo clippy --quiet --target wasm32-unknown-unknown -p faircast-wasm -- -D warnings
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'nbconvert>=7.16,<8'
	$(BIN)/pytest python/tests/test_laboratory.py python/tests/test_notebooks.py python/tests/test_web.py
	$(BIN)/python tools/web_tables.py target/web/tables.json
	$(NODE) npm run --silent test

# COUNTED=done leaves out the Python tests that `make check` has run, over the core that is checked for overflow.
test: build template
	cargo test --workspace --quiet
	$(PYTEST) $(if $(COUNTED),$(UNCOUNTED:%=python/tests/test_%.py))
	@echo "left out: the web part in a browser (make test-web), namespaces of networks (test-wire), clusters" \
		"(test-cluster), what takes minutes (test-long)$$(command -v tshark > /dev/null || \
		echo ', what tshark says of packets, as it is not there')"

# Sessions on real sockets beside the kernel's TCP, in network namespaces that end with the test: root, some minutes.
# Tests one at a time, as they measure rates; what one runs at once has links of its own.
test-wire:
	@test "$$(id -u)" = 0 || { echo "test-wire makes network namespaces and needs root"; exit 1; }
	cargo test --quiet --release -p faircast-wire --test namespaces -- --include-ignored --nocapture --test-threads 1
	cargo test --quiet --release -p faircast-cast --test interoperation -- --include-ignored --nocapture \
		--test-threads 1

# What sessions do in real time, beside the simulator: docs/on-the-wire-measured.md, which the table is written into.
# Root; half an hour, CASES="start speed" for some of it. What is simulated first may take its time; what is measured
# has real-time priority where the system gives it. nft, of Debian's nftables, loses packets for two of the cases.
CASES ?=
MEASURE := cargo bench --quiet -p faircast-cast --bench wire --
measure-wire:
	@test "$$(id -u)" = 0 || { echo "measure-wire makes network namespaces and needs root"; exit 1; }
	@command -v nft > /dev/null || echo "there is no nft: the cases that lose packets are left out"
	$(MEASURE) simulate $(CASES)
	$$(chrt --fifo 10 true 2> /dev/null && echo chrt --fifo 10) $(MEASURE) $(CASES)

# Campaigns on a Dask cluster, an array job of SLURM, hosts by SSH: all of them processes of this machine, on 127.0.0.1.
# The extra `dask` and Debian's packages are installed if they are not there.
CLUSTER_PROGRAMS := munged slurmctld slurmd sbatch sshd ssh-keygen openssl
test-cluster: build
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		"$$($(BIN)/python tools/requirements.py dask)" 'dask-jobqueue>=0.9'
	@(PATH="$$PATH:/usr/sbin"; for name in $(CLUSTER_PROGRAMS); do command -v $$name > /dev/null || exit 1; done) || { \
		echo "installing slurm-wlm, munge, openssh and openssl"; \
		apt-get update --quiet=2 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 \
			--no-install-recommends slurm-wlm munge openssh-server openssh-client openssl > /dev/null; }
	$(BIN)/pytest python/cluster_tests

# The crate outside the workspace that others copy, by the commands of its README. Its environment is made here: one of
# its own that sees all of this one, in which faircast is built already.
TEMPLATE := examples/worst-loss
# Another such crate, built on TFMCC.
WRAPPED := examples/tfmcc-percentile
template: export CARGO_TARGET_DIR := $(CURDIR)/target
# What is compiled for it runs for seconds: to compile it quickly is quicker.
template: export CARGO_PROFILE_DEV_OPT_LEVEL := 0
template: export CARGO_PROFILE_DEV_DEBUG := 0
template: build
	cargo fmt --check --manifest-path $(TEMPLATE)/Cargo.toml
	cargo clippy --manifest-path $(TEMPLATE)/Cargo.toml --all-targets --all-features --quiet --locked -- -D warnings
	@rm -rf $(TEMPLATE)/.venv $(TEMPLATE)/results
	@$(BIN)/python -m venv --without-pip $(TEMPLATE)/.venv
	@$(BIN)/python tools/share_environment.py $(TEMPLATE)/.venv
	CARGO_PROFILE_RELEASE_OPT_LEVEL=0 $(BIN)/python tools/readme_commands.py $(TEMPLATE)/README.md
	cargo fmt --check --manifest-path $(WRAPPED)/Cargo.toml
	cargo clippy --manifest-path $(WRAPPED)/Cargo.toml --all-targets --quiet --locked -- -D warnings
	cargo test --manifest-path $(WRAPPED)/Cargo.toml --quiet --locked

# What takes minutes: ten million random inputs to every endpoint, in a build that panics where a release would only
# wrap around, kills at random moments and between any two writes, a thousand ends of programs,
# and a thousand flipped bits.
test-long: build
	FAIRCAST_INPUTS=10000000 cargo test --release --config tools/checked.toml -p faircast-proto upset
	$(BIN)/python tools/kills.py
	$(BIN)/python tools/exits.py
	$(BIN)/python tools/flips.py
	$(BIN)/python tools/doc_commands.py --slow README.md docs/*.md

# Not cargo fmt, which does not see files that a registry's macro declares.
check: build
	find crates examples -name '*.rs' -not -path '*/target/*' | xargs rustfmt --edition 2024 --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(MAKE) features
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python tools/line_length.py
	$(BIN)/python tools/rfc_citations.py
	$(BIN)/python tools/docstrings.py
	$(BIN)/python tools/release.py
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest faircast._native
	$(MAKE) check-overflow

# The crates that others build on, without features and with one of two: in the workspace all features are on. Who
# drives protocols needs neither serde nor schemars.
FLOOR := -p faircast-proto -p faircast-codec -p faircast-wire
features:
	cargo clippy --quiet $(FLOOR) -- -D warnings
	cargo clippy --quiet -p faircast-proto --features serde -- -D warnings
	@! cargo tree --quiet --edges normal --prefix none $(FLOOR) | grep -E '^(serde|schemars)'

# The workspace by the oldest Rust that compiles it, which rustup fetches if it is not there; some minutes.
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv: env
	@rustup toolchain install $(MSRV) --profile minimal > /dev/null 2>&1 || \
		{ echo "rustup cannot install Rust $(MSRV)"; exit 1; }
	cargo +$(MSRV) check --workspace --quiet --target-dir target/msrv
	cargo +$(MSRV) check --quiet $(FLOOR) --target-dir target/msrv

# What would break those who build on them, since the last release (or since the commit BASE=...). A public interface is
# read from rustdoc's description of it; cargo-semver-checks is compiled where it is not there, which takes minutes.
BASE ?= $(shell git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
semver:
	@test -n "$(BASE)" || { echo "there is no tag of a release: make semver BASE=COMMIT"; exit 1; }
	@command -v cargo-semver-checks > /dev/null || cargo install cargo-semver-checks --locked --quiet
	cargo semver-checks $(FLOOR) --baseline-rev $(BASE) --all-features

# The Python suite over a core that panics where a release would only wrap around (cargo test does so by itself). It is
# installed beside, below target/, so that the build in use stays.
CHECKED := $(CURDIR)/target/checked/python
# Tests of pages and of files that outlast a kill: their runs are like those of others, and there are many of them.
UNCOUNTED := documents website ledger terminal archive sweep_folder
check-overflow: build
	@rm -rf $(CHECKED) target/checked/wheels
	@PIP_QUIET=1 $(BIN)/maturin build --quiet --release --config tools/checked.toml --out target/checked/wheels
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(CHECKED) \
		target/checked/wheels/*.whl
	PYTHONPATH=$(CHECKED) $(BIN)/python tools/is_checked.py $(CHECKED)
	PYTHONPATH=$(CHECKED) $(PYTEST) $(UNCOUNTED:%=--ignore=python/tests/test_%.py)

bench: build
	$(BIN)/faircast bench

# Against the parent commit, in pairs; REV=... for another one.
bench-parent: build
	$(BIN)/python tools/bench_parent.py --rev $(or $(REV),HEAD^)

# Instructions of a packet-hop, against the numbers in tools/instructions.json; valgrind must be there.
bench-instructions: build
	$(BIN)/python tools/bench_instructions.py

# L1 in a worker of Chromium, beside the native core.
bench-web: build web
	$(BIN)/python tools/bench_web.py

bench-peers: build
	$(BIN)/python tools/bench_peers.py

# CoDel, FQ-CoDel and PIE beside ns-3.37, which is Debian's package libns3-dev.
compare-ns3: build
	$(BIN)/python tools/compare_ns3.py

# All that is written, as a site in target/site: the documentation, a page for each reproduced figure, the laboratory,
# the Python package, the Rust crates. A plain server of files is enough for it, at any path.
site: build web
	@echo "installing into .venv: mkdocs-material, mkdocstrings"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.6,<10' \
		'mkdocstrings[python]>=1,<2'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	cargo doc --workspace --no-deps --quiet
	cp -r target/doc target/site/rust
	@echo "python3 -m http.server --directory target/site shows it; target/site/index.html opens from the disk, too"

# Licences and sources of all crates, those of the template among them, against deny.toml. Where there is no cargo-deny
# it is compiled, which takes minutes.
deny:
	@command -v cargo-deny > /dev/null || cargo install cargo-deny --locked --quiet
	cargo deny check --hide-inclusion-graph licenses bans sources
	cargo deny --manifest-path $(TEMPLATE)/Cargo.toml --config deny.toml check --hide-inclusion-graph \
		licenses bans sources

# A release: the source distribution and a wheel for this platform, in target/dist. The core names the commit, whatever
# was compiled before; its symbols stay at home. On Linux zig links it against a C library that is old enough for all.
CRATES := $(notdir $(wildcard crates/*))
DIST_PACKAGES := 'abi3audit>=0.0.24,<1'
ifeq ($(shell uname),Linux)
ZIG := --zig --compatibility manylinux2014
DIST_PACKAGES += 'ziglang>=0.16,<1'
endif
dist: env web
	@rm -rf target/dist
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(DIST_PACKAGES)
	PIP_QUIET=1 $(BIN)/maturin sdist --out target/dist
	FAIRCAST_RELEASE="$$(git rev-parse HEAD)" PATH="$(CURDIR)/$(BIN):$$PATH" \
		$(BIN)/maturin build --quiet --release --strip $(ZIG) --out target/dist
	$(BIN)/python tools/wheel.py sizes target/dist
	$(BIN)/abi3audit --strict --summary target/dist/*.whl
	cargo package --quiet --no-verify $(CRATES:%=-p faircast-%)

# The program of files and streams, with what it needs of the C library in it.
HOST = $(shell rustc -vV 2> /dev/null | sed -n 's/^host: //p')
static:
	RUSTFLAGS='-C target-feature=+crt-static' cargo build --release --quiet -p faircast-cast --target $(HOST)
	@mkdir -p target/static
	cp target/$(HOST)/release/faircast target/static/faircast
	@! LC_ALL=C ldd target/static/faircast 2>&1 | grep '=>'
	target/static/faircast --help > /dev/null

# What strangers may send, by libFuzzer, so many seconds each of its targets, and what files and streams say of
# themselves. cargo-fuzz is compiled if it is not there, and needs nightly Rust.
FUZZ_SECONDS ?= 300
fuzz:
	@rustup toolchain install nightly --profile minimal > /dev/null 2>&1 || \
		{ echo "rustup cannot install nightly Rust"; exit 1; }
	@command -v cargo-fuzz > /dev/null || cargo install cargo-fuzz --locked --quiet
	@cd crates/codec && for target in $$(ls fuzz/fuzz_targets | sed 's/\.rs$$//'); do \
		cargo +nightly fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done
	cargo run --release --quiet -p faircast-deliver --example fuzz

# That wheel where there is nothing but pip; PYTHONS="python3.12 python3.13" names more.
PYTHONS ?= $(PYTHON)
test-dist:
	$(PYTHON) tools/wheel.py tutorial target/dist $(PYTHONS)

clean:
	rm -rf .venv target python/faircast/*.so
