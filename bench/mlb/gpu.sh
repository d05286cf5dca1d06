#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Traces and simulates the programs of docs/research-mlb.md at full size, on a machine with a GPU and without compilers.
#
#   bench/mlb/gpu.sh pack [BUILD]    compiles the programs (10 minutes of two cores) into BUILD/mlb-gpu, with all that
#                                    the other machine needs: 25 MB
#   bench/mlb/gpu.sh run OUT [BUILD] there, in a copy of the repository with BUILD/mlb-gpu: at most 6 minutes
#
# BUILD is build if not given. OUT gets results.json, results.md and plots. A program that does not end in 180 s, or that
# has not begun after 5 minutes, is named at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

pack() {
  local build=$1 packed=$1/mlb-gpu cuda folder
  python3 bench/mlb/run.py --build "$build" --compile-only --programs "$packed/programs" "$packed/out"
  mkdir -p "$packed/lib"
  cp "$build/bench/mlb/mlb" "$packed/"
  cp "$build/lib/libgasan_rt.so" "$packed/lib/"
  cuda=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cuda"])' "$build/test/config.json")
  for folder in lib64 lib targets/x86_64-linux/lib; do
    if [[ -e $cuda/$folder/libcudart.so.13 ]]; then
      cp -L "$cuda/$folder/libcudart.so.13" "$packed/lib/"
      break
    fi
  done
  rm -rf "$packed/out"
  du -sh "$packed"
}

run() {
  local out=$1 packed=$2/mlb-gpu
  [[ -x $packed/mlb ]] || {
    echo "gpu.sh: error: no $packed; run 'bench/mlb/gpu.sh pack' where the compiler is, and copy that folder" >&2
    exit 2
  }
  export LD_LIBRARY_PATH=$PWD/$packed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  python3 bench/mlb/run.py --device cuda --size full --programs "$packed/programs" --simulator "$packed/mlb" \
    --jobs "${JOBS:-6}" --seconds 180 --deadline 345 "$out"
}

case ${1:-} in
pack) pack "${2:-build}" ;;
run) run "${2:?gpu.sh: error: run needs a folder for the results}" "${3:-build}" ;;
*)
  sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
  ;;
esac
