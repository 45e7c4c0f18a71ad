# SPDX-License-Identifier: MIT
# The front door. `make help` lists what there is; docs/building.md explains it.

# Debian's own tools first: a private python would not find Debian's modules.
export PATH := /usr/bin:$(PATH)

# MESA=25.0: the Mesa of subprojects/mesa-25.0.wrap. One that is not the default has directories of its own.
DEFAULT_MESA := $(shell sed -n "/'mesa_version'/s/.* value : '\([^']*\)'.*/\1/p" meson.options)
MESA ?= $(DEFAULT_MESA)
export MESA
suffix := $(if $(filter-out $(DEFAULT_MESA),$(MESA)),-$(MESA))

# ASSERTS=1: the targets work in build-asserts, where our asserts and Mesa's are compiled in.
ifdef ASSERTS
BUILD ?= build-asserts$(suffix)
export SETUP_ARGS += -Db_ndebug=false
endif
BUILD ?= build$(suffix)
export BUILD

# Targets are built in the order in which they are named, each with all processors: `deps` before `all`.
.NOTPARALLEL:

all: ## build everything (installs nothing, runs nothing); the command is build/bin/tbrsim (MESA=25.0: with that Mesa)
	@scripts/build.sh

PREFIX ?= /usr/local
export PREFIX DESTDIR
install: ## install what make has built under PREFIX=/usr/local (and DESTDIR), beside the system's Mesa
	@scripts/install.sh

uninstall: ## remove what make install has installed there
	@scripts/install.sh --remove

deps-deb: ## install the packages of make deb and make test-deb, too: debhelper, lintian, debootstrap
	@TBRSIM_PACKAGES=scripts/packages-deb.txt scripts/deps.sh

deb: deps-deb ## build Debian packages for this machine's release, in build/packages
	@scripts/deb.sh

test-deb: deps-deb ## build, install, use and remove the packages in clean chroots of Debian 12 and 13 (RELEASES="12 13"; root)
	@/usr/bin/python3 tests/packages/chroot_test.py --out $(BUILD)/test-deb $(RELEASES)

deps-wheel: ## install the packages of make wheel, too: setuptools, wheel
	@TBRSIM_PACKAGES=scripts/packages-wheel.txt scripts/deps.sh

wheel: deps-wheel ## build the Python package as a wheel and as a source distribution, in build/wheel
	@scripts/wheel.sh

release: ## build all files of a release of this commit, in build/release: sources, packages, wheel, site, checksums, what has changed
	@scripts/release.sh

deps: ## install the Debian packages that are missing, fetch Mesa's source
	@scripts/deps.sh

deps-docs: ## install the packages of make docs, too: Sphinx, Furo, Doxygen, …
	@TBRSIM_PACKAGES=scripts/packages-docs.txt scripts/deps.sh

docs: deps-docs ## make the site of the documents, build/docs/html/index.html: searchable, links checked, to be read from disk
	@scripts/docs.sh

gallery: deps all ## report pages of six captures, for make docs (PICTURES=docs/gallery: their pictures, too, with Chromium)
	@/usr/bin/python3 -B scripts/site/gallery.py --tbrsim $(BUILD)/bin/tbrsim --out $(BUILD)/gallery $(if $(PICTURES),--pictures $(PICTURES))

demo: deps ## build what it needs, replay a bundled capture on the simulated GPU and print its statistics
	@DEMO=1 scripts/build.sh
	@scripts/demo.sh

test: export TESTS = 1
test: deps all ## run the whole test suite (ASSERTS=1: in build-asserts, with asserts; any target takes it)
	@scripts/test.sh

model: ## build and test the cache model and the command without Mesa (in build-model)
	@scripts/model.sh

conformance: deps all ## run piglit on tbrsim, llvmpipe and softpipe, and compare (CONFORMANCE_ARGS="--help")
	@/usr/bin/python3 tests/conformance/conformance.py --tbrsim $(BUILD)/bin/tbrsim \
		--mesa $(MESA) --out $(BUILD)/conformance $(CONFORMANCE_ARGS)

test-rounds: deps all ## the cache model's tests with all of their random rounds (`make test`: a quarter)
	@TBRSIM_TEST_ROUNDS=all TEST_ARGS="--suite cachemodel" scripts/test.sh

test-images: deps all ## the same images for all combinations of settings; hidden fragments' events on all captures
	@set -e; for size in 8 16 32 64; do /usr/bin/python3 tests/images/images_test.py --tbrsim $(BUILD)/bin/tbrsim \
		--program $(BUILD)/tests/images/render_scenes --all invariance $$size; done
	@/usr/bin/python3 tests/images/hidden_test.py --tbrsim $(BUILD)/bin/tbrsim --program $(BUILD)/tests/images/render_scenes

test-recordings: deps all ## statistics of recordings against those of live runs, every preset (TRACES=DIR: other captures)
	@/usr/bin/python3 tests/recordings/identity_test.py --tbrsim $(BUILD)/bin/tbrsim $(or $(TRACES),apitrace-replays)

test-attribution: deps all ## sums of attributions, every preset, timing off and on (TRACES=DIR: other captures)
	@/usr/bin/python3 tests/recordings/attribution_test.py --tbrsim $(BUILD)/bin/tbrsim $(ATTRIBUTION_ARGS) \
		$(or $(TRACES),apitrace-replays)

compare-builds: deps all ## statistics of another build against this one's (OTHER=…/bin/tbrsim, TRACES=DIR, COMPARE_ARGS)
	@/usr/bin/python3 tests/recordings/compare_builds.py --tbrsim $(BUILD)/bin/tbrsim --other $(OTHER) \
		$(COMPARE_ARGS) $(or $(TRACES),apitrace-replays)

SANITIZER ?= address thread
sanitize: deps ## run captures and tests with AddressSanitizer and UBSan, and ThreadSanitizer (SANITIZER=address|thread)
	@for sanitizer in $(SANITIZER); do scripts/sanitize.sh $$sanitizer || exit 1; done

fuzz: ## feed the readers of files and the driver with random input, each for FUZZ_SECONDS=60 (FUZZ_TARGETS="settings driver vulkan ...")
	@scripts/fuzz.sh

KILLS ?= 100
KILLS_SEED ?= 1
KILLS_TESTS ?= kills disks memory program_cache
test-kills: deps all ## kills, full disks, too little memory, damaged program caches, KILLS=100 of each, and allocations that fail (KILLS_SEED=1)
	@set -e; for test in $(KILLS_TESTS); do echo "$$test"; /usr/bin/python3 tests/robustness/$${test}_test.py \
		--tbrsim $(BUILD)/bin/tbrsim --times $(KILLS) --seed $(KILLS_SEED); done
	@/usr/bin/python3 tests/allocations/allocations_test.py --tbrsim $(BUILD)/bin/tbrsim --times $(KILLS) --seed $(KILLS_SEED) \
		--library $(BUILD)/tests/allocations/libfail_allocations.so --write-recording $(BUILD)/tests/energy/write_recording

SOAK_SECONDS ?= 3600
SOAK_WAYS ?= live
SOAK_PROGRAM := $(if $(SOAK_VULKAN),vulkan/vulkan_soak,robustness/soak)
soak: deps all ## a game whose window, contexts and objects come and go: flat memory for SOAK_SECONDS=3600 (SOAK_WAYS=live,recorded,off, SOAK_COMMAND="supertuxkart ...", SOAK_BROWSER=1, SOAK_VULKAN=1)
	@/usr/bin/python3 tests/robustness/soak_test.py --tbrsim $(BUILD)/bin/tbrsim --program $(BUILD)/tests/$(SOAK_PROGRAM) \
		--seconds $(SOAK_SECONDS) --ways $(SOAK_WAYS) $(if $(SOAK_COMMAND),--command "$(SOAK_COMMAND)") $(if $(SOAK_BROWSER),--browser)

bench: bench-caches bench-dram bench-textures bench-recordings bench-configurations bench-sweep bench-threads bench-timing bench-vulkan ## compare speed and memory with softpipe and llvmpipe (BENCH_TRACES=DIR, BENCH_ARGS="--help")
	@/usr/bin/python3 bench/bench.py --tbrsim $(BUILD)/bin/tbrsim $(if $(BENCH_TRACES),--traces $(BENCH_TRACES)) $(BENCH_ARGS)

bench-caches: deps all ## measure tbrsim cache (part of bench): policies, trace formats
	@/usr/bin/python3 bench/caches.py --tbrsim $(BUILD)/bin/tbrsim

bench-dram: deps all ## measure the DRAM model by itself (part of bench)
	@/usr/bin/python3 bench/dram.py --program $(BUILD)/bench/bench-dram

bench-textures: deps all ## measure a sample of each target, format and operation (part of bench; TEXTURES_ARGS="--only cube")
	@/usr/bin/python3 bench/textures.py --tbrsim $(BUILD)/bin/tbrsim --program $(BUILD)/bench/bench-textures $(TEXTURES_ARGS)

bench-recordings: deps all ## measure recordings and tbrsim sim (part of bench; BENCH_TRACES=DIR)
	@/usr/bin/python3 bench/recordings.py --tbrsim $(BUILD)/bin/tbrsim $(if $(BENCH_TRACES),--traces $(BENCH_TRACES))

bench-configurations: deps all ## measure what simulated hardware costs the simulation (part of bench; BENCH_TRACES=DIR)
	@/usr/bin/python3 bench/configurations.py --tbrsim $(BUILD)/bin/tbrsim $(if $(BENCH_TRACES),--traces $(BENCH_TRACES))

bench-sweep: deps all ## measure tbrsim sweep (part of bench; BENCH_TRACES=DIR)
	@/usr/bin/python3 bench/sweep.py --tbrsim $(BUILD)/bin/tbrsim $(if $(BENCH_TRACES),--traces $(BENCH_TRACES))

bench-threads: deps all ## print how one simulation divides among threads (part of bench; BENCH_TRACES=DIR)
	@/usr/bin/python3 bench/threads.py --tbrsim $(BUILD)/bin/tbrsim --clock $(if $(BENCH_TRACES),--traces $(BENCH_TRACES))

bench-timing: deps all ## print what simulating time costs on two processors (part of bench; BENCH_TRACES=DIR)
	@/usr/bin/python3 bench/timing.py --tbrsim $(BUILD)/bin/tbrsim $(if $(BENCH_TRACES),--traces $(BENCH_TRACES))

bench-vulkan: deps all ## compare speed and memory of Vulkan with lavapipe (part of bench; VULKAN_ARGS="--scenes 'glass bloom'")
	@/usr/bin/python3 -B bench/vulkan.py --tbrsim $(BUILD)/bin/tbrsim --program $(BUILD)/tests/vulkan/vulkan_scenes $(VULKAN_ARGS)

deps-experiments: ## install the packages of make reproduce and make experiments, too: Snakemake, …
	@TBRSIM_PACKAGES=scripts/packages-experiments.txt scripts/deps.sh

deps-slurm: ## install the packages of make test-slurm, too: Slurm, munge, Snakemake
	@TBRSIM_PACKAGES=scripts/packages-slurm.txt scripts/deps.sh

test-slurm: deps-slurm all ## tbrsim explore --profile slurm on a cluster of one node: jobs killed, a node drained, a full disk (root)
	@/usr/bin/python3 -B tests/tools/slurm_test.py --tbrsim $(BUILD)/bin/tbrsim $(SLURM_TESTS)

deps-programs: ## install the packages of make test-programs, too: Blender, Chromium, Godot
	@TBRSIM_PACKAGES=scripts/packages-programs.txt scripts/deps.sh

test-programs: deps-programs all ## programs that need the newer versions, live, beside llvmpipe: Godot, Blender, WebGL 2 in Chromium
	@/usr/bin/python3 -B tests/programs/programs_test.py --tbrsim $(BUILD)/bin/tbrsim

experiments: deps-experiments all ## repeat the papers' experiments on captures of yours (TRACES=DIR) or on scenes (SCENES=workloads/scenes)
	@/usr/bin/python3 experiments/reproduce.py --out $(BUILD)/experiments --build $(BUILD) $(if $(TRACES),--captures "$(TRACES)") \
		$(if $(SCENES),--scenes "$(SCENES)") $(if $(CORES),--cores $(CORES)) $(EXPERIMENTS) -- $(EXPERIMENTS_ARGS)

SENSITIVITY := ideas buffer texture function effect2d shadow
sensitivity: deps all ## cycles and energy where a value without a source is another one (TRACES=DIR: other captures; KEEP_TABLES=1 keeps the table)
	@/usr/bin/python3 experiments/assumption_sensitivity.py --tbrsim $(BUILD)/bin/tbrsim --out $(BUILD)/sensitivity \
		$(if $(KEEP_TABLES),--keep) $(if $(TRACES),$(wildcard $(TRACES)/*.trace),$(SENSITIVITY:%=apitrace-replays/glmark2_%.trace))

validate: deps-experiments all ## predicted frame times of glmark2's scenes beside those of GPUs that are sold (DEVICE=NAME: one; RANGES=1: with assumed values at both ends of their ranges; KEEP_TABLES=1 keeps the tables)
	@/usr/bin/python3 -B experiments/validate.py --tbrsim $(BUILD)/bin/tbrsim --clock $(BUILD)/experiments/validation/frame-clock.so \
		--out $(BUILD)/validate $(if $(DEVICE),--only $(DEVICE)) $(if $(RANGES),--ranges) $(if $(KEEP_TABLES),--keep)

PAPER ?= tcor boustrophedonic dtm-nuca gspc banked dtexl
reproduce: deps-experiments all ## the papers' evaluations beside ours, on scenes, as a page (PAPER=tcor, TRACES=DIR: on captures, too; QUICK=1, PROFILE=slurm)
	@/usr/bin/python3 experiments/reproduce.py --out $(BUILD)/reproduce$(if $(QUICK),/quick) --build $(BUILD) --variants \
		--scenes workloads/scenes $(if $(QUICK),--quick) $(if $(TRACES),--captures "$(TRACES)") \
		$(if $(PROFILE),--profile $(PROFILE)) $(if $(KEEP_COSTS),--keep-costs) $(if $(CORES),--cores $(CORES)) $(PAPER) -- $(EXPERIMENTS_ARGS)

scenes: deps all ## render the scenes of workloads/ and compare them with what the papers publish (SCENES="temple_run ...")
	@/usr/bin/python3 workloads/scenes.py --tbrsim $(BUILD)/bin/tbrsim --program $(BUILD)/workloads/scene/scene \
		--out $(BUILD)/scenes $(SCENES)

captures: deps all ## capture programs at the papers' resolutions, and print what they are (CAPTURES="torcs-1960x768 ...")
	@/usr/bin/python3 apitrace-replays/captures.py --tbrsim $(BUILD)/bin/tbrsim --out $(BUILD)/captures $(CAPTURES)

update-replays: deps all ## rewrite the checksums and counters of apitrace-replays/manifest.yml
	@/usr/bin/python3 tests/replay/replay_test.py --tbrsim $(BUILD)/bin/tbrsim --update

lint: ## check the formatting of the C sources (LINT=changed: only those that differ from HEAD)
	@scripts/lint.sh check

format: ## format the C sources in place
	@scripts/lint.sh format

clean: ## remove what was built; downloads and the compiler cache stay
	rm -rf $(BUILD)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: all install uninstall deps deps-deb deb test-deb deps-docs deps-wheel wheel release deps-experiments deps-programs deps-slurm docs gallery demo test test-rounds test-programs test-slurm model test-images test-recordings test-kills soak compare-builds conformance sanitize fuzz bench bench-caches bench-dram bench-textures bench-recordings bench-configurations bench-sweep bench-threads bench-timing bench-vulkan experiments reproduce sensitivity validate scenes captures update-replays lint format clean help
