# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A thin layer over setup.sh and CMake.
#   make            set up this machine and build into build/
#   make check      ... and run a subset of the tests that needs no GPU, in under three minutes
#   make test       ... and run the tests that need no GPU
#   make tidy       ... and run clang-tidy 22, if it is installed
#   make demo       ... and compile and run examples/
#   make bench-cpu  measure the CPU device's speed; results in $(BUILD)/bench/cpu.md
#   make mlb        simulate GPUArmor's hardware on traces (docs/research-mlb.md); results in $(BUILD)/mlb/results.md
#   make install    into PREFIX
#   make package    a Debian package and a tar, in $(BUILD)/packages/
#   make wheel      a wheel of gasan run for pip, in $(BUILD)/packages/
#   make dist       everything that test/gpu.sh needs on a machine with a GPU, in dist/
#   make dist-bench the part of it that measures (docs/performance.md), in dist-bench/
#   make clean
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

# GASAN_HIDE_CUDA=1: use the toolkit that setup.sh installs, as on a machine that has none.
ifdef GASAN_HIDE_CUDA
unexport CUDA_HOME
endif

.PHONY: all setup configure build test check tidy demo bench-cpu mlb install package wheel dist dist-bench clean
all: build
	@echo "built $(BUILD)/bin/gasan-clang++ and $(BUILD)/bin/gasan-clang"

setup:
	@./setup.sh

configure: setup
	@mkdir -p $(BUILD)
	@[ -f $(BUILD)/build.ninja ] || \
	  cmake -S . -B $(BUILD) -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
	    >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }

build: configure
	@ninja --quiet -C $(BUILD) -j $(JOBS)

check: build
	@python3 tools/run_tests.py --build $(BUILD) --jobs $(JOBS) --quick

test: build
	@python3 tools/run_tests.py --build $(BUILD) --jobs $(JOBS)

tidy: build
	@python3 tools/tidy.py --build $(BUILD) --jobs $(JOBS)

demo: build
	@bash examples/demo.sh $(BUILD)

bench-cpu: build
	@python3 bench/build.py --build $(BUILD) --jobs $(JOBS) --only 'cpu/*' $(BUILD)/bench
	@python3 bench/cpu/run.py --programs $(BUILD)/bench/cpu $(BUILD)/bench/cpu.json

mlb: build
	@python3 bench/mlb/run.py --build $(BUILD) --jobs $(JOBS) --compile $(BUILD)/mlb

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX) >$(BUILD)/install.log || { cat $(BUILD)/install.log; exit 1; }
	@echo "installed $(PREFIX)/bin/gasan-clang++"

package: build
	@cpack --config $(BUILD)/CPackConfig.cmake >$(BUILD)/package.log 2>&1 || { cat $(BUILD)/package.log; exit 1; }
	@ls $(BUILD)/packages/gasan[-_]*

wheel: build
	@python3 tools/make_wheel.py --build $(BUILD) $(BUILD)/packages

dist: build
	@python3 tools/make_dist.py --build $(BUILD) --jobs $(JOBS) dist

dist-bench: build
	@python3 tools/make_dist.py --build $(BUILD) --jobs $(JOBS) --bench-only dist-bench

clean:
	rm -rf $(BUILD) dist dist-bench
