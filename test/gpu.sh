#!/usr/bin/env bash
# Runs the whole-program tests and the device unit tests on a GPU, from the folder that `make dist` made. Needs bash,
# python3 and an NVIDIA driver, nothing else.
#   gpu.sh [RESULTS.json] [DEVICE]     DEVICE: cuda (default), or cpu to try the folder out where there is no GPU
# The detection suite's table goes to RESULTS.detection.json, with a column for compute-sanitizer if that is on PATH.
set -uo pipefail
results=$(realpath -m "${1:-results.json}")
device=${2:-cuda}
jobs=$(($(nproc) < 10 ? $(nproc) : 10)) # most of a test's time is the start of its process
cd "$(dirname "${BASH_SOURCE[0]}")"
export LD_LIBRARY_PATH=$PWD/build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH=$PWD/build/bin:$PATH # FileCheck
export ASAN_SYMBOLIZER_PATH=$PWD/build/lib/gasan/llvm-symbolizer-gasan # for programs with the host's ASan, too

passed=0 failed=0
add() { # from a line "N passed, N failed"
  passed=$((passed + $(sed -n 's/^\([0-9]*\) passed.*/\1/p' <<<"$1")))
  failed=$((failed + $(sed -n 's/.* \([0-9]*\) failed.*/\1/p' <<<"$1")))
}

while read -r name arguments; do
  [[ $device == cuda ]] || continue
  # shellcheck disable=SC2086
  output=$(GASAN_OPTIONS=device=$device timeout 300 "build/test/unit/$name" $arguments 2>&1)
  code=$?
  if ((code != 0)); then
    echo "FAIL unit/$name $arguments (exit code $code)"
    tail -n 20 <<<"$output"
    add "0 passed, 1 failed"
  else
    add "1 passed, 0 failed"
  fi
done <build/test/unit/gpu_tests.txt

output=$(python3 test/detection/run.py -v --programs build/test/detection --device "$device" \
  --jobs "$jobs" "${results%.json}.detection.json")
sed '$d' <<<"$output"
add "$(tail -n 1 <<<"$output")"

output=$(python3 test/silence/run.py run silence/ --modes bst -v --build build --device "$device" --jobs "$jobs")
sed '$d' <<<"$output"
add "$(tail -n 1 <<<"$output")"

# A test that needs the whole device runs by itself.
mapfile -t alone < <(grep -rlE '^// ALONE:' test/run test/cpu test/samples)
pattern=$(printf '|%s' "${alone[@]#test/}")
run_lit() { # RESULTS JOBS ARGUMENT...
  rm -f "$1"
  python3 build/bin/lit -q -v -j "$2" -o "$1" --param build=build --param only=run --param device="$device" "${@:3}"
  add "$(python3 -c 'import json, sys; codes = [test["code"] for test in json.load(open(sys.argv[1]))["tests"]]
print("%d passed, %d failed" % (codes.count("PASS"), sum(code not in ("PASS", "UNSUPPORTED", "EXCLUDED", "SKIPPED") for code in codes)))' "$1")"
}
run_lit "$results" "$jobs" --filter-out ":: (${pattern#|})\$" test/run test/cpu test/samples
run_lit "${results%.json}.alone.json" 1 "${alone[@]}"

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
