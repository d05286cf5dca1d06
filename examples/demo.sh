#!/usr/bin/env bash
# Compiles and runs the examples with the compiler of a build folder, showing every command: what `make demo` does.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=${build#"$PWD"/}
out=$name/examples
mkdir -p "$out"
unexpected=0

run() {
  echo "\$ $*"
  "$@"
}

# demo EXPECTED-EXIT-CODE COMMAND...
demo() {
  local expected=$1 code=0
  shift
  run "$@" || code=$?
  echo "(exit code $code)"
  echo
  if ((code != expected)); then
    echo "demo: exit code $expected was expected" >&2
    unexpected=1
  fi
}

compile() { run "$name/bin/gasan-clang++" -fsanitize=gpu-address -g -O2 "$@"; }

# Shorter paths in the reports; everything else is the default.
export GASAN_OPTIONS=strip_path_prefix=$PWD/${GASAN_OPTIONS:+:$GASAN_OPTIONS}

for bug in heap-overflow use-after-free double-free; do
  compile "examples/$bug/$bug.cu" -o "$out/$bug"
  demo 1 "$out/$bug"
done
compile examples/spmv/spmv.cu examples/spmv/matrix_market.cpp -o "$out/spmv"
demo 0 "$out/spmv" examples/spmv/good.mtx
demo 1 "$out/spmv" examples/spmv/bad.mtx
run "$name/bin/gasan-clang++" -fsanitize=fuzzer,gpu-address -g -O2 examples/fuzz-spmv/fuzz-spmv.cu -o "$out/fuzz-spmv"
demo 1 "$out/fuzz-spmv" -seed=1 -verbosity=0 -exact_artifact_path="$out/crash"
exit $unexpected
