#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a program, at most five minutes long, and succeeds if its exit code is CODE:  ends.sh CODE PROGRAM [ARGUMENT...]
# Standard output is printed after standard error, so that `2>&1` has one order on all devices.
expected=$1
shift
output=$(mktemp) || exit 1
timeout -k 10 300 "$@" </dev/null >"$output"
code=$?
cat "$output"
rm -f "$output"
[ "$code" = "$expected" ] && exit 0
echo "$1: the exit code is $code, not $expected" >&2
exit 1
